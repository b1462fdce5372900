import { screen, waitFor, within } from '@testing-library/react';
import user from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import { giveRoom } from '@/testing/room';
import GraphPage from '.';
import { edge, graph, handoff, node, session } from './sample';

// The browser of these tests draws no WebGL: the page shows its list.

const answer = graph(
  [
    node('ash', { role: 'builder', inbox: { unread: 3, delivered: 1, read: 0, parked: 2 } }),
    node('birch', { presence: 'stale' }),
    node('cedar', { presence: 'offline' }),
  ],
  [edge('ash', 'birch', 12), edge('birch', 'ash', 4), edge('cedar', 'ash', 1)],
  [handoff('ash', 'CLAIMED', { claimed_by: 'birch' })],
);

beforeEach(() => giveRoom());

test('without WebGL the list is shown, and it says why', async () => {
  stubHub({ observe_graph: answer });
  show(<GraphPage />, '/graph');
  expect(screen.getByRole('status').textContent).toContain('WebGL');
  const row = await screen.findByRole('row', { name: /ash/ });
  expect(row.textContent).toContain('Present');
  expect(row.textContent).toContain('builder');
  expect(within(row).getByRole('button', { name: '12 sent' })).toBeTruthy();
  expect(within(row).getByRole('button', { name: '2 parked' })).toBeTruthy();
  expect(screen.getByRole('row', { name: /cedar/ }).textContent).toContain('Offline');
});

test('the window and the workspace of the address are asked for', async () => {
  const asked = stubHub({ observe_graph: answer, observe_sessions: { items: [session('ash', 'w1')], next_cursor: null } });
  show(<GraphPage />, '/graph?ws=w1&range=7d');
  await screen.findByRole('row', { name: /ash/ });
  expect(asked.of('observe_graph')[0]).toEqual({ workspace: 'w1', window_hours: 168 });
});

test('search narrows the list and is in the address', async () => {
  stubHub({ observe_graph: answer });
  show(<GraphPage />, '/graph');
  await screen.findByRole('row', { name: /ash/ });
  await user.type(screen.getByRole('textbox', { name: 'Find an agent' }), 'bir');
  await waitFor(() => expect(screen.queryByRole('row', { name: /cedar/ })).toBeNull());
  expect(screen.getByRole('row', { name: /birch/ })).toBeTruthy();
  expect(location.search).toBe('?q=bir');
});

test('what is struck out in the address is left out, and the legend brings it back', async () => {
  stubHub({ observe_graph: answer });
  show(<GraphPage />, '/graph?hide=stale,offline');
  await screen.findByRole('row', { name: /ash/ });
  expect(screen.queryByRole('row', { name: /birch/ })).toBeNull();
  const stale = screen.getByRole('button', { name: /Stale/ });
  expect(stale.getAttribute('aria-pressed')).toBe('false');
  await user.click(stale);
  expect(await screen.findByRole('row', { name: /birch/ })).toBeTruthy();
  expect(location.search).toBe('?hide=offline');
});

test('a number leads to what it counts, a row to the inspector', async () => {
  stubHub({ observe_graph: answer });
  show(<GraphPage />, '/graph');
  const row = await screen.findByRole('row', { name: /ash/ });
  await user.click(row);
  expect(location.search).toBe('?see=agent%3Aash');
  await user.click(within(row).getByRole('button', { name: '2 parked' }));
  expect(location.pathname + location.search).toBe('/messages?to=ash&lane=parked');
});

test('the chosen agent shows its pairs, which lead to what was written', async () => {
  stubHub({ observe_graph: answer });
  show(<GraphPage />, '/graph?see=agent:ash');
  const pairs = await screen.findByRole('grid', { name: 'Pairs of ash' });
  const row = within(pairs).getByRole('row', { name: /birch/ });
  expect(within(row).getByRole('button', { name: '12 sent' })).toBeTruthy();
  expect(within(row).getByRole('button', { name: '4 received' })).toBeTruthy();
  await user.click(row);
  expect(location.pathname + location.search).toBe('/conversations?as=ash&peer=birch');
});

test('an empty hub says what will appear and how', async () => {
  stubHub({ observe_graph: graph([]) });
  show(<GraphPage />, '/graph');
  expect(await screen.findByText('No agents yet')).toBeTruthy();
  expect(screen.getByText(/nexus call agent_register/)).toBeTruthy();
});

test('a refusal is shown, with a way to try again', async () => {
  stubHub({ observe_graph: refusal('PERMISSION_DENIED', 'This key may not look.', { status: 403 }) });
  show(<GraphPage />, '/graph');
  expect((await screen.findByRole('alert')).textContent).toContain('This key may not look.');
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});
