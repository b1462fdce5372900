// A hub on the network: who comes in, with which key, and what a key that may little is told.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { asOperator, startHub } from '../browser.mjs';
import { isLive, violations } from '../dashboard.mjs';
import { desk, inspector } from './desk.mjs';

let hub;

/** A browser that has never been here, at the hub by its name. */
async function arriveAt(t, path) {
  const context = await desk.browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`http://hub.test:${hub.port}${path}`);
  await page.getByRole('heading', { name: 'Sign in to Nexus' }).waitFor();
  return page;
}

async function signIn(page, key) {
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await isLive(page);
}

describe('a hub on the network', () => {
  before(async () => {
    hub = await startHub('--host', '0.0.0.0');
  });
  after(() => hub?.stop());

  test('a wrong key is told so, the right one opens the page that was asked for, and one can leave', async (t) => {
    const page = await arriveAt(t, '/agents?tab=presets');
    assert.deepEqual(await violations(page), []);
    await page.getByLabel('Key').fill(`nxs_${'0'.repeat(48)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Key').inputValue(), `nxs_${'0'.repeat(48)}`);
    await signIn(page, hub.operatorKey);
    await page.getByRole('row', { name: /coordinator/i }).waitFor();
    assert.ok(!(await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }))).includes(hub.operatorKey));

    await asOperator(hub, 'POST', '/agents', { agent_id: 'newcomer' });
    await page.goto(`http://hub.test:${hub.port}/agents`);
    await page.getByRole('row', { name: /newcomer/ }).waitFor();
    await page.getByText('Sign-ins', { exact: true }).click();
    await page.getByRole('row', { name: /operator\s*you/ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('?');
    await page.getByText('the operator of this hub').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Nexus' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Nexus' }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
  });

  test('a key that only looks sees everything, and why it may do nothing', async (t) => {
    const { api_key } = await asOperator(hub, 'POST', '/agents/secret-agent/keys', { name: 'wall', scopes: ['read'] });
    const page = await arriveAt(t, '/agents');
    await signIn(page, api_key);
    await page.getByRole('row', { name: /secret-agent/ }).waitFor();
    await page.getByText('Creating agents and giving keys is for whoever runs the hub.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Create agent' }).isDisabled());
    await page.getByRole('row', { name: /secret-agent/ }).click();
    await inspector(page).getByText('Who may come in and what they may do is for whoever runs the hub.').waitFor();
    await page.goto(`http://hub.test:${hub.port}/settings`);
    await page.getByText('Changing settings is for whoever runs the hub.').waitFor();
    await page.getByText('The list of webhooks is for whoever runs the hub.').waitFor();
    await page.getByText('Emptying the store is for whoever runs the hub.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Download backup' }).count(), 0);
    await page.goto(`http://hub.test:${hub.port}/conversations?peer=secret-agent`);
    await page.getByText('Writing as the operator is for whoever runs the hub.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).count(), 0);
  });

  test('a key that is revoked while the page is open ends the stay', async (t) => {
    const { api_key, key_id } = await asOperator(hub, 'POST', '/agents/secret-agent/keys', { name: 'lent', scopes: ['read', 'admin'] });
    const page = await arriveAt(t, '/events');
    await signIn(page, api_key);
    await page.getByRole('row').nth(1).waitFor();
    await asOperator(hub, 'DELETE', `/agents/secret-agent/keys/${key_id}`);
    await page.getByRole('heading', { name: 'Sign in to Nexus' }).waitFor();
    await page.getByText('The sign-in is over').waitFor();
    await signIn(page, hub.operatorKey);
    await page.getByRole('row', { name: /key\.revoked/ }).waitFor();
  });
});
