// Conversations: a person writes to agents, and they answer.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, desk, newAgent, visit } from './desk.mjs';

const field = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const to = (page) => page.getByRole('combobox', { name: /^To:/ });
const said = (page, words) => page.getByRole('article').filter({ hasText: words });

/** Writes a new message to whoever the words find first. */
async function writeTo(page, whom, text) {
  await page.getByRole('button', { name: 'Write to somebody' }).first().click();
  await to(page).fill(whom);
  await page.getByRole('option', { name: whom }).first().waitFor();
  await to(page).press('Enter');
  await field(page).fill(text);
  await field(page).press('Control+Enter');
}

describe('conversations', () => {
  test('words for one agent reach it, its answer shows by itself, and is acknowledged because it was seen', async (t) => {
    const wren = await newAgent('wren');
    const page = await visit(t, '/conversations?peer=wren');
    await page.getByText('Nothing was said yet').waitFor();
    await field(page).fill('Shall we **start**?\n\nI am here.');
    await page.getByRole('button', { name: /^Send/ }).dblclick(); // as impatient people do
    await said(page, 'Shall we start?').waitFor();
    assert.equal(await field(page).inputValue(), '');

    const [message, ...others] = await wren.mail();
    assert.deepEqual(others, []);
    assert.equal(message.from_agent_id, 'operator');
    assert.equal(message.body, 'Shall we **start**?\n\nI am here.');
    await said(page, 'Shall we start?').getByText(/^read/i).waitFor();

    const answer = await wren.write('operator', 'Yes, at noon.', { project_root: message.workspace_id, parent_message_id: message.message_id });
    await said(page, 'Yes, at noon.').waitFor();
    await said(page, 'Yes, at noon.').getByText('replied in thread').waitFor();
    await said(page, 'Yes, at noon.').getByText('new', { exact: true }).waitFor({ state: 'detached' });
    const { deliveries } = await call('observe_message', { message_id: answer.message_id });
    assert.deepEqual(deliveries.map(({ recipient_agent_id, status }) => [recipient_agent_id, status]), [['operator', 'read']]);
  });

  for (const [whom, option, group] of [
    ['a role', 'role cartographer', 'role cartographer'],
    ['a capability', 'capability triangulation', 'capability triangulation'],
    ['everybody', 'everybody present', 'Everybody'],
  ]) {
    test(`words for ${whom} reach who is meant`, async (t) => {
      const name = `one-of-${whom.replace(' ', '-')}`;
      const agent = await newAgent(name, { role: 'cartographer', capabilities: ['triangulation'] });
      const page = await visit(t, `/conversations?ws=${desk.nexus}`);
      await writeTo(page, option, `This is for ${whom}`);
      await page.getByRole('heading', { name: group, level: 2 }).waitFor();
      await said(page, `This is for ${whom}`).waitFor();
      assert.match(page.url(), /tab=groups/);
      assert.ok((await agent.mail()).some(({ body }) => body === `This is for ${whom}`));
    });
  }

  test('an answer in a thread names what it answers, and takes a text along', async (t) => {
    const finch = await newAgent('finch');
    const question = await finch.write('operator', 'Where are the notes?');
    const page = await visit(t, '/conversations?peer=finch');
    await said(page, 'Where are the notes?').focus();
    await page.keyboard.press('r');
    await page.getByText('Answers finch: Where are the notes?').waitFor();
    await page.keyboard.type('Here they are');

    await page.getByRole('button', { name: 'Attach an artifact' }).click();
    await page.getByText('A new one').click();
    await page.getByLabel('Name', { exact: true }).fill('field-notes.md');
    await page.getByLabel('Content').fill('# Seen today\n\n- a **heron**');
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('list', { name: 'Goes along' }).getByText('field-notes.md').waitFor();
    await field(page).press('Control+Enter');
    await said(page, 'Here they are').getByText('field-notes.md').waitFor();

    const [message] = await finch.mail();
    const { parent_message_id } = await call('observe_message', { message_id: message.message_id });
    assert.equal(parent_message_id, question.message_id);
    const artifact = await call('observe_artifact', { artifact_id: message.artifacts[0] });
    assert.deepEqual([artifact.artifact_type, artifact.content], ['markdown', '# Seen today\n\n- a **heron**']);
  });

  test('what is being written outlives a reload, and waits with its own conversation', async (t) => {
    await newAgent('dunlin');
    const page = await visit(t, '/conversations?peer=dunlin');
    await field(page).fill('Half a thou');
    await page.getByText('draft kept').waitFor();
    await page.reload();
    await page.getByText('draft kept').waitFor();
    assert.equal(await field(page).inputValue(), 'Half a thou');
    await page.getByRole('link', { name: /^cobalt/ }).click();
    await page.getByRole('heading', { name: 'cobalt', level: 2 }).waitFor();
    assert.equal(await field(page).inputValue(), '');
    await page.goBack();
    await page.getByText('draft kept').waitFor();
    assert.equal(await field(page).inputValue(), 'Half a thou');
  });

  test('what the hub refuses stays in the field, with why, and can be sent when it is mended', async (t) => {
    const plover = await newAgent('plover');
    const page = await visit(t, '/conversations?peer=plover', { quietly: false });
    const long = 'far too long '.repeat(6_000);
    await field(page).fill(long);
    await field(page).press('Control+Enter');
    await page.getByRole('alert').waitFor();
    assert.equal(await field(page).inputValue(), long);
    assert.deepEqual(await plover.mail(), []);
    await field(page).fill('Short, then');
    await field(page).press('Control+Enter');
    await said(page, 'Short, then').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.deepEqual((await plover.mail()).map(({ body }) => body), ['Short, then']);
  });

  test('what could not be sent because nothing answers is sent once when something does', async (t) => {
    const { mail } = await newAgent('knot');
    const page = await visit(t, '/conversations?peer=knot', { quietly: false });
    await field(page).fill('Into the wind');
    await page.context().setOffline(true);
    await field(page).press('Control+Enter');
    await page.getByRole('alert').getByText('The hub does not answer.').waitFor();
    assert.equal(await field(page).inputValue(), 'Into the wind');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await said(page, 'Into the wind').waitFor();
    assert.deepEqual((await mail()).map(({ body }) => body), ['Into the wind']);
  });

  test('what reached nobody is told at once, and has its place', async (t) => {
    const { agent_id } = await newAgent('alone', { role: 'lamplighter' });
    const page = await visit(t, '/conversations');
    await page.getByRole('button', { name: 'Write to somebody' }).first().click();
    await to(page).fill('role lamplighter');
    await to(page).press('Enter');
    await call('agent_delete', { agent_id });
    await field(page).fill('Is anybody there?');
    await field(page).press('Control+Enter');
    await page.waitForURL(/tab=nobody/);
    await page.getByRole('navigation', { name: 'Reached nobody' }).getByText('To role lamplighter').waitFor();
    await page.getByText('Nobody matched when it was sent.').waitFor();
    const { items } = await call('observe_messages', { from_agent: 'operator', undelivered: true });
    assert.equal(items[0].subject, 'Is anybody there?');
  });

  test('as somebody else one looks and does not write, and nothing is marked as read', async (t) => {
    const page = await visit(t, '/conversations?as=ines&peer=hazel');
    await page.getByText('Only ines writes here').waitFor();
    assert.equal(await field(page).count(), 0);
    await page.getByRole('button', { name: 'Write to hazel yourself' }).click();
    await field(page).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('as'), null);
  });
});
