// Topics and the search, used by a person while agents write.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch } from './browser.mjs';
import { lookAt, open, startTeam } from './dashboard.mjs';

let browser;
let hub;
let team;
let stop;

before(async () => {
  [browser, { hub, team, stop }] = await Promise.all([launch(), startTeam()]);
});
after(async () => {
  await browser?.close();
  await stop?.();
});

/** A call of whoever runs the hub, or of an agent with its key. */
async function call(op, input, agent) {
  const key = team.agents.find(({ agent_id }) => agent_id === agent)?.api_key;
  const answer = await fetch(`${hub.base}/api/v1/op/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(input),
  });
  const { data, error } = await answer.json();
  if (error) throw new Error(`${op}: ${error.code}: ${error.message}`);
  return data;
}

/** An agent that has joined a topic, and can write there: await speaks(text, { reply_to }). */
async function speaker(topic_id, agent_name) {
  const { reclaim_token } = await call('topic_join', { topic_id, agent_name }, agent_name);
  return async (content_markdown, more = {}) => {
    const outbox = [{ content_markdown, ...more }];
    const { sent } = await call('sync', { topic_id, agent_name, reclaim_token, outbox, wait_seconds: 0 }, agent_name);
    return sent[0].message.message_id;
  };
}

let made = 0;
/** A topic of its own. */
const newTopic = async (name = `Topic ${++made}`) => (await call('topic_create', { name, mode: 'new' })).topic_id;

const post = (page, words) => page.getByRole('article').filter({ hasText: words });
const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });

describe('sound in both themes, on a phone and on a desk', () => {
  const topics = {
    'topic-found': () => [`topic=${team.ids['topic.release']}&post=${team.ids['topic.release.word']}&find=lapse`, 'one word for it'],
    'topic-closed': () => [`topic=${team.ids['topic.leases']}`, 'nobody writes to it any more'],
  };
  for (const [name, where] of Object.entries(topics)) {
    test(name, async (t) => {
      const [query, words] = where();
      const page = await open(t, browser, hub, `/topics?${query}`);
      await page.getByText(words).first().waitFor({ state: 'attached' });
      await lookAt(page, name);
    });
  }
});

test('a person writes, an agent answers, and nobody loads anything again', async (t) => {
  const topic = await newTopic('Where to begin');
  const heron = await speaker(topic, 'heron');
  await heron('Shall we **begin**?', { message_type: 'question' });
  const page = await open(t, browser, hub, '/topics');
  await page.getByRole('link', { name: /Where to begin/ }).click();
  await page.locator('article strong', { hasText: 'begin' }).waitFor();

  await page.getByRole('textbox', { name: 'Write a post' }).fill('Yes, *now*.');
  await page.keyboard.press('Control+Enter');
  await post(page, 'Yes, now.').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Write a post' }).inputValue(), '');
  const { messages } = await call('topic_read', { topic_id: topic });
  assert.deepEqual(messages.map(({ sender, content_markdown }) => [sender, content_markdown]), [
    ['heron', 'Shall we **begin**?'],
    ['operator', 'Yes, *now*.'],
  ]);

  await heron('On it.', { reply_to: messages[1].message_id });
  await page.getByRole('list', { name: 'Replies to #2' }).getByText('On it.').waitFor();
  await page.getByRole('link', { name: /Where to begin/ }).getByText('3 posts').waitFor();
});

test('a draft outlives the page, and an answer names its question', async (t) => {
  const topic = await newTopic();
  const question = await (await speaker(topic, 'heron'))('Which one?', { message_type: 'question' });
  const page = await open(t, browser, hub, `/topics?topic=${topic}`);
  await page.getByRole('textbox', { name: 'Write a post' }).waitFor();
  await post(page, 'Which one?').focus();
  await page.keyboard.press('r');
  await page.keyboard.type('The second');
  await page.reload();
  const field = page.getByRole('textbox', { name: 'Write a post' });
  await page.getByText('Answers heron: Which one?').waitFor();
  assert.equal(await field.inputValue(), 'The second');
  await field.press('Control+Enter');
  await page.getByRole('list', { name: 'Replies to #1' }).getByText('The second').waitFor();
  const { messages } = await call('topic_read', { topic_id: topic });
  assert.equal(messages[1].reply_to, question);
  assert.equal(messages[1].message_type, 'answer');
});

describe('a long topic', () => {
  let topic;
  const ids = [];
  before(async () => {
    topic = await newTopic('A long one');
    const say = await speaker(topic, 'hazel');
    for (let i = 1; i <= 180; i++) ids[i] = await say(`Number ${i}.\n\n${i === 7 ? 'A quokka. ' : ''}${'More words. '.repeat(i % 7)}`);
  });

  test('opens at its end and goes back without a jump', async (t) => {
    const page = await open(t, browser, hub, `/topics?topic=${topic}`);
    await post(page, 'Number 180.').waitFor();
    assert.ok(await isInView(post(page, 'Number 180.')));
    assert.equal(await post(page, 'Number 100.').count(), 0);
    const top = (locator) => locator.evaluate((element) => element.getBoundingClientRect().top);
    const box = page.getByRole('group', { name: 'Posts' }).locator('..');
    await box.evaluate((element) => (element.scrollTop = 300));
    const first = post(page, 'Number 135.');
    await first.waitFor();
    const before = await top(first);
    await post(page, 'Number 100.').waitFor({ state: 'attached' });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    assert.ok(Math.abs((await top(first)) - before) < 3, 'what was read moved while older posts were put above it');
  });

  test('a post has an address, and the way to the end is a button', async (t) => {
    const page = await open(t, browser, hub, `/topics?topic=${topic}&post=${ids[60]}`);
    await post(page, 'Number 60.').waitFor();
    assert.ok(await isInView(post(page, 'Number 60.')));
    assert.equal(await post(page, 'Number 60.').getAttribute('aria-current'), 'true');
    await page.getByRole('button', { name: 'Newest' }).click();
    await post(page, 'Number 180.').waitFor();
    await page.waitForFunction((id) => document.querySelector(`[data-row="${id}"]`).getBoundingClientRect().bottom < innerHeight, ids[180]);
  });

  test('words are found in what was not loaded', async (t) => {
    const page = await open(t, browser, hub, `/topics?topic=${topic}`);
    await post(page, 'Number 180.').waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('quokka');
    await page.getByRole('search').getByText('1 post').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1').waitFor();
    await post(page, 'Number 7.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Find in this topic' }).waitFor({ state: 'detached' });
  });

  test('what comes while one reads further up is told, and does not move anything', async (t) => {
    const page = await open(t, browser, hub, `/topics?topic=${topic}&post=${ids[158]}`);
    await post(page, 'Number 158.').waitFor();
    await post(page, 'Number 180.').waitFor({ state: 'attached' });
    const say = (text, more) => call('topic_post', { topic_id: topic, content_markdown: text, ...more });
    const heron = await speaker(topic, 'heron');
    await heron('Late to this.', { reply_to: ids[179] });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.waitForFunction(() => [...document.querySelectorAll('article')].some((one) => one.textContent.includes('Late to this.') && one.getBoundingClientRect().top < innerHeight));
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' });
    await say('The end.');
  });
});

test('deleting a post takes its replies along', async (t) => {
  const topic = await newTopic();
  const say = await speaker(topic, 'hazel');
  const root = await say('A mistake');
  const reply = await say('About the mistake', { reply_to: root });
  await say('About what was said about it', { reply_to: reply });
  await say('Something else');
  const page = await open(t, browser, hub, `/topics?topic=${topic}`);
  await post(page, 'A mistake').first().focus();
  await page.keyboard.press('x');
  await page.getByText('1 post selected').waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText('2 more posts here').waitFor();
  await page.getByRole('button', { name: 'Delete 3 posts' }).click();
  await post(page, 'mistake').first().waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('article').count(), 1);
  assert.deepEqual((await call('topic_read', { topic_id: topic })).messages.map((one) => one.content_markdown), ['Something else']);
});

test('a topic is opened, renamed, exported, closed and deleted', async (t) => {
  const page = await open(t, browser, hub, '/topics');
  await page.getByRole('button', { name: 'Open a new topic' }).click();
  await page.getByLabel('Name', { exact: true }).fill('For a while');
  await page.getByLabel('Workspace', { exact: true }).selectOption('infra');
  await page.getByRole('button', { name: 'Open the topic' }).click();
  await page.getByRole('heading', { name: 'For a while' }).waitFor();
  const more = async (item) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await more('Rename…');
  await page.getByLabel('Name', { exact: true }).fill('For a day');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('heading', { name: 'For a day' }).waitFor();

  const [download] = await Promise.all([page.waitForEvent('download'), more('Export as Markdown')]);
  assert.equal(download.suggestedFilename(), 'For-a-day.md');

  await more('Close…');
  await page.getByLabel('Reason').fill('It is evening');
  await page.getByRole('button', { name: 'Close the topic' }).click();
  await page.getByText('It is evening. It can be read').waitFor();

  await more('Delete…');
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete the topic' });
  assert.ok(await remove.isDisabled());
  await page.getByLabel('Type the name of the topic').fill('For a day');
  await remove.click();
  await page.getByRole('heading', { name: 'Choose a topic' }).waitFor();
  await page.getByRole('link', { name: /For a day/ }).waitFor({ state: 'detached' });
});

test('the search finds a post and leads to its place', async (t) => {
  const topic = await newTopic('Weather');
  const say = await speaker(topic, 'lark');
  for (let i = 0; i < 40; i++) await say(`Nothing to see, ${i}`);
  await say('The **barometer** falls');
  for (let i = 0; i < 40; i++) await say(`Still nothing, ${i}`);
  const page = await open(t, browser, hub, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('barometer');
  const hit = page.getByRole('link', { name: /barometer/ });
  await hit.waitFor();
  assert.equal(await hit.locator('mark').first().innerText(), 'barometer');
  await page.getByRole('searchbox').press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/topics\?.*post=/);
  await post(page, 'barometer').waitFor();
  assert.ok(await isInView(post(page, 'barometer')));
});

test('conditions by hand and by keyboard are the same address', async (t) => {
  const page = await open(t, browser, hub, '/search?q=lease');
  await page.getByRole('link', { name: /lease/i }).first().waitFor();
  await page.getByRole('button', { name: 'Kind' }).click();
  await page.getByRole('menuitem', { name: 'Hand-off' }).click();
  await page.waitForURL(/q=lease\+type%3Ahandoff/);
  await page.getByRole('link', { name: /Hand-off/ }).first().waitFor();
  await page.getByRole('link', { name: /Message ·/ }).first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Take away type/ }).click();
  await page.waitForURL(/q=lease$/);
  await page.getByRole('list', { name: 'Found' }).getByRole('link').filter({ hasText: 'Message' }).first().click();
  await page.waitForURL(/see=message/);
  await page.getByText('Raw JSON').waitFor();
});

test('the palette knows topics and what was written', async (t) => {
  const page = await open(t, browser, hub, '/');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('halos');
  await page.getByRole('option', { name: /Contrast, halos and print/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/topics\?topic=/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('collation');
  await page.getByRole('option', { name: /Search all that was written/ }).waitFor();
  await page.getByRole('option', { name: /flint/ }).first().waitFor();
});
