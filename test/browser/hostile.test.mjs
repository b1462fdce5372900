// A hostile page in a real browser reads nothing of a hub and changes nothing in it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { answered, contents, launch, secret, startAttacker, startHub, watch } from './browser.mjs';

let browser;
let attacker;

before(async () => {
  [browser, attacker] = await Promise.all([launch(), startAttacker()]);
});
after(async () => {
  await browser?.close();
  attacker?.stop();
});

/** Lets the page of a frame do its worst against a hub, under one of its addresses. What it could read comes back. */
async function attacked(frame, address) {
  const context = (frame.page?.() ?? frame).context();
  const quiet = watch(context);
  const outcomes = await frame.evaluate((hub) => attack(hub), address);
  await quiet(); // beacons and windows say nothing when they are done
  return outcomes;
}

async function survives(hub, frame, address, check = () => {}) {
  const before = await contents(hub);
  const heard = answered(hub, '\\d+');
  const outcomes = await attacked(frame, address);
  for (const [name, outcome] of Object.entries(outcomes)) {
    assert.doesNotMatch(outcome, new RegExp(secret), `${name} read something`);
    check(name, outcome);
  }
  assert.ok(answered(hub, '\\d+') - heard > 60, 'the browser let little through, so this proves little');
  assert.deepEqual(await contents(hub), before);
}

/** From another origin not even an answer that is no secret can be read. */
function readsNothing(name, outcome) {
  assert.doesNotMatch(outcome, /ok":|openapi|Nexus|nexus_|imported|^open$|^message/, `${name} read something`);
}

describe('a hub on loopback', () => {
  let hub;

  before(async () => {
    hub = await startHub();
  });
  after(() => hub.stop());

  const inNewPage = (run) => async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    await run(await context.newPage());
  };

  for (const host of ['evil.test', 'attacker.localhost']) {
    test(`a page of ${host}`, inNewPage(async (page) => {
      await page.goto(attacker.at(host));
      await survives(hub, page, hub.base, readsNothing);
    }));
    test(`a page of ${host}, to localhost`, inNewPage(async (page) => {
      await page.goto(attacker.at(host));
      await survives(hub, page, `http://localhost:${hub.port}`, readsNothing);
    }));
  }

  test('a page without an origin', inNewPage(async (page) => {
    await page.goto(`${attacker.at('evil.test')}/framed`);
    await survives(hub, page.frame('inner'), hub.base, readsNothing);
  }));

  test('a name that was pointed at this machine', inNewPage(async (page) => {
    const rebound = `http://rebind.test:${hub.port}`;
    await serveAt(page, rebound);
    await survives(hub, page, rebound, (name, outcome) => assert.doesNotMatch(outcome, /"ok":true|openapi|nexus_/, `${name} read something`));
  }));

  test('these attacks have teeth', inNewPage(async (page) => {
    // Pages of this machine may call, whatever their port: there the same page does change something.
    await page.goto(attacker.at('127.0.0.1'));
    await attacked(page, hub.base);
    const { state } = await contents(hub);
    const agents = state[0].items.map((agent) => agent.agent_id);
    for (const way of ['nothing', 'empty', 'window', 'beacon-nothing']) assert.ok(agents.includes(`mallory-${way}`), `${way}: ${agents}`);
    // And at the hub's own name everything can be read.
    await serveAt(page, hub.base);
    assert.match((await attacked(page, hub.base))['fetch /api/v1/agents'], new RegExp(secret));
  }));
});

describe('a hub on the network, while somebody is signed in', () => {
  let hub;

  before(async () => {
    hub = await startHub('--host', '0.0.0.0');
    hub.name = `http://hub.test:${hub.port}`;
  });
  after(() => hub.stop());

  const signedIn = (run) => async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${hub.name}/api/v1/docs?api_key=${hub.operatorKey}`);
    const me = await page.evaluate(async (api_key) => {
      await fetch('/api/v1/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ api_key }) });
      return (await fetch('/api/v1/me')).json();
    }, hub.operatorKey);
    assert.equal(me.data.is_admin, true);
    await run(page);
    // The sign-in is as good as before.
    const still = await context.newPage();
    await still.goto(`${hub.name}/api/v1/docs`);
    assert.equal(await still.title(), 'Nexus API');
  };

  // A page of another port or of a name below is of the same site: the browser sends the cookie along.
  for (const [host, sameSite] of Object.entries({ 'evil.test': false, 'attacker.localhost': false, 'hub.test': true, 'evil.hub.test': true })) {
    test(`a page of ${host}`, signedIn(async (page) => {
      const shown = answered(hub, 200, 'GET', '/api/v1/sign-ins');
      await page.goto(attacker.at(host));
      await survives(hub, page, hub.name, readsNothing);
      // contents asks twice by itself.
      assert.equal(answered(hub, 200, 'GET', '/api/v1/sign-ins') - shown > 2, sameSite, 'whether the cookie came along');
    }));
  }

  test('a page without an origin', signedIn(async (page) => {
    await page.goto(`${attacker.at('hub.test')}/framed`);
    await survives(hub, page.frame('inner'), hub.name, readsNothing);
  }));

  test('a name that was pointed at it', signedIn(async (page) => {
    const rebound = `http://rebind.test:${hub.port}`;
    await serveAt(page, rebound);
    await survives(hub, page, rebound);
  }));
});

/** Shows the hostile page as if a server at that address had sent it; everything else goes to whoever is there now. */
async function serveAt(page, address) {
  await page.route(`${address}/kittens`, (route) => route.fulfill({ contentType: 'text/html', body: attacker.page.replace(/<script.*/, '') }));
  await page.goto(`${address}/kittens`);
  await page.addScriptTag({ content: attacker.script });
}
