// Ways through the dashboard: the keyboard alone, addresses, and the palette.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, desk, inspector, newAgent, visit } from './desk.mjs';

/** The name of what has the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('aria-label') || element?.textContent?.trim() || element?.tagName;
  });

describe('the keyboard alone', () => {
  test('from an empty page to a message that is sent', async (t) => {
    const siskin = await newAgent('siskin');
    const page = await visit(t, '/');
    const { keyboard } = page;
    await keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the page');
    await keyboard.press('g');
    await keyboard.press('c');
    await page.getByText('Choose a conversation').waitFor();
    await keyboard.press('n');
    await page.getByRole('combobox', { name: /^To:/ }).waitFor();
    await keyboard.type('siskin');
    await page.getByRole('option', { name: /siskin/ }).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove siskin' }).waitFor();
    for (let i = 0; i < 10 && (await focused(page)) !== 'Message'; i++) await keyboard.press('Tab');
    assert.equal(await focused(page), 'Message');
    await keyboard.type('No mouse was moved');
    await keyboard.press('Control+Enter');
    await page.waitForURL(/peer=siskin/);
    await page.getByRole('article').filter({ hasText: 'No mouse was moved' }).waitFor();
    assert.deepEqual((await siskin.mail()).map(({ body }) => body), ['No mouse was moved']);
  });

  test('a row is reached with j, opened with Enter, and left with Esc where one was', async (t) => {
    const page = await visit(t, '/messages');
    await page.getByRole('row').nth(3).waitFor();
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
    await page.keyboard.press('Enter');
    await inspector(page).getByText('Raw JSON').waitFor();
    await page.keyboard.press('Escape');
    await inspector(page).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-index')), '1');
  });

  test('a dialog keeps the focus, and gives it back', async (t) => {
    const page = await visit(t, '/handoffs');
    const button = page.getByRole('button', { name: 'Hand off' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Hand off' }).waitFor();
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(() => !!document.activeElement?.closest('dialog') || document.activeElement === document.body);
      assert.ok(inside, `the focus left the dialog: ${await focused(page)}`);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await button.evaluate((element) => element === document.activeElement), true);
  });
});

describe('addresses', () => {
  const deep = {
    'a filtered table with an inspector': () => [`/handoffs?view=table&status=VERIFYING&see=handoff:${desk.team.ids['work.halo']}`, 'Try the halo on the preview'],
    'a conversation of two others': () => ['/conversations?as=hazel&peer=heron', 'You look as hazel.'],
    'a narrowed list of messages': () => [`/messages?ws=${desk.nexus}&range=7d&from=heron&lane=read`, 'Clear'],
    'a legend with something struck out': () => ['/graph?view=list&hide=offline', 'cobalt'],
    'a section of the settings': () => ['/settings?at=webhooks', 'Addresses that are told of the log'],
    'an artifact': () => [`/artifacts?type=markdown&see=artifact:${desk.team.ids['artifact.notes']}`, 'For those who run hubs'],
  };
  test('every view is an address: opened, left, come back to, and loaded again', async (t) => {
    const page = await visit(t, '/help');
    for (const [name, where] of Object.entries(deep)) {
      const [path, words] = where();
      await page.goto(desk.hub.base + path);
      await page.getByText(words).first().waitFor();
      const address = page.url();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Help' }).click();
      await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor();
      await page.goBack();
      await page.getByText(words).first().waitFor();
      assert.equal(page.url(), address, name);
      await page.reload();
      await page.getByText(words).first().waitFor();
      assert.equal(page.url(), address, name);
    }
  });

  test('back and forward are steps of the reader', async (t) => {
    const page = await visit(t, '/agents');
    await page.getByRole('row', { name: /^cobalt/ }).click();
    await inspector(page).getByRole('heading', { name: 'cobalt' }).waitFor();
    await page.getByRole('row', { name: /^hazel/ }).click();
    await inspector(page).getByRole('heading', { name: 'hazel' }).waitFor();
    await page.goBack();
    await inspector(page).getByRole('heading', { name: 'cobalt' }).waitFor();
    await page.goBack();
    await inspector(page).waitFor({ state: 'detached' });
    await page.goForward();
    await page.goForward();
    await inspector(page).getByRole('heading', { name: 'hazel' }).waitFor();
  });

  test('an address that leads nowhere says so', async (t) => {
    const page = await visit(t, '/no/such/page', { quietly: false });
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.goto(`${desk.hub.base}/handoffs?see=handoff:hof_gone`);
    await inspector(page).getByText('Hand-off not found').waitFor();
  });
});

describe('on a phone', () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

  test('one goes from the bar to a conversation, writes, and comes back', async (t) => {
    const { mail } = await newAgent('dipper');
    const page = await visit(t, '/', phone);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Conversations$/ }).tap();
    await page.getByLabel('Type to filter').fill('dipper');
    await page.getByRole('link', { name: /^dipper/ }).tap();
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('From the train');
    await page.getByRole('button', { name: /^Send/ }).tap();
    await page.getByRole('article').filter({ hasText: 'From the train' }).tap();
    await inspector(page).getByRole('heading', { name: 'To dipper' }).waitFor();
    await inspector(page).getByRole('button', { name: 'Back' }).tap();
    await page.getByRole('button', { name: 'Back to all conversations' }).tap();
    await page.getByRole('link', { name: /^dipper/ }).getByText('You: From the train').waitFor();
    assert.deepEqual((await mail()).map(({ body }) => body), ['From the train']);
  });

  test('the rest is behind More, and work is judged by its menu', async (t) => {
    const ouzel = await newAgent('ouzel');
    const { handoff_id } = await call('handoff_create', {
      project_root: desk.nexus, from_agent_id: 'operator', target: { strategy: 'direct', agent_id: 'ouzel' }, visibility: 'public', payload: 'Ring the bell', verify_by: { kind: 'creator' },
    });
    await ouzel.work('handoff_claim', { handoff_id });
    await ouzel.work('handoff_complete', { handoff_id, result: 'It rang.' });
    const page = await visit(t, '/', phone);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Settings' }).tap();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Hand-offs$/ }).tap();
    await page.getByRole('button', { name: 'Actions for Ring the bell' }).tap();
    await page.getByRole('menuitem', { name: 'Verify…' }).tap();
    await page.getByRole('button', { name: 'Accept' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Completed' }).getByText('Ring the bell').waitFor({ state: 'attached' });
    assert.equal((await call('observe_handoff', { handoff_id })).status, 'COMPLETED');
  });
});

describe('the palette', () => {
  const finds = {
    'a page': ['artifac', 'Artifacts', /\/artifacts$/],
    'an agent': ['beacon', 'beacon', /see=agent%3Abeacon/],
    'a hand-off': ['Trim the build caches', 'Trim the build caches', /\/handoffs\?see=handoff/],
    'a topic': ['halos', 'Contrast, halos and print', /\/topics\?topic=/],
    'somebody to write to': ['write to lark', 'Conversations Write to lark', /\/conversations\?peer=lark/],
  };
  test('finds pages, agents, hand-offs, topics and people', async (t) => {
    const page = await visit(t, '/');
    for (const [words, option, address] of Object.values(finds)) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or run' }).fill(words);
      await page.getByRole('option', { name: option }).first().click();
      await page.waitForURL(address);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('finds words that were written, and runs what can be done here', async (t) => {
    const tern = await newAgent('tern');
    const { message_id } = await tern.write('operator', 'The hygrometer sticks');
    const page = await visit(t, '/handoffs');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('hygrometer');
    await page.getByRole('option', { name: /tern: The hygrometer sticks/ }).click();
    await page.waitForURL((url) => url.href.includes(message_id));
    await page.goBack();
    await page.getByRole('heading', { name: 'Hand-offs', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('note a task');
    await page.getByRole('option', { name: /^Actions Note a task/ }).and(page.locator('[aria-selected=true]')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Note a task' }).waitFor();
  });

  test('changes the theme, which stays', async (t) => {
    const page = await visit(t, '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme dark');
    await page.getByRole('option', { name: /Use the dark theme/ }).and(page.locator('[aria-selected=true]')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  });
});
