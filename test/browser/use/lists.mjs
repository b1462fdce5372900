// Messages, artifacts and workspaces: found, narrowed, looked at and renamed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, desk, inspector, newAgent, visit } from './desk.mjs';

describe('messages', () => {
  test('conditions narrow what is shown, and a row leads to the conversation', async (t) => {
    const page = await visit(t, '/messages');
    await page.getByLabel('From', { exact: true }).selectOption('heron');
    await page.getByLabel('To', { exact: true }).selectOption('hazel');
    await page.waitForURL(/from=heron&to=hazel/);
    const { items } = await call('observe_messages', { from_agent: 'heron', to_agent: 'hazel' });
    await page.getByRole('grid', { name: 'Messages' }).and(page.locator(`[aria-rowcount="${items.length + 1}"]`)).waitFor();
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('see') === `message:${items[0].message_id}`);
    await inspector(page).getByRole('button', { name: 'Open conversation' }).click();
    await page.waitForURL(/\/conversations\?/);
    await page.locator(`[data-row="${items[0].message_id}"]`).waitFor();
  });

  test('words find a message, a new one comes by itself, and is answered from its inspector', async (t) => {
    const page = await visit(t, '/messages');
    await page.getByRole('row').nth(1).waitFor();
    const kite = await newAgent('kite');
    await kite.write('operator', 'The barograph is broken');
    await page.getByRole('row', { name: /The barograph is broken/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('barograph');
    await page.waitForURL(/q=barograph/);
    await page.getByRole('grid', { name: 'Messages' }).and(page.locator('[aria-rowcount="2"]')).waitFor();
    await page.getByRole('row', { name: /barograph/ }).click();
    await inspector(page).getByRole('button', { name: 'Reply' }).click();
    await page.waitForURL(/\/conversations\?peer=kite/);
    await page.getByText('Answers kite: The barograph is broken').waitFor();
  });

  test('what reached nobody can be listed', async (t) => {
    const page = await visit(t, '/messages');
    await page.getByLabel('Lane').selectOption('Reached nobody');
    await page.waitForURL(/undelivered=1/);
    await page.getByRole('row', { name: /capability fortran/ }).first().click();
    await inspector(page).getByText('Nobody matched when it was sent.').waitFor();
  });
});

describe('artifacts', () => {
  /** The inspector of an artifact that is found by its name. */
  async function look(page, name) {
    await page.getByLabel('Name, path or maker').fill(name);
    await page.getByRole('row', { name }).click();
    await inspector(page).getByText('Raw JSON').waitFor();
    return inspector(page);
  }

  test('each kind is shown as what it is', async (t) => {
    const page = await visit(t, '/artifacts');
    const notes = await look(page, 'notes-0.9-draft.md');
    await notes.getByText('For those who run hubs', { exact: true }).waitFor();
    await notes.getByText('As written').click();
    await notes.getByText('## For those who run hubs').first().waitFor();
    const bench = await look(page, 'bench-0.9.json');
    await bench.getByText('ratio_to_bare_sqlite').first().waitFor();
    const log = await look(page, 'crash-seed-4711.log');
    await log.getByText('no acknowledged write is missing').first().waitFor();
    assert.equal(await log.getByText('As written').count(), 0);
  });

  test('a picture comes from the hub, alone and to keep', async (t) => {
    const page = await visit(t, '/artifacts');
    const shown = await look(page, 'Tiles at zoom 7');
    const picture = shown.getByRole('img', { name: 'Tiles at zoom 7' });
    await picture.waitFor();
    await page.waitForFunction((img) => img.complete && img.naturalWidth === 240, await picture.elementHandle());
    const source = await picture.getAttribute('src');
    assert.equal(source, `/api/v1/artifacts/${desk.team.ids['artifact.picture']}/content`);
    const answer = await fetch(desk.hub.base + source);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    const [download] = await Promise.all([page.waitForEvent('download'), shown.getByRole('link', { name: 'Download' }).click()]);
    assert.match(download.suggestedFilename(), /\.png$|Tiles at zoom 7/);
  });

  test('only one kind, by an address', async (t) => {
    const page = await visit(t, '/artifacts');
    await page.getByRole('group', { name: 'Type' }).getByText('JSON').click();
    await page.waitForURL(/type=json/);
    await page.getByRole('row', { name: /bench-0.9.json/ }).waitFor();
    await page.getByRole('row', { name: /crash-seed/ }).waitFor({ state: 'detached' });
    const { items } = await call('observe_artifacts', { type: 'json' });
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(items.length + 1));
  });
});

describe('workspaces', () => {
  test('a workspace is looked at, renamed, and narrows everything', async (t) => {
    const { workspace_id } = await call('workspace_resolve', { project_root: desk.hub.home });
    await newAgent('wagtail', { workspace: workspace_id });
    const page = await visit(t, '/workspaces');
    const name = desk.hub.home.split('/').at(-1);
    await page.getByRole('row', { name: new RegExp(name) }).click();
    await inspector(page).getByText('How long it takes until').waitFor();
    await inspector(page).getByText('1 event in the log').or(inspector(page).getByText(/\d+ events in the log/)).waitFor();
    await inspector(page).getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('The barn');
    await page.keyboard.press('Enter');
    await inspector(page).getByRole('heading', { name: 'The barn' }).waitFor();
    await page.getByRole('row', { name: /The barn/ }).waitFor();
    const { items } = await call('observe_workspaces', { workspace: workspace_id });
    assert.equal(items[0].display_name, 'The barn');

    await inspector(page).getByRole('button', { name: 'Narrow everything to it' }).click();
    await page.getByRole('button', { name: 'Workspace: The barn' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('No messages in this time').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('ws'), workspace_id);
  });

  test('numbers follow the range, and lead to what they count', async (t) => {
    const page = await visit(t, `/workspaces?see=workspace:${desk.nexus}`);
    await inspector(page).getByText('last 24 hours').waitFor();
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('menuitem', { name: 'last 7 days' }).click();
    await inspector(page).getByText('last 7 days').waitFor();
    await inspector(page).getByRole('button', { name: /open hand-offs?$/ }).click();
    await page.waitForURL((url) => url.pathname === '/handoffs' && url.searchParams.get('ws') === desk.nexus);
    assert.equal(new URL(page.url()).searchParams.get('range'), '7d');
  });
});
