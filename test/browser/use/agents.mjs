// Agents and keys: who may come in, with a key that is shown once.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, desk, dialog, inspector, newAgent, refusal, visit } from './desk.mjs';

/** Everything in which a page could keep a secret. */
const everything = (page) =>
  page.evaluate(() => [location.href, document.cookie, JSON.stringify(history.state), ...Object.values(localStorage), ...Object.values(sessionStorage), document.documentElement.outerHTML].join('\n'));

async function me(key) {
  const answer = await fetch(`${desk.hub.base}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, ...(await answer.json()).data };
}

describe('agents and keys', () => {
  test('an agent is created, its key is shown once, is in every snippet, and works', async (t) => {
    const page = await visit(t, '/agents', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Create agent' }).click();
    const form = dialog(page, 'Create agent');
    await form.getByLabel('Name', { exact: true }).fill('bittern');
    await form.getByLabel('Role').fill('watcher');
    await form.getByLabel('Can do').fill('night, fog');
    await form.getByRole('radio', { name: /^Worker/i }).check();
    await form.getByRole('checkbox', { name: /^rpc/ }).uncheck();
    await form.getByRole('button', { name: 'Create agent' }).click();

    const made = dialog(page, 'Connect bittern');
    const key = await made.locator('output').innerText();
    assert.match(key, /^nxs_/);
    await made.getByText('Waiting for its first call').waitFor();
    for (const tab of await made.getByRole('tab').all()) {
      await tab.click();
      await made.getByRole('tabpanel').locator('pre').filter({ hasText: key }).waitFor();
    }
    await made.getByRole('button', { name: 'Done' }).click();
    await made.getByText('has not been copied').waitFor(); // the first press only warns
    await made.getByRole('region', { name: 'Key' }).getByRole('button', { name: 'Copy' }).click();
    await made.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);

    const { agent_id, scopes } = await me(key);
    assert.deepEqual([agent_id, scopes.toSorted()], ['bittern', ['mcp', 'read', 'write']]);
    await call('session_open', { agent_id: 'bittern', workspace_id: desk.nexus }, key);
    await made.getByText('session.opened').waitFor();
    await made.getByRole('button', { name: 'Done' }).click();
    await inspector(page).getByRole('heading', { name: 'bittern' }).waitFor();
    assert.ok(!(await everything(page)).includes(key), 'the page still has the key');
    await page.reload();
    await inspector(page).getByText('used').first().waitFor();
    assert.ok(!(await everything(page)).includes(key), 'the key came back with a reload');
    const entry = await call('agent_entry', { agent_id: 'bittern' });
    assert.deepEqual([entry.role, entry.preset_id, entry.capabilities], ['watcher', 'builtin:worker', { night: true, fog: true }]);
  });

  test('rotating a key kills the old one; revoking one spares the others', async (t) => {
    const curlew = await newAgent('curlew');
    const page = await visit(t, '/agents?see=agent:curlew');
    await inspector(page).getByRole('button', { name: 'Rotate key' }).click();
    await dialog(page, /^Rotate/).getByRole('button', { name: 'Rotate' }).click();
    const key = await inspector(page).getByRole('region', { name: 'Key', exact: true }).locator('output').innerText();
    assert.equal((await me(curlew.api_key)).status, 401);
    assert.equal((await me(key)).agent_id, 'curlew');

    await inspector(page).getByRole('button', { name: 'Create key' }).click();
    const asks = dialog(page, 'A key for curlew');
    await asks.getByLabel('Name').fill('wall display');
    for (const scope of ['write', 'mcp', 'rpc']) await asks.getByRole('checkbox', { name: new RegExp(`^${scope}`) }).uncheck();
    await asks.getByLabel('Ends').selectOption('In a week');
    await asks.getByRole('button', { name: 'Create key' }).click();
    await inspector(page).getByText('wall display').waitFor();
    const looks = await inspector(page).getByRole('region', { name: 'Key', exact: true }).locator('output').innerText();
    assert.deepEqual((await me(looks)).scopes, ['read']);
    assert.equal(await refusal('session_open', { agent_id: 'curlew', workspace_id: desk.nexus }, looks), 'PERMISSION_DENIED');

    await inspector(page).getByRole('button', { name: 'Revoke wall display' }).click();
    await dialog(page, 'Revoke wall display').getByRole('button', { name: 'Revoke' }).click();
    await inspector(page).getByText('wall display', { exact: true }).waitFor({ state: 'detached' });
    assert.equal((await me(looks)).status, 401);
    assert.equal((await me(key)).status, 200);
  });

  test('an agent is edited, deactivated, activated, and deleted by its name', async (t) => {
    const godwit = await newAgent('godwit');
    const page = await visit(t, '/agents?q=godwit&see=agent:godwit');
    await inspector(page).getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Display name').fill('The one with the long beak');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /The one with the long beak/ }).waitFor();

    await inspector(page).getByRole('button', { name: 'Deactivate' }).click();
    await dialog(page, 'Deactivate godwit').getByRole('button', { name: 'Deactivate' }).click();
    await inspector(page).getByText('Inactive: its keys open nothing').waitFor();
    assert.notEqual((await me(godwit.api_key)).status, 200);
    await inspector(page).getByRole('button', { name: 'Activate' }).click();
    await inspector(page).getByRole('button', { name: 'Deactivate' }).waitFor();
    assert.equal((await me(godwit.api_key)).status, 200);

    await inspector(page).getByRole('button', { name: 'Delete' }).click();
    const asks = dialog(page, 'Delete godwit');
    const really = asks.getByRole('button', { name: 'Delete agent' });
    await asks.getByLabel('Type godwit to go on').fill('godwi');
    assert.ok(await really.isDisabled());
    await asks.getByLabel('Type godwit to go on').fill('godwit');
    await really.click();
    await inspector(page).waitFor({ state: 'detached' });
    await page.getByText('No agent fits').waitFor();
    assert.equal((await me(godwit.api_key)).status, 401);
  });

  test('a preset is made, holds for who has it, is kept while in use, and goes', async (t) => {
    const page = await visit(t, '/agents?tab=presets');
    await page.getByRole('button', { name: 'Create preset' }).click();
    const form = dialog(page, 'Create preset');
    await form.getByLabel('Name', { exact: true }).fill('Quiet');
    await form.getByLabel('What it is for').fill('Says nothing');
    await form.getByRole('checkbox', { name: /^Write to many/ }).uncheck();
    await form.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('row', { name: /Quiet/ }).waitFor();
    const preset = (await call('preset_list')).items.find(({ name }) => name === 'Quiet');
    assert.equal(preset.flags.messages.send_broadcast, false);

    const { api_key } = await newAgent('dotterel');
    await call('agent_update', { agent_id: 'dotterel', preset_id: preset.preset_id });
    const shout = { project_root: desk.nexus, from_agent_id: 'dotterel', subject: 'Hear', body: 'Hear me', target: { strategy: 'broadcast' } };
    assert.equal(await refusal('message_create', shout, api_key), 'PERMISSION_DENIED');
    await page.getByRole('button', { name: '1 agents have Quiet' }).waitFor();

    await page.getByRole('row', { name: /Quiet/ }).click();
    await dialog(page, 'Preset Quiet').getByRole('button', { name: 'Delete' }).click();
    await dialog(page, 'Delete Quiet').getByText('The hub keeps a preset while it is in use').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await call('agent_update', { agent_id: 'dotterel', preset_id: '' });
    await page.getByRole('button', { name: '0 agents have Quiet' }).waitFor();
    await page.getByRole('row', { name: /Quiet/ }).click();
    await dialog(page, 'Preset Quiet').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete preset' }).click();
    await page.getByRole('row', { name: /Quiet/ }).waitFor({ state: 'detached' });
    assert.ok(!(await call('preset_list')).items.some(({ name }) => name === 'Quiet'));
  });
});
