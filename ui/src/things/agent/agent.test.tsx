import { screen, waitFor, within } from '@testing-library/react';
import user from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { fakeHub, refusal, renderWithHub } from '@/api/fakeHub';
import type { LogEvent } from '@/api/live';
import { edge, entry, graph, handoff, node, session } from '@/pages/graph/sample';
import AgentThing from '.';
import { mayVerify } from './Counts';
import { doing } from './doings';
import { presenceSince } from './since';
import { standing } from './Work';

const items = (list: unknown[]) => ({ items: list, next_cursor: null });

const hub = {
  agent_entry: entry('ash', { role: 'builder', capabilities: { go: true }, metadata: { about: 'Builds.' } }),
  observe_graph: graph(
    [node('ash', { inbox: { unread: 3, delivered: 2, read: 9, parked: 1 } }), node('birch'), node('operator')],
    [edge('ash', 'birch', 8), edge('operator', 'ash', 2)],
  ),
  observe_sessions: items([session('ash', 'w1')]),
  observe_messages: { items: [], total: 41, total_is_estimate: false },
  observe_handoffs: ({ status }: { status: string }) =>
    items(
      {
        VERIFYING: [handoff('ash', 'VERIFYING', { claimed_by: 'birch', payload: 'Mend the sweep' })],
        COMPLETED: [handoff('birch', 'COMPLETED', { claimed_by: 'ash' }), handoff('ash', 'COMPLETED', { claimed_by: 'birch' })],
      }[status] ?? [],
    ),
};

beforeEach(() => {
  history.replaceState(null, '', '/graph?see=agent:ash');
  HTMLDialogElement.prototype.showModal ??= vi.fn();
});

test('who it is, how it stands, and what it counts', async () => {
  fakeHub(hub);
  renderWithHub(<AgentThing id="ash" />);
  expect(await screen.findByRole('heading', { name: 'ash' })).toBeTruthy();
  expect(screen.getByText('Builds.')).toBeTruthy();
  expect(await screen.findAllByRole('button', { name: '2 in flight' })).toHaveLength(2);
  expect((await screen.findAllByText('Present')).length).toBeGreaterThan(0);
  expect(screen.getByRole('button', { name: /^1\s*to verify$/ })).toBeTruthy();
  expect(await screen.findByRole('button', { name: /^1\s*completed$/ })).toBeTruthy();
  expect(await screen.findByRole('button', { name: /^41\s*sent, 24 h$/ })).toBeTruthy();
  expect(await screen.findByText('Mend the sweep')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: '1 parked' }));
  expect(location.pathname + location.search).toBe('/messages?to=ash&lane=parked');
});

test('its next steps', async () => {
  fakeHub(hub);
  renderWithHub(<AgentThing id="ash" />);
  await user.click(await screen.findByRole('button', { name: 'Hand off work' }));
  expect(location.pathname + location.search).toBe('/handoffs?new=handoff&to=ash');
  await user.click(screen.getByRole('button', { name: 'Write' }));
  expect(location.pathname + location.search).toBe('/conversations?peer=ash');
});

test('whom it talks with: the operator is spoken to directly, others are looked at', async () => {
  fakeHub(hub);
  renderWithHub(<AgentThing id="ash" />);
  await user.click(await screen.findByRole('button', { name: /birch\s*8/ }));
  expect(location.pathname + location.search).toBe('/conversations?as=ash&peer=birch');
  await user.click(screen.getByRole('button', { name: /operator\s*2/ }));
  expect(location.pathname + location.search).toBe('/conversations?peer=ash');
});

test('closing a session asks first', async () => {
  const calls = fakeHub({ ...hub, admin_close_session: { session_id: 'ses_ash_w1', status: 'closed', closed_at: null } });
  renderWithHub(<AgentThing id="ash" />);
  await user.click(await screen.findByRole('button', { name: /Close the session in/ }));
  expect(calls.some((call) => call.name === 'admin_close_session')).toBe(false);
  const dialog = screen.getByRole('dialog', { hidden: true });
  await user.click(within(dialog).getByText('Close the session', { selector: 'button' }));
  await waitFor(() =>
    expect(calls.find((call) => call.name === 'admin_close_session')?.input).toEqual({ session_id: 'ses_ash_w1' }),
  );
});

