import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { held, refusal, show, stubHub } from '@/testing/hub';
import { CreateAgent } from '.';

const hub = {
  preset_list: { items: [{ preset_id: 'builtin:worker', name: 'worker', description: 'Takes work.' }] as never },
  observe_workspaces: { items: [] },
  observe_graph: { nodes: [] },
  agent_create: { agent_id: 'wren', api_key: 'nxs_once' },
  connect: { items: [] },
};

beforeEach(() => localStorage.clear());

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('what was filled in is sent, and nothing that was left blank', async () => {
  const asked = stubHub(hub);
  show(<CreateAgent onClose={() => {}} />, '/agents');
  type('Name', ' wren ');
  type('Can do', 'go, sql');
  fireEvent.click(await screen.findByRole('radio', { name: /worker/ }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'rpc' }));
  press('Create agent');
  await waitFor(() => screen.getByText('nxs_once'));
  expect(asked.of('agent_create')[0]).toEqual({
    agent_id: 'wren',
    capabilities: ['go', 'sql'],
    preset_id: 'builtin:worker',
    scopes: ['read', 'write', 'mcp'],
  });
});

test('the key is in sight and nowhere else; leaving without it takes two steps', async () => {
  stubHub(hub);
  const onClose = vi.fn();
  show(<CreateAgent onClose={onClose} />, '/agents');
  type('Name', 'wren');
  press('Create agent');
  await waitFor(() => screen.getByText('nxs_once'));
  expect(held()).not.toContain('nxs_once');
  press('Done');
  expect(onClose).not.toHaveBeenCalled();
  press('Leave without it');
  expect(onClose).toHaveBeenCalled();
  expect(location.search).toContain('see=agent%3Awren');
});

test('what was typed survives a refusal and a closed dialog', async () => {
  stubHub({ ...hub, agent_create: refusal('CONFLICT', 'There is an agent "wren" already.') });
  const { unmount } = show(<CreateAgent onClose={() => {}} />, '/agents');
  type('Name', 'wren');
  press('Create agent');
  await waitFor(() => screen.getByText(/already/));
  unmount();
  show(<CreateAgent onClose={() => {}} />, '/agents');
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'wren');
  press('Cancel');
  expect(JSON.stringify(localStorage)).not.toContain('wren');
});
