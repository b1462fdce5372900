// The dashboard follows a hub that is killed and started: nothing is missed, nothing is doubled, and it says how it stands.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { asOperator, launch, startHub } from './browser.mjs';
import { isLive, open } from './dashboard.mjs';

let browser;
let hub;

before(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
});
after(async () => {
  await browser?.close();
  await hub?.stop();
});

const say = (subject) =>
  asOperator(hub, 'POST', '/op/message_create', { project_root: hub.home, from_agent_id: 'operator', subject, body: subject, target: { strategy: 'direct', agent_id: 'secret-agent' } });

/** The numbers of the events that the page shows, newest first. */
const numbers = (page) => page.locator('[role=row] [role=gridcell]:nth-child(2)').allInnerTexts().then((texts) => texts.map((text) => Number(text.replaceAll(/\D/g, ''))));

async function inTheLog() {
  const { items } = await asOperator(hub, 'GET', '/events?limit=1000');
  return items.map((event) => event.event_id).reverse();
}

test('a hub that is killed and started', async (t) => {
  const page = await open(t, browser, hub, '/events', { quietly: false, viewport: { width: 1440, height: 2000 } });
  await say('before');
  await page.getByText('before').first().waitFor();

  await hub.stop('SIGKILL');
  await page.locator('[data-live="reconnecting"]').waitFor();
  await page.getByText('before').first().waitFor(); // what was there stays

  await hub.start();
  for (let i = 0; i < 10; i++) await say(`away ${i}`);
  await isLive(page);
  await say('back');
  await page.getByText('back').first().waitFor();
  assert.deepEqual(await numbers(page), await inTheLog());
});

test('a hub that is gone for long is offline, and the page comes back by itself', async (t) => {
  const page = await open(t, browser, hub, '/', { quietly: false });
  await hub.stop();
  await page.locator('[data-live="offline"]').waitFor();
  await hub.start();
  await isLive(page);
  await say('here again');
  await page.getByText('here again').first().waitFor();
});

test('what happens shows without loading anything again by hand', async (t) => {
  const page = await open(t, browser, hub, '/events?type=agent.registered');
  await asOperator(hub, 'POST', '/agents', { agent_id: 'newcomer' });
  await page.getByRole('row').filter({ hasText: 'agent.registered' }).first().waitFor();
  await say('not of this type');
  await asOperator(hub, 'POST', '/agents', { agent_id: 'latecomer' });
  await page.getByRole('row', { name: /agent.registered/ }).nth(2).waitFor();
  assert.equal(await page.getByText('not of this type').count(), 0);
});

test('pausing holds what comes, and resuming shows it', async (t) => {
  const page = await open(t, browser, hub, '/events');
  await page.getByRole('button', { name: 'Pause' }).click();
  await say('while paused');
  await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
  assert.equal(await page.getByText('while paused').count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('while paused').first().waitFor();
});

test('a condition, a moment and a selection are an address', async (t) => {
  const page = await open(t, browser, hub, '/events');
  await page.keyboard.press('/');
  await page.keyboard.type('message.cr');
  await page.keyboard.press('Enter');
  await page.waitForURL(/type=message\.created/);
  await page.getByRole('row').nth(1).click();
  await page.waitForURL(/see=event/);
  await page.getByText('Raw JSON').waitFor();
  await page.goBack();
  await page.getByText('Raw JSON').waitFor({ state: 'detached' });
  await page.goForward();
  await page.getByText('Raw JSON').waitFor();
  await page.reload();
  await page.getByText('Raw JSON').waitFor();
  await page.getByText('type: message.created').waitFor();
});

test('the keyboard leads everywhere', async (t) => {
  const page = await open(t, browser, hub, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Search or run').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('settin');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('secret-agent');
  await page.getByRole('option', { name: /secret-agent/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/see=agent/);
});