test('nobody of that name', async () => {
  fakeHub({ ...hub, agent_entry: () => refusal(404, 'NOT_FOUND', 'There is no agent.') });
  renderWithHub(<AgentThing id="nobody" />);
  expect(await screen.findByText('Agent not found')).toBeTruthy();
});

test('since when somebody is there', () => {
  const sessions = [
    session('a', 'w1', { started_at: '2026-05-20T09:00:00Z' }),
    session('a', 'w2', { started_at: '2026-05-20T08:00:00Z', last_heartbeat_at: '2026-05-20T08:30:00Z', presence: 'stale' }),
    session('a', 'w3', { status: 'closed', presence: 'offline', closed_at: '2026-05-19T08:00:00Z' }),
  ];
  expect(presenceSince('present', sessions, null)).toBe('2026-05-20T09:00:00Z');
  expect(presenceSince('stale', sessions, null)).toBe('2026-05-20T10:00:00Z');
  expect(presenceSince('offline', sessions, null)).toBe('2026-05-19T08:00:00Z');
  expect(presenceSince('offline', [], '2026-05-01T08:00:00Z')).toBe('2026-05-01T08:00:00Z');
  expect(presenceSince('present', [], null)).toBeNull();
});

test('who verifies', () => {
  const work = (verify_by: object | null) => handoff('ash', 'VERIFYING', { claimed_by: 'birch', verify_by: verify_by as never });
  expect(mayVerify(work(null), 'ash', [])).toBe(true);
  expect(mayVerify(work({ kind: 'creator' }), 'birch', [])).toBe(false);
  expect(mayVerify(work({ kind: 'agent', agent_id: 'cedar' }), 'cedar', [])).toBe(true);
  expect(mayVerify(work({ kind: 'agent', agent_id: 'cedar' }), 'ash', [])).toBe(false);
  expect(mayVerify(work({ kind: 'capability', capability: 'go' }), 'cedar', ['go'])).toBe(true);
  expect(mayVerify(work({ kind: 'capability', capability: 'go' }), 'birch', ['go'])).toBe(false);
});

test('how work stands, seen from one side', () => {
  expect(standing(handoff('ash', 'CLAIMED', { claimed_by: 'birch' }), 'birch')).toBe('Claimed, from ash');
  expect(standing(handoff('ash', 'CLAIMED', { claimed_by: 'birch' }), 'ash')).toBe('Claimed by birch');
  expect(standing(handoff('ash', 'VERIFYING', { claimed_by: 'birch' }), 'birch')).toBe('Done, waits to be verified');
  expect(standing(handoff('ash', 'OPEN'), 'ash')).toBe('Open, offered to nobody in particular');
});

test.each([
  ['message.created', { target: { strategy: 'direct', agent_id: 'birch' }, subject: 'Hello' }, 'Wrote to birch', 'Hello'],
  ['message.created', { target: null, subject: 'News' }, 'Wrote to everybody', 'News'],
  ['inbox.pulled', { message_ids: ['1'] }, 'Took a message', ''],
  ['inbox.acknowledged', { message_ids: ['1', '2'] }, 'Read 2 messages', ''],
  ['handoff.claimed', { attempt: 2, status: 'CLAIMED' }, 'Claimed a hand-off', 'Attempt 2'],
  ['handoff.completed', { result: 'Done.\nMore.' }, 'Completed a hand-off', 'Done.'],
  ['task.created', { title: 'A task' }, 'Created a task', 'A task'],
  ['something.new', {}, 'something.new', ''],
])('%s in words', (type, payload, what, why) => {
  expect(doing({ event_id: 1, type, payload } as unknown as LogEvent)).toEqual({ what, why });
});
