// Hand-offs and tasks: a person gives work out, judges it and moves it, by hand and by keyboard.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, changes, choose, desk, dialog, inspector, newAgent, visit } from './desk.mjs';

const lane = (page, name) => page.getByRole('region', { name, exact: true });
const card = (page, title) => page.getByRole('article').filter({ hasText: title });
const cardIn = (page, name, title) => lane(page, name).getByRole('article').filter({ hasText: title });

/** Waits until a card is in a lane for good, not only on its way there. */
async function arrives(page, name, title) {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await cardIn(page, name, title).and(page.locator(':not([aria-busy])')).waitFor();
}

/** Carries a card over a lane and lets it go, as a hand does: what may be done shows while it is carried. */
async function drag(page, from, to) {
  await from.hover();
  await page.mouse.down();
  const { x, y, width } = await to.boundingBox();
  await page.mouse.move(x + width / 2, y + 190, { steps: 4 });
  await page.locator('article.opacity-40').waitFor(); // it is in the hand
  await page.mouse.move(x + width / 2, y + 200, { steps: 4 });
  await page.mouse.up();
  await page.locator('article.opacity-40').waitFor({ state: 'detached' });
}

/** Work for an agent, as far as it goes without a person. */
async function handOff(agent, payload, until) {
  const { handoff_id } = await call('handoff_create', {
    project_root: desk.nexus,
    from_agent_id: 'operator',
    target: { strategy: 'direct', agent_id: agent.agent_id },
    visibility: 'public',
    payload,
    acceptance_criteria: ['It holds'],
  });
  if (until !== 'OPEN') await agent.work('handoff_claim', { handoff_id });
  if (until === 'VERIFYING') await agent.work('handoff_complete', { handoff_id, result: 'Done, it holds.' });
  return handoff_id;
}

const stateOf = async (handoff_id) => (await call('observe_handoff', { handoff_id })).status;

