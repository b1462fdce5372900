// Graph: the mesh and the list have the same agents; the legend filters; the inspector is as wide as one wants.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, inspector, visit } from './desk.mjs';

const mesh = (page) => page.getByRole('application');
const drawn = async (page) => {
  await mesh(page).locator('canvas').first().waitFor();
  await page.getByText(/^Placing \d+ agents/).waitFor({ state: 'detached' });
};
const shownIn = async (page) => Number(/^Graph of (\d+) agents/.exec(await mesh(page).getAttribute('aria-label'))[1]);
const separator = (page) => page.getByRole('separator', { name: 'Width of the inspector' });
const width = async (page) => (await inspector(page).boundingBox()).width;

describe('graph', () => {
  test('the mesh is drawn, the legend filters it, and both are an address', async (t) => {
    const page = await visit(t, '/graph');
    await drawn(page);
    const everybody = await shownIn(page);
    const people = page.getByRole('button', { name: /^Person/ });
    const count = Number((await people.innerText()).match(/\d+/)[0]);
    assert.ok(count > 0);
    await people.click();
    await page.waitForURL(/hide=person/);
    assert.equal(await people.getAttribute('aria-pressed'), 'false');
    assert.equal(await shownIn(page), everybody - count);
    await page.reload();
    await drawn(page);
    assert.equal(await shownIn(page), everybody - count);
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.waitForURL((url) => !url.search);
    assert.equal(await shownIn(page), everybody);
  });

  test('the search brings an agent to the middle, where a press opens it', async (t) => {
    const page = await visit(t, '/graph');
    await drawn(page);
    await page.keyboard.press('/');
    await page.keyboard.type('cobalt');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: /^cobalt, Present, lead/ }).waitFor({ state: 'attached' });
    const { x, y, width, height } = await mesh(page).boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.waitForURL(/see=agent%3Acobalt/);
    await inspector(page).getByRole('heading', { name: 'cobalt' }).waitFor();
  });

  test('the arrows go from agent to agent, and Enter opens one', async (t) => {
    const page = await visit(t, '/graph');
    await drawn(page);
    await mesh(page).focus();
    await page.keyboard.press('ArrowRight');
    const said = page.getByRole('status').filter({ hasText: /, (Present|Stale|Offline), / });
    await said.waitFor({ state: 'attached' });
    const [name] = (await said.textContent()).split(',');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('see') === `agent:${name}`);
  });

  test('the list has everybody who is in the mesh, and its numbers lead to what they count', async (t) => {
    const page = await visit(t, '/graph');
    await drawn(page);
    const everybody = await shownIn(page);
    await page.keyboard.press('v');
    await page.waitForURL(/view=list/);
    const names = page.getByRole('grid', { name: 'Agents' });
    await names.getByRole('row', { name: /cobalt/ }).waitFor();
    assert.equal(Number(await names.getAttribute('aria-rowcount')) - 1, everybody);
    const { nodes } = await call('observe_graph', { window_hours: 24 });
    assert.equal(nodes.length, everybody);
    await names.getByRole('row', { name: /^heron/ }).getByRole('button', { name: /sent/ }).click();
    await page.waitForURL(/\/messages\?from=heron/);
    await page.getByRole('row').nth(1).waitFor();
  });

  test('the inspector takes the width it is given, by key and by hand, and keeps it', async (t) => {
    const page = await visit(t, '/graph?view=list&see=agent:cobalt');
    await inspector(page).getByText('Raw JSON').waitFor();
    const usual = await width(page);
    await separator(page).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await width(page), usual + 40);
    assert.equal(await separator(page).getAttribute('aria-valuenow'), String(usual + 40));
    const box = await separator(page).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 60, box.y + 310, { steps: 3 });
    await page.mouse.up();
    await page.mouse.move(box.x - 300, box.y + 310); // let go: nothing follows the pointer
    assert.equal(await width(page), usual + 100);
    await page.reload();
    await inspector(page).getByText('Raw JSON').waitFor();
    assert.equal(await width(page), usual + 100);
  });
});
