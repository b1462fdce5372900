import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import WorkspaceThing from '.';
import { took, windowOf } from './Analytics';
import { amount } from './counts';

const workspace = {
  workspace_id: 'w1',
  display_name: 'atlas',
  root_realpath: '/p/atlas-web',
  created_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: '2026-01-01T00:00:00.000Z',
  agents: 2,
  sessions: 2,
  messages: 1000,
  handoffs_open: 1,
  handoffs_claimed: 0,
  tasks_open: 3,
};

const none = { messages: 0, handoffs_created: 0, handoffs_completed: 0, sessions: 0, events: 0 };

let answers: NonNullable<Parameters<typeof stubHub>[0]>;
let asked: ReturnType<typeof stubHub>;

beforeEach(() => {
  answers = {
    observe_workspaces: { items: [workspace], counted_to: 1000, truncated: false },
    observe_analytics: {
      workspace_id: 'w1',
      buckets: [{ at: '2026-01-01T00:00:00Z', ...none }],
      totals: { ...none, messages: 36, events: 79 },
      top_senders: [
        { agent_id: 'cobalt', count: 8 },
        { agent_id: 'hazel', count: 2 },
      ],
      top_recipients: [],
      time_to_read: { count: 4, median_seconds: 0.2, p90_seconds: 65 },
      time_to_complete: { count: 0, median_seconds: null, p90_seconds: null },
      truncated: false,
    },
    observe_sessions: {
      items: [
        { session_id: 's1', agent_id: 'fern', presence: 'present', last_heartbeat_at: '2026-01-01T00:00:00Z' },
        { session_id: 's2', agent_id: 'lark', presence: 'stale', last_heartbeat_at: '2026-01-02T00:00:00Z' },
      ],
      next_cursor: null,
    },
    shared_md_render: { path: '/home/shared.md' },
    workspace_resolve: workspace,
  };
  asked = stubHub(answers);
});

function showThing(address = '/workspaces?see=workspace:w1') {
  show(<WorkspaceThing id="w1" />, address);
  return screen.findByRole('heading', { level: 2 });
}

test('numbers lead to what they count, in this workspace', async () => {
  expect((await showThing()).textContent).toBe('atlas');
  await userEvent.click(screen.getByRole('button', { name: /1,000\+\s*messages/ }));
  expect(location.pathname + location.search).toBe('/messages?ws=w1');
  await userEvent.click(screen.getByRole('button', { name: /3\s*open tasks/ }));
  expect(location.pathname + location.search).toBe('/handoffs?ws=w1&of=tasks');
});

test('everything can be narrowed to it, and back', async () => {
  await showThing();
  await userEvent.click(screen.getByRole('button', { name: 'Narrow everything to it' }));
  expect(new URLSearchParams(location.search).get('ws')).toBe('w1');
  await userEvent.click(screen.getByRole('button', { name: 'Show all workspaces again' }));
  expect(new URLSearchParams(location.search).get('ws')).toBeNull();
});

test('what happened follows the range', async () => {
  await showThing('/workspaces?range=30d');
  const messages = await screen.findByRole('link', { name: /Messages/ });
  expect(messages.getAttribute('href')).toBe('/messages?range=30d&ws=w1');
  expect(asked.of('observe_analytics')[0]).toEqual({ workspace_id: 'w1', window: '30d' });
  expect(screen.getByText('last 30 days')).toBeTruthy();
  expect(within(screen.getByRole('row', { name: /mail is read/ })).getByText('under 1 s')).toBeTruthy();
  expect(screen.queryByText('Received most')).toBeNull();
});

test('those heard of last come first', async () => {
  await showThing();
  const list = (await screen.findByText('2 open')).closest('section')!;
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([expect.stringContaining('lark'), expect.stringContaining('fern')]);
});

test('renaming keeps what was typed when the hub refuses', async () => {
  await showThing();
  answers.workspace_resolve = refusal('PERMISSION_DENIED', 'Not for this key.', { status: 403 });
  await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
  const dialog = screen.getByRole('dialog');
  const field = within(dialog).getByLabelText('Name') as HTMLInputElement;
  await userEvent.clear(field);
  await userEvent.type(field, ' Atlas ');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Rename' }));
  expect(await within(dialog).findByText(/Not for this key/)).toBeTruthy();
  expect(field.value).toBe(' Atlas ');
  answers.workspace_resolve = workspace;
  const before = asked.of('observe_workspaces').length;
  await userEvent.click(within(dialog).getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked.of('workspace_resolve').at(-1)).toEqual({ project_root: 'w1', display_name: 'Atlas' });
  expect(asked.of('observe_workspaces').length).toBeGreaterThan(before);
});

test('the log is a download, shared.md says where it is', async () => {
  await showThing();
  const log = screen.getByRole('link', { name: 'Export the log' });
  expect(log.getAttribute('href')).toBe('/api/v1/workspaces/w1/events/export');
  await userEvent.click(screen.getByRole('button', { name: 'Write shared.md' }));
  expect(await screen.findByText('/home/shared.md')).toBeTruthy();
});

test('one that is not there is not waited for', async () => {
  answers.observe_workspaces = { items: [], counted_to: 1000, truncated: false };
  expect((await showThing()).textContent).toBe('Workspace not found');
});

test('amounts, spans and windows', () => {
  expect([amount(999, 1000), amount(1000, 1000)]).toEqual(['999', '1,000+']);
  expect([took(null), took(0), took(0.9), took(61)]).toEqual(['–', 'under 1 s', 'under 1 s', '1 m']);
  expect([windowOf('1h'), windowOf('24h'), windowOf('7d')]).toEqual(['24h', '24h', '7d']);
});
