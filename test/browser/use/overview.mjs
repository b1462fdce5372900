// Overview: what needs a person, and where each of it leads.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { call, desk, inspector, newAgent, visit } from './desk.mjs';

const rows = (page) => page.getByRole('region', { name: /need(s)? you$/ }).getByRole('listitem');
const row = (page, words) => rows(page).filter({ hasText: words });

describe('overview', () => {
  test('each kind of need leads to what it is about', async (t) => {
    const stork = await newAgent('stork');
    const { handoff_id } = await call('handoff_create', {
      project_root: desk.nexus, from_agent_id: 'operator', target: { strategy: 'direct', agent_id: 'stork' }, visibility: 'public', payload: 'Mind the nest',
    });
    await stork.work('handoff_claim', { handoff_id, lease_seconds: 59 });
    const { items } = await call('observe_attention');
    const first = new Map(items.toReversed().map((need) => [need.kind, need]));
    for (const kind of ['lease_lapsing', 'verify', 'handoff_waiting', 'mail_parked', 'mail_unread']) assert.ok(first.has(kind), `nothing is ${kind}`);

    const page = await visit(t, '/');
    for (const { kind, title, handoff_id, message_id, agent_id } of first.values()) {
      const see = handoff_id ? `handoff:${handoff_id}` : message_id ? `message:${message_id}` : `agent:${agent_id}`;
      await row(page, title ?? agent_id).filter({ has: page.locator('[data-row]') }).first().locator('[data-row]').click();
      await page.waitForURL((url) => url.searchParams.get('see') === see, { timeout: 5_000 }).catch(() => assert.fail(`${kind} led to ${page.url()}, not ${see}`));
      await inspector(page).getByText('Raw JSON').waitFor();
    }
    await row(page, 'Webhook failing').locator('[data-row]').click();
    await page.waitForURL(/see=webhook/);
    await row(page, 'Mind the nest').getByText(/left$/).waitFor();
  });

  test('mail for a person is answered where it was asked', async (t) => {
    const swift = await newAgent('swift');
    await swift.write('operator', 'May I nest under the roof?');
    const page = await visit(t, '/');
    await page.getByRole('button', { name: /^Answer: May I nest/ }).click();
    await page.waitForURL(/\/conversations\?peer=swift/);
    await page.getByRole('article').filter({ hasText: 'May I nest under the roof?' }).waitFor();
  });

  test('parked mail is put back into its inbox, and needs nobody any more', async (t) => {
    const parked = { to_agent: 'ostler', lane: 'parked' };
    const before = await call('observe_messages', parked);
    assert.ok(before.items.length > 1);
    const page = await visit(t, '/');
    await row(page, 'Mail parked').getByRole('button', { name: /^Requeue/ }).click();
    await row(page, 'Mail parked').waitFor({ state: 'detached' });
    assert.deepEqual((await call('observe_messages', parked)).items, []);
    const waiting = await call('observe_messages', { to_agent: 'ostler', lane: 'unread' });
    for (const { message_id } of before.items) assert.ok(waiting.items.some((message) => message.message_id === message_id));
  });

  test('what happens shows at once', async (t) => {
    const page = await visit(t, '/');
    const latest = page.getByRole('region', { name: 'Latest events' }).getByRole('listitem');
    await latest.first().waitFor();
    await newAgent('hoopoe');
    await latest.filter({ hasText: 'session.opened' }).filter({ hasText: 'hoopoe' }).waitFor();
    await latest.filter({ hasText: 'agent.registered' }).filter({ hasText: 'hoopoe' }).waitFor();
    await page.getByRole('region', { name: 'Presence' }).getByRole('button', { name: /hoopoe/ }).click();
    await inspector(page).getByRole('heading', { name: 'hoopoe' }).waitFor();
  });
});