describe('hand-offs', () => {
  test('work is handed off with terms, an agent does it, and it is verified by drag', async (t) => {
    const rook = await newAgent('rook');
    const page = await visit(t, `/handoffs?ws=${desk.nexus}`);
    await page.getByRole('button', { name: 'Hand off' }).click();
    await page.getByLabel('What to do').fill('Mend the north fence\n\nBefore the cattle come.');
    await page.getByLabel('For', { exact: true }).selectOption('one agent');
    await page.getByLabel('Agent', { exact: true }).fill('rook');
    await page.getByText('Terms: order, time, proof').click();
    await page.getByRole('button', { name: 'Add a criterion' }).click();
    await page.getByRole('textbox', { name: /criteri/i }).last().fill('No gap is wider than a hand');
    await dialog(page, 'Hand off').getByRole('button', { name: 'Hand off', exact: true }).click();
    await page.getByRole('button', { name: 'Open it' }).click();
    await inspector(page).getByText('No gap is wider than a hand', { exact: true }).waitFor();
    const handoff_id = new URL(page.url()).searchParams.get('see').split(':')[1];
    const [{ body }] = await rook.mail();
    assert.match(body, /Mend the north fence/);

    await rook.work('handoff_claim', { handoff_id });
    const claimed = cardIn(page, 'Claimed', 'Mend the north fence');
    await claimed.getByRole('meter', { name: 'Lease left' }).waitFor();
    await claimed.getByText(/^\d+:\d\d$|^\d+ ?[ms]/).first().waitFor();
    await rook.work('handoff_complete', { handoff_id, result: 'Mended with wire.' });
    await cardIn(page, 'Verifying', 'Mend the north fence').waitFor();
    await inspector(page).getByText('Mended with wire.').first().waitFor();
    await page.keyboard.press('Escape');
    await inspector(page).waitFor({ state: 'detached' });

    await drag(page, card(page, 'Mend the north fence'), lane(page, 'Completed'));
    const asks = dialog(page, 'Accept “Mend the north fence”');
    await asks.getByText('No gap is wider than a hand').waitFor();
    await asks.getByLabel(/A word for rook/).fill('Well done');
    await asks.getByRole('button', { name: 'Accept' }).click();
    await arrives(page, 'Completed', 'Mend the north fence');
    assert.equal(await stateOf(handoff_id), 'COMPLETED');
    assert.match((await rook.mail()).map((message) => message.body).join(), /Well done/);
  });

  test('the menu of a card verifies with the keyboard alone', async (t) => {
    const handoff = await handOff(await newAgent('jackdaw'), 'Count the sheep', 'VERIFYING');
    const page = await visit(t, '/handoffs?q=sheep');
    await card(page, 'Count the sheep').getByRole('link').focus();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Verify…' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog(page, 'Accept “Count the sheep”').waitFor();
    await page.keyboard.press('Control+Enter');
    await arrives(page, 'Completed', 'Count the sheep');
    assert.equal(await stateOf(handoff), 'COMPLETED');
  });

  test('work is sent back with what is missing, and its agent has it again', async (t) => {
    const magpie = await newAgent('magpie');
    const handoff = await handOff(magpie, 'Paint the gate', 'VERIFYING');
    const page = await visit(t, `/handoffs?q=gate&see=handoff:${handoff}`);
    await inspector(page).getByRole('button', { name: 'Send back' }).click();
    const asks = dialog(page, 'Send back “Paint the gate”');
    assert.ok(await asks.getByRole('button', { name: 'Send back' }).isDisabled());
    await asks.getByLabel('What is missing').fill('The second coat');
    await asks.getByRole('button', { name: 'Send back' }).click();
    await arrives(page, 'Claimed', 'Paint the gate');
    await cardIn(page, 'Claimed', 'Paint the gate').getByRole('meter').waitFor();
    assert.equal(await stateOf(handoff), 'CLAIMED');
    assert.match((await magpie.mail()).map((message) => message.body).join(), /The second coat/);
  });

  test('a verdict that comes too late is refused, and its words are kept', async (t) => {
    const handoff_id = await handOff(await newAgent('jay'), 'Hide the acorns', 'VERIFYING');
    const page = await visit(t, `/handoffs?q=acorns&see=handoff:${handoff_id}`, { quietly: false });
    await inspector(page).getByRole('button', { name: 'Send back' }).click();
    const asks = dialog(page, 'Send back “Hide the acorns”');
    await asks.getByLabel('What is missing').fill('Deeper, please');
    await call('handoff_verify', { project_root: desk.nexus, handoff_id, agent_id: 'operator', verdict: 'accept' });
    await cardIn(page, 'Completed', 'Hide the acorns').waitFor({ state: 'attached' });
    await asks.getByRole('button', { name: 'Send back' }).click();
    await asks.getByRole('alert').waitFor();
    assert.equal(await asks.getByLabel('What is missing').inputValue(), 'Deeper, please');
    assert.equal(await stateOf(handoff_id), 'COMPLETED');
  });

  test('work is cancelled after a question, and not before', async (t) => {
    const handoff = await handOff(await newAgent('crow'), 'Dig a pond', 'CLAIMED');
    const page = await visit(t, '/handoffs?q=pond');
    await card(page, 'Dig a pond').hover();
    await choose(page, page.getByRole('button', { name: 'Actions for Dig a pond' }), 'Cancel…');
    await dialog(page, /^Cancel/).getByText('crow is working on it').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    assert.equal(await stateOf(handoff), 'CLAIMED');
    await choose(page, page.getByRole('button', { name: 'Actions for Dig a pond' }), 'Cancel…');
    await page.getByLabel('Why (optional)').fill('It rained');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: /Unfold Cancelled/ }).click();
    await arrives(page, 'Cancelled', 'Dig a pond');
    assert.equal(await stateOf(handoff), 'CANCELLED');
  });

  test('what is parked is offered again by drag', async (t) => {
    const parked = desk.team.ids['work.trim'];
    const page = await visit(t, '/handoffs?q=Trim+the+build&unfold=PARKED');
    await cardIn(page, 'Parked', 'Trim the build caches').waitFor();
    await drag(page, card(page, 'Trim the build caches'), lane(page, 'Open'));
    await arrives(page, 'Open', 'Trim the build caches');
    assert.equal(await stateOf(parked), 'OPEN');
  });

  test('a card that is let go where it may not be stays, and nothing is sent', async (t) => {
    const handoff = await handOff(await newAgent('chough'), 'Shear the ram', 'OPEN');
    const page = await visit(t, '/handoffs?q=ram');
    await cardIn(page, 'Open', 'Shear the ram').waitFor();
    const sent = changes(page);
    await drag(page, card(page, 'Shear the ram'), lane(page, 'Completed'));
    await drag(page, card(page, 'Shear the ram'), lane(page, 'Claimed'));
    await cardIn(page, 'Open', 'Shear the ram').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(sent, []);
    assert.equal(await stateOf(handoff), 'OPEN');
  });

  test('whoever is looked at can be given work', async (t) => {
    const { mail } = await newAgent('raven');
    const page = await visit(t, `/agents?ws=${desk.nexus}&see=agent:raven`);
    await inspector(page).getByRole('button', { name: 'Hand off work' }).click();
    await dialog(page, 'Hand off').getByLabel('What to do').fill('Watch the gate');
    assert.equal(await page.getByLabel('Agent', { exact: true }).inputValue(), 'raven');
    await page.keyboard.press('Control+Enter');
    await page.getByText('raven has been told.').waitFor();
    assert.match((await mail())[0].body, /Watch the gate/);
  });
});

describe('tasks', () => {
  test('a task is noted, moved by drag, blocked with a reason, and finished by its key', async (t) => {
    const page = await visit(t, `/handoffs?of=tasks&ws=${desk.nexus}`);
    await page.getByRole('button', { name: 'Note a task' }).click();
    await page.getByLabel('Title').fill('Bring in the hay');
    await page.getByLabel('Labels').fill('summer, field');
    await page.getByRole('button', { name: 'Note it' }).click();
    await inspector(page).getByRole('heading', { name: 'Bring in the hay' }).waitFor();
    const task_id = new URL(page.url()).searchParams.get('see').split(':')[1];
    const task = () => call('task_get', { project_root: desk.nexus, task_id });
    assert.deepEqual((await task()).labels, ['summer', 'field']);
    await page.keyboard.press('Escape');

    await drag(page, card(page, 'Bring in the hay'), lane(page, 'In progress'));
    await arrives(page, 'In progress', 'Bring in the hay');
    assert.equal((await task()).status, 'in_progress');

    await drag(page, card(page, 'Bring in the hay'), lane(page, 'Blocked'));
    await page.getByLabel('What it waits for').fill('Dry weather');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await arrives(page, 'Blocked', 'Bring in the hay');
    await cardIn(page, 'Blocked', 'Bring in the hay').getByText('Dry weather').waitFor();

    await cardIn(page, 'Blocked', 'Bring in the hay').click();
    await inspector(page).getByRole('button', { name: 'Finish' }).waitFor();
    await page.keyboard.press('f');
    await arrives(page, 'Done', 'Bring in the hay');
    assert.equal((await task()).status, 'done');
  });
});
