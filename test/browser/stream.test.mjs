// Two browsers and a thousand others follow a hub while it is written to, and while it is killed.

import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';

import { launch, secret, startHub } from './browser.mjs';

const readers = 1000;
const messages = 300;

let hub;
let browsers = [];

before(async () => {
  [hub, ...browsers] = await Promise.all([startHub(), launch(), launch()]);
});
after(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await hub?.stop();
});

/** Sends a message, which is an event of its own. */
async function send(subject) {
  const answer = await fetch(`${hub.base}/api/v1/op/message_create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ project_root: hub.home, from_agent_id: secret, subject, body: 'b', target: { strategy: 'direct', agent_id: secret } }),
  });
  const { error } = await answer.json();
  if (error) throw new Error(`${error.code}: ${error.message}`);
}

async function sendAll(subjects) {
  for (const subject of subjects) await send(subject);
}

const subjects = (name, count) => Array.from({ length: count }, (_, i) => `${name} ${i}`);

/** A page of the hub that follows it. What it sees stays in the page. */
async function openPage(browser) {
  const page = await browser.newPage();
  await page.goto(`${hub.base}/api/v1/docs`);
  await page.evaluate(() => {
    Object.assign(window, { seen: [], numbers: [], opened: 0 });
    const stream = new EventSource('/api/v1/stream?from=end');
    stream.addEventListener('nexus', (event) => {
      const { type, payload } = JSON.parse(event.data);
      numbers.push(Number(event.lastEventId));
      if (type === 'message.created') seen.push(payload.subject);
    });
    return new Promise((open) => {
      stream.onopen = () => open(++opened);
    });
  });
  return page;
}

/** What a page has seen once it has seen this. */
async function seenBy(page, last) {
  await page.waitForFunction((last) => seen.includes(last), last, { timeout: 0 });
  return page.evaluate(() => ({ seen, numbers, opened }));
}

/** A client without a browser. It is there when the hub has greeted it, and done when it has seen what it waits for. */
function openReader(last) {
  const reader = { seen: [] };
  return new Promise((ready, fail) => {
    const request = get(`${hub.base}/api/v1/stream?from=end`, { agent: false }, (response) => {
      let rest = '';
      reader.done = new Promise((done, lost) => {
        response.on('end', () => lost(new Error(`the stream ended after ${reader.seen.length} messages`)));
        response.on('error', lost);
        response.setEncoding('utf8').on('data', (text) => {
          const frames = (rest + text).split('\n\n');
          rest = frames.pop();
          for (const frame of frames) {
            if (frame.startsWith('retry:')) ready(reader);
            if (!frame.includes('"type":"message.created"')) continue;
            reader.seen.push(/"subject":"([^"]*)"/.exec(frame)[1]);
            if (reader.seen.at(-1) === last) done();
          }
        });
      });
      reader.done.catch(() => {}); // it is looked at later
    });
    reader.close = () => request.destroy();
    request.on('error', fail);
  });
}

test('everybody who follows sees everything once and in order', async (t) => {
  const sent = subjects('before', messages);
  const pages = await Promise.all(browsers.map(openPage));
  const others = await Promise.all(Array.from({ length: readers }, () => openReader(sent.at(-1))));
  t.after(() => others.forEach((reader) => reader.close()));

  await sendAll(sent);
  await Promise.all(others.map((reader) => reader.done));
  for (const reader of others) assert.deepEqual(reader.seen, sent);
  for (const page of pages) assert.deepEqual((await seenBy(page, sent.at(-1))).seen, sent);

  // A hub that dies in the middle of a call, and one that is busy before the pages are back.
  others.forEach((reader) => reader.close());
  const cut = send('cut off').catch(() => {}); // nobody can say whether it was sent
  await hub.restart('SIGKILL');
  await cut;
  const more = subjects('after', 100);
  await sendAll(more);
  const [one, two] = await Promise.all(pages.map((page) => seenBy(page, more.at(-1))));
  assert.deepEqual(one.seen.filter((subject) => subject !== 'cut off'), [...sent, ...more]);
  assert.deepEqual(one.numbers, Array.from(one.numbers, (_, i) => one.numbers[0] + i), 'no event is missing or comes twice');
  assert.deepEqual(two, one);
  assert.ok(one.opened > 1, 'the pages never lost the hub');
});
