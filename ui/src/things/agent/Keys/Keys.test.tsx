import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cache } from '@/api/query';
import { held, show, stubHub, visitor } from '@/testing/hub';
import { AgentKeys } from '.';

const key = {
  key_id: 'key_1',
  agent_id: 'wren',
  name: 'laptop',
  scopes: ['read', 'workspace:w1'],
  created_at: '2026-11-15T10:00:00Z',
  expires_at: '2020-01-01T00:00:00Z',
  last_used_at: null,
};
const hub = {
  key_list: { items: [key, { ...key, key_id: 'key_2', name: 'server', expires_at: null }] },
  observe_workspaces: { items: [{ workspace_id: 'w1', display_name: 'atlas', root_realpath: '/atlas' }] as never },
  agent_regenerate_key: { agent_id: 'wren', api_key: 'nxs_new', rotated_at: '' },
  key_revoke: { agent_id: 'wren', key_id: 'key_1', revoked: true },
  connect: { items: [] },
};

test('a key shows what it is for, and that it has ended', async () => {
  stubHub(hub);
  show(<AgentKeys agentId="wren" />, '/agents');
  await waitFor(() => screen.getAllByText('read, only atlas'));
  screen.getByText(/^ended/);
  screen.getByText(/no end/);
});

test('revoking asks first', async () => {
  const asked = stubHub(hub);
  show(<AgentKeys agentId="wren" />, '/agents');
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke laptop' }));
  expect(asked.of('key_revoke')).toEqual([]);
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(asked.of('key_revoke')[0]).toEqual({ agent_id: 'wren', key_id: 'key_1' }));
});

test('rotating names what dies, then shows the key once and keeps it nowhere', async () => {
  stubHub(hub);
  const { rerender } = show(<AgentKeys agentId="wren" />, '/agents');
  fireEvent.click(await screen.findByRole('button', { name: 'Rotate all' }));
  screen.getByText(/laptop, server/);
  fireEvent.click(screen.getByRole('button', { name: 'Rotate' }));
  await waitFor(() => screen.getByText('nxs_new'));
  expect(held()).not.toContain('nxs_new');
  rerender(<AgentKeys agentId="heron" />);
  expect(screen.queryByText('nxs_new')).toBeNull();
});

test('whoever does not run the hub is told why it is closed, and nothing is asked for in vain', async () => {
  const asked = stubHub({ ...hub, me: visitor });
  await cache.prefetchQuery({ queryKey: ['me'], queryFn: async () => visitor });
  show(<AgentKeys agentId="wren" />, '/agents');
  screen.getByText('admin');
  expect(asked.of('key_list')).toEqual([]);
});

test('the operator has a key of another kind', () => {
  stubHub(hub);
  show(<AgentKeys agentId="operator" />);
  screen.getByText('cat ~/.nexus/operator.key');
});
