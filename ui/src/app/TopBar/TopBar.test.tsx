import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import { TopBar, workspaceName } from '.';

const items = [
  { workspace_id: 'w1aaaaaaaaaa', display_name: 'Atlas', root_realpath: '/projects/atlas-web' },
  { workspace_id: 'w2bbbbbbbbbb', display_name: null, root_realpath: '/projects/infra/' },
];

beforeEach(() => {
  stubHub({ observe_workspaces: { items } });
});

const showAt = (address: string, onSearch = () => {}) => show(<TopBar onSearch={onSearch} />, address);

test.each([
  [{ display_name: 'Atlas', root_realpath: '/p/atlas' }, 'Atlas'],
  [{ display_name: '', root_realpath: '/p/atlas' }, 'atlas'],
  [{ display_name: null, root_realpath: '/p/atlas/' }, 'atlas'],
  [{ root_realpath: '/' }, '/'],
])('%j is called %s', (workspace, name) => {
  expect(workspaceName(workspace)).toBe(name);
});

test('the title is that of the page', () => {
  showAt('/handoffs/anything');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Hand-offs');
});

test('the workspace goes by its name, or by its id while that is all there is', async () => {
  showAt('/events?ws=w2bbbbbbbbbb');
  expect(screen.getByRole('button', { name: 'Workspace: w2bbbbbb…' })).toBeTruthy();
  expect(await screen.findByRole('button', { name: 'Workspace: infra' })).toBeTruthy();
});

test('choosing a workspace narrows this page and can be undone', async () => {
  showAt('/events?type=message.created');
  const before = history.length;
  await userEvent.click(screen.getByRole('button', { name: 'Workspace: all workspaces' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Atlas' }));
  expect(location.search).toBe('?type=message.created&ws=w1aaaaaaaaaa');
  expect(history.length).toBe(before + 1);
});

test('the usual range is not in the address', async () => {
  showAt('/events?range=7d');
  await userEvent.click(screen.getByRole('button', { name: /last 7 days/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'last 24 hours' }));
  expect(location.search).toBe('');
});

test('a range that is none is the usual one', () => {
  showAt('/events?range=5y');
  expect(screen.getByRole('button', { name: /last 24 hours/ })).toBeTruthy();
});

test('search has a name where only its picture is shown', async () => {
  const onSearch = vi.fn();
  showAt('/', onSearch);
  await userEvent.click(screen.getByRole('button', { name: /^Search or run/ }));
  expect(onSearch).toHaveBeenCalledOnce();
});
