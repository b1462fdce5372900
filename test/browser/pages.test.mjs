// The hub's own pages in a real browser.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch, secret, startHub } from './browser.mjs';

let browser;
let hub;

before(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

/** Opens a page, and fails the test in the end if it complained or asked anybody else for anything. */
async function open(t, path, options) {
  const page = await browser.newPage(options);
  const faults = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => request.url().startsWith(`${hub.base}/`) || faults.push(request.url()));
  await page.exposeFunction('complain', (what) => faults.push(what));
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => complain(`${event.violatedDirective}: ${event.blockedURI}`)));
  await page.goto(hub.base + path);
  t.after(async () => {
    assert.deepEqual(faults, []);
    await page.close();
  });
  return page;
}

const shown = (page) => page.locator('main details:visible').count();

test('the dashboard leads to the description', async (t) => {
  const page = await open(t, '/help?at=developers');
  const docs = page.waitForEvent('popup');
  await page.locator('a[href="/api/v1/docs"]').first().click();
  assert.equal(await (await docs).title(), 'Nexus API');
});

describe('the description', () => {
  test('is whole', async (t) => {
    const page = await open(t, '/api/v1/docs');
    const { paths } = await (await fetch(`${hub.base}/api/v1/openapi.json`)).json();
    const names = Object.values(paths).flatMap((item) => Object.values(item).map((o) => o.operationId.replace(/_route$/, '')));
    assert.equal(await shown(page), new Set(names).size);
  });

  test('is searched with the keyboard', async (t) => {
    const page = await open(t, '/api/v1/docs');
    const all = await shown(page);
    await page.keyboard.press('/');
    await page.keyboard.type('regenerate KEY');
    assert.equal(await shown(page), 1);
    assert.equal(await page.locator('#count').innerText(), '1 operations');
    await page.keyboard.press('Escape');
    assert.equal(await shown(page), all);
    await page.locator('#page-search').fill('nonesuch');
    assert.ok(await page.getByText('Nothing has these words').isVisible());
    await page.locator('#page-search').fill('');
    const first = page.locator('summary').first();
    await first.focus();
    await page.keyboard.press('Enter');
    assert.ok(await first.locator('..').evaluate((details) => details.open));
  });

  test('opens at an operation', async (t) => {
    const page = await open(t, '/api/v1/docs#agent_create');
    const operation = page.locator('#agent_create');
    assert.ok(await operation.getByText('The key is shown only in this answer').isVisible());
    assert.match(await operation.locator('pre').first().innerText(), /curl -X POST 'http:\/\/127.0.0.1:\d+\/api\/v1\/agents'.*Authorization: Bearer nxs_….*"agent_id":"my-agent"/s);
    assert.ok(await operation.getByText('CONFLICT', { exact: true }).isVisible());
    assert.ok(await operation.evaluate((element) => element.getBoundingClientRect().top < innerHeight));
  });

  test('tries a call with a key that it does not keep', async (t) => {
    const page = await open(t, '/api/v1/docs#agent_entry');
    const form = page.locator('#agent_entry form');
    await page.locator('#key').fill(hub.agentKey);
    await form.getByLabel('agent_id').fill(secret);
    const [request] = await Promise.all([page.waitForRequest(/\/agents\/secret-agent$/), form.getByRole('button').click()]);
    assert.equal((await request.allHeaders()).authorization, `Bearer ${hub.agentKey}`);
    await form.getByText(`"agent_id": "${secret}"`).waitFor();
    assert.match(await form.locator('.result').innerText(), /^200\n/);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]));
    assert.ok(!kept.includes(hub.agentKey), kept);
    await page.reload();
    assert.equal(await page.locator('#key').inputValue(), '');
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`fits a narrow ${colorScheme} screen`, async (t) => {
      const page = await open(t, '/api/v1/docs', { viewport: { width: 360, height: 740 }, colorScheme });
      await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      const [text, surface] = await page.evaluate(() => {
        const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        return ['color', 'backgroundColor'].map((property) => {
          paint.fillStyle = getComputedStyle(document.body)[property];
          paint.fillRect(0, 0, 1, 1);
          return paint.getImageData(0, 0, 1, 1).data[0];
        });
      });
      assert.ok(colorScheme === 'dark' ? text - surface > 100 : surface - text > 100, `${text} on ${surface}`);
    });
  }
});
