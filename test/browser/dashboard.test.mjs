// Every page of the dashboard, opened and used, against the real binary with a team at work.

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

describe('every page is sound in both themes, on a phone and on a desk', () => {
  const pages = {
    overview: ['/', 'need you'],
    graph: ['/graph', 'Present'],
    'graph-list': ['/graph?view=list', 'cobalt'],
    conversations: ['/conversations', 'cobalt'],
    handoffs: ['/handoffs', 'Verifying'],
    'handoffs-table': ['/handoffs?view=table', 'Status'],
    tasks: ['/handoffs?of=tasks', 'Release 0.9'],
    messages: ['/messages', 'hostile'],
    events: ['/events', 'Number'],
    topics: ['/topics', 'Release 0.9'],
    artifacts: ['/artifacts', 'bench-0.9.json'],
    workspaces: ['/workspaces', 'atlas-web'],
    agents: ['/agents', 'cobalt'],
    presets: ['/agents?tab=presets', 'Alerts'],
    search: ['/search', 'Find what was written'],
    'search-found': ['/search?q=lease%20from%3Ahazel', 'Where is a lease over?'],
    settings: ['/settings', 'Retention'],
    help: ['/help', 'Keyboard'],
  };
  for (const [name, [path, words]] of Object.entries(pages)) {
    test(name, async (t) => {
      const page = await open(t, browser, hub, path);
      await page.getByText(words).first().waitFor({ state: 'attached' });
      await lookAt(page, name);
    });
  }
});

describe('every inspector is sound', () => {
  const things = {
    agent: () => 'agent:cobalt',
    message: () => `message:${team.ids.hostile}`,
    handoff: () => `handoff:${team.ids['work.leases']}`,
    task: () => `task:${team.ids['task.release']}`,
    event: () => 'event:40',
    topic: () => `topic:${team.ids['topic.release']}`,
    post: () => `post:${team.ids['topic.release']}:${team.ids['topic.release.postgres']}`,
    artifact: () => `artifact:${team.ids['artifact.notes']}`,
    webhook: () => `webhook:${team.ids['webhook.fails']}`,
    workspace: () => `workspace:${team.ids['workspace.nexus']}`,
  };
  for (const [name, see] of Object.entries(things)) {
    test(name, async (t) => {
      const page = await open(t, browser, hub, `/help?see=${encodeURIComponent(see())}`);
      await page.getByText('Raw JSON').waitFor();
      await lookAt(page, `inspect-${name}`);
      await page.keyboard.press('Escape');
      await page.getByText('Raw JSON').waitFor({ state: 'detached' });
    });
  }
});

test('a message with hostile text does nothing', async (t) => {
  const page = await open(t, browser, hub, `/conversations?as=heron&peer=sable&see=message:${team.ids.hostile}`);
  await page.getByText('hostile-marker').first().waitFor();
  assert.notEqual(await page.title(), 'hostile-ran');
  assert.equal(await page.locator('img:not([src^="/"]), iframe, object, embed').count(), 0);
  assert.equal(await page.locator('a[href^="javascript:"], a[href^="data:"]').count(), 0);
});
