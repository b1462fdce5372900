import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import { FirstCall, standing } from '.';

const made = {
  agent_id: 'wren',
  is_active: true,
  has_key: true,
  created_at: '2026-11-15T10:00:00Z',
  last_seen_at: '2026-11-15T10:00:00Z',
};

test('an agent that was never heard of waits, whatever the list of the present says', () => {
  expect(standing(made, 'offline')).toBe('waiting');
  expect(standing(made, 'present')).toBe('present');
  expect(standing({ ...made, last_seen_at: '2026-11-15T10:00:01Z' }, undefined)).toBe('offline');
  expect(standing({ ...made, has_key: false })).toBe('offline');
  expect(standing({ ...made, is_active: false }, 'present')).toBe('inactive');
});

test('it turns to present when the agent shows', async () => {
  stubHub({ agent_entry: made, observe_graph: { nodes: [] } });
  const { unmount } = show(<FirstCall agentId="wren" />);
  await waitFor(() => screen.getByText(/Waiting for its first call/));
  unmount();
  stubHub({ agent_entry: made, observe_graph: { nodes: [{ agent_id: 'wren', presence: 'present' }] as never } });
  show(<FirstCall agentId="wren" />);
  await waitFor(() => screen.getByText('Present'));
});
