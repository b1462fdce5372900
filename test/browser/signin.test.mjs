// Signing in to a hub on the network, in a real browser.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { asOperator, contents, launch, startAttacker, startHub } from './browser.mjs';

let browser;
let hub;
let attacker;

before(async () => {
  [browser, hub, attacker] = await Promise.all([launch(), startHub('--host', '0.0.0.0'), startAttacker()]);
  hub.name = `http://hub.test:${hub.port}`;
});
after(async () => {
  attacker?.stop();
  await browser?.close();
  await hub?.stop();
});

/** A call as a script of the hub's own page makes it. */
const call = (page, method, path, body) =>
  page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(`/api/v1${path}`, {
        method,
        headers: body ? { 'content-type': 'application/json' } : {},
        body: body && JSON.stringify(body),
      });
      return { status: answer.status, ...(await answer.json()) };
    },
    [method, path, body],
  );

async function newContext(t) {
  const context = await browser.newContext();
  t.after(() => context.close());
  return context;
}

/** A page of the hub that a key in its address opened. */
async function openPage(context) {
  const page = await context.newPage();
  await page.goto(`${hub.name}/api/v1/docs?api_key=${hub.agentKey}`);
  return page;
}

test('without a key there is nothing to see', async (t) => {
  const page = await (await newContext(t)).newPage();
  assert.equal((await page.goto(`${hub.name}/api/v1/docs`)).status(), 401);
  assert.equal((await page.goto(`${hub.name}/`)).status(), 200);
});

test('a stay from its beginning to its end', async (t) => {
  const context = await newContext(t);
  const page = await openPage(context);
  assert.equal((await call(page, 'GET', '/me')).status, 401, 'the page has a key, its scripts do not');
  assert.equal((await call(page, 'POST', '/sign-in', { api_key: `nxs_${'0'.repeat(48)}` })).status, 401);
  assert.deepEqual(await context.cookies(), []);

  const signedIn = await call(page, 'POST', '/sign-in', { api_key: hub.agentKey });
  assert.equal(signedIn.status, 200);
  const [cookie, ...others] = await context.cookies();
  assert.deepEqual(others, []);
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.domain, cookie.path], [true, 'Strict', 'hub.test', '/']);
  assert.ok(Math.abs(cookie.expires * 1000 - Date.parse(signedIn.data.expires_at)) < 2000);
  assert.equal(await page.evaluate(() => document.cookie), '');

  const me = await call(page, 'GET', '/me');
  assert.deepEqual([me.data.agent_id, me.data.sign_in_id, me.data.is_admin], ['secret-agent', signedIn.data.sign_in_id, false]);
  assert.equal((await call(page, 'POST', '/sign-in')).status, 422, 'a cookie opens no other stay');
  const another = await context.newPage();
  assert.equal((await another.goto(`${hub.name}/api/v1/docs`)).status(), 200);

  assert.deepEqual((await call(page, 'POST', '/sign-out')).data, { signed_out: true });
  assert.deepEqual(await context.cookies(), []);
  assert.equal((await call(page, 'GET', '/me')).status, 401);
  await context.addCookies([cookie]);
  assert.equal((await call(page, 'GET', '/me')).status, 401, 'the cookie is dead, not only forgotten');
});

test('a form of another site changes nothing', async (t) => {
  const context = await newContext(t);
  const page = await openPage(context);
  await call(page, 'POST', '/sign-in', { api_key: hub.operatorKey });
  assert.equal((await call(page, 'GET', '/me')).data.is_admin, true);
  const before = await contents(hub);
  for (const host of ['evil.test', 'evil.hub.test', 'hub.test']) {
    const foreign = await context.newPage();
    await foreign.goto(attacker.at(host));
    const [answer] = await Promise.all([
      foreign.waitForResponse(/\/api\/v1\/agents/),
      foreign.evaluate((hub) => {
        document.body.innerHTML = `<form method="post" action="${hub}/api/v1/agents?agent_id=mallory"></form>`;
        document.forms[0].submit();
      }, hub.name),
    ]);
    assert.equal(answer.status(), 403, host);
  }
  assert.deepEqual(await contents(hub), before);
  assert.equal((await call(page, 'GET', '/me')).data.is_admin, true, 'the stay goes on');
});

test('a stay that somebody else ends, and one whose key is gone', async (t) => {
  const context = await newContext(t);
  const page = await openPage(context);
  const { data } = await call(page, 'POST', '/sign-in', { api_key: hub.agentKey });
  await asOperator(hub, 'DELETE', `/sign-ins/${data.sign_in_id}`);
  assert.equal((await call(page, 'GET', '/me')).status, 401);
  await call(page, 'POST', '/sign-in', { api_key: hub.agentKey });
  assert.equal((await call(page, 'GET', '/me')).status, 200);
  await asOperator(hub, 'POST', '/agents/secret-agent/regenerate-key', {});
  assert.equal((await call(page, 'GET', '/me')).status, 401);
});
