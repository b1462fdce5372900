// Settings, on a hub of their own: what is changed here holds there, and what cannot be undone asks first.

import assert from 'node:assert/strict';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { asOperator, startHub } from '../browser.mjs';
import { open } from '../dashboard.mjs';
import { call as callHub, desk, dialog, eventually, inspector } from './desk.mjs';

let hub;
const call = (op, input) => callHub(op, input, undefined, hub);

async function visit(t, path, options) {
  const page = await open(t, desk.browser, hub, path, options);
  page.setDefaultTimeout(15_000);
  return page;
}

/** One setting as the page shows it, and as the hub has it. */
const knob = (page, key) => page.locator('section > div').filter({ has: page.locator('code', { hasText: new RegExp(`^${key}$`) }) });
const setting = async (key) => (await call('settings_list')).items.find((one) => one.key === key);

describe('settings', () => {
  before(async () => {
    hub = await startHub();
  });
  after(() => hub?.stop());

  test('a knob that is turned holds at the hub, and can be turned back', async (t) => {
    const page = await visit(t, '/settings?q=max_event_limit');
    const limit = knob(page, 'max_event_limit');
    await limit.getByRole('spinbutton').fill('900');
    await limit.getByRole('button', { name: 'Save' }).click();
    await limit.getByText('changed here').waitFor();
    assert.equal((await setting('max_event_limit')).value, 900);
    await limit.getByRole('button', { name: 'Reset to 1000' }).click();
    await limit.getByText('default', { exact: true }).waitFor();
    assert.equal((await setting('max_event_limit')).source, 'default');
  });

  test('a wrong value stays in its field with why, whoever found it', async (t) => {
    const page = await visit(t, '/settings?q=max_event_limit', { quietly: false });
    const limit = knob(page, 'max_event_limit');
    await limit.getByRole('spinbutton').fill('0');
    await limit.getByText('At least 1.').waitFor();
    assert.ok(await limit.getByRole('button', { name: 'Save' }).isDisabled());
    await limit.getByRole('spinbutton').fill('9223372036854775808');
    await limit.getByRole('button', { name: 'Save' }).click();
    await limit.getByRole('alert').filter({ hasText: 'INVALID_SETTING' }).waitFor();
    assert.equal(await limit.getByRole('spinbutton').inputValue(), '9223372036854775808');
    assert.equal((await setting('max_event_limit')).source, 'default');
    await limit.getByRole('button', { name: 'Undo' }).click();
    assert.equal(await limit.getByRole('spinbutton').inputValue(), '1000');
  });

  test('a knob that a flag decides is locked, and says so', async (t) => {
    const page = await visit(t, '/settings?q=log_level');
    const level = knob(page, 'log_level');
    await level.getByText('Set by flag --log-level, which decides.').waitFor();
    assert.equal(await level.getByRole('combobox').count(), 0);
    await level.getByText('info', { exact: true }).waitFor();
  });

  test('a webhook is made, tried, told, and deleted', async (t) => {
    const told = [];
    const sink = createServer((request, response) => {
      told.push(request.headers);
      response.writeHead(204).end();
    });
    await new Promise((ready) => sink.listen(0, '127.0.0.1', ready));
    t.after(() => sink.close());
    const page = await visit(t, '/settings?at=webhooks');
    await page.getByRole('switch', { name: 'webhook_allow_private' }).click();
    await knob(page, 'webhook_allow_private').getByText('changed here').waitFor();
    assert.equal((await setting('webhook_allow_private')).value, true);

    await page.getByRole('button', { name: 'Create webhook' }).click();
    const form = dialog(page, 'Create webhook');
    await form.getByLabel('Address').fill(`http://127.0.0.1:${sink.address().port}/hook`);
    await form.getByLabel('Name').fill('Weather vane');
    await form.getByRole('button', { name: 'agent.*' }).click();
    await form.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await dialog(page, 'Its secret').locator('output').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Leave without it' }).click();
    await inspector(page).getByRole('heading', { name: 'Weather vane' }).waitFor();
    assert.ok(!(await page.content()).includes(secret));

    await inspector(page).getByRole('button', { name: 'Send a test' }).click();
    await inspector(page).getByRole('status').filter({ hasText: /^Test: .*204/ }).waitFor();
    assert.equal(told.length, 1);
    await asOperator(hub, 'POST', '/agents', { agent_id: 'weathercock' });
    const [{ webhook_id }] = (await call('webhook_list')).items;
    await eventually(async () => (await call('webhook_attempts', { webhook_id })).items.length === 2);
    assert.equal(told.length, 2);
    await inspector(page).getByRole('button', { name: 'Read again' }).click();
    await inspector(page).getByRole('button', { name: 'agent.registered' }).waitFor();

    await inspector(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await inspector(page).waitFor({ state: 'detached' });
    await page.getByText('None yet. Each shows here').waitFor();
    assert.deepEqual((await call('webhook_list')).items, []);
  });

  test('a backup is a database', async (t) => {
    const page = await visit(t, '/settings?at=backup');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download backup' }).click()]);
    assert.match(download.suggestedFilename(), /^nexus-.*\.db$/);
    const file = await openFile(await download.path());
    t.after(() => file.close());
    const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
    assert.equal(buffer.toString('latin1'), 'SQLite format 3\0');
  });

  test('what is old is counted first, and goes when one says so', async (t) => {
    await call('settings_change', { values: { retention_events_keep_days: 0 } });
    const before = (await call('observe_events', { limit: 1000 })).items.length;
    const page = await visit(t, '/settings?at=retention');
    await page.getByRole('button', { name: 'Count what would go' }).click();
    await page.getByText(/^Would go: \d+ events/).waitFor();
    assert.equal((await call('observe_events', { limit: 1000 })).items.length, before, 'counting deleted something');
    await page.getByRole('button', { name: 'Prune now' }).click();
    await page.getByText(/^Gone: \d+ events/).waitFor();
    assert.ok((await call('observe_events', { limit: 1000 })).items.length < before);
  });

  test('the store is emptied after its name was typed, and agents stay', async (t) => {
    const page = await visit(t, '/settings?at=reset');
    await page.getByRole('button', { name: 'Empty the store…' }).click();
    const asks = dialog(page, 'Empty the store');
    const really = asks.getByRole('button', { name: 'Empty the store' });
    assert.ok(await really.isDisabled());
    await asks.getByLabel('Type nexus.db to go on').fill('nexus');
    assert.ok(await really.isDisabled());
    assert.ok((await call('observe_messages')).items.length > 0);
    await asks.getByLabel('Type nexus.db to go on').fill('nexus.db');
    await really.click();
    await page.getByText(/^Gone: \d+ rows; agents stayed\.$/).waitFor();
    assert.deepEqual((await call('observe_messages')).items, []);
    assert.ok((await call('agent_directory')).items.some(({ agent_id }) => agent_id === 'secret-agent'));
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('No messages in this time').waitFor();
  });
});
