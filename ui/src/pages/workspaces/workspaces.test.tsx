import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import { giveRoom } from '@/testing/room';
import Workspaces from '.';

const row = (id: string, more: object = {}) => ({
  workspace_id: id,
  display_name: null,
  root_realpath: `/projects/${id}`,
  created_at: '2026-01-01T00:00:00Z',
  last_seen_at: new Date().toISOString(),
  agents: 1,
  sessions: 1,
  messages: 12,
  handoffs_open: 0,
  handoffs_claimed: 0,
  tasks_open: 0,
  ...more,
});

beforeEach(() => giveRoom());

function showAll(items: object[], address = '/workspaces') {
  stubHub({ observe_workspaces: { items, counted_to: 1000, truncated: false } });
  show(<Workspaces />, address);
}

test('a number leads to what it counts; the rest of the row to the workspace', async () => {
  showAll([row('atlas'), row('infra', { display_name: 'Machines' })]);
  await userEvent.click(await screen.findByText('Machines'));
  expect(location.search).toBe('?see=workspace%3Ainfra');
  await userEvent.click(screen.getByRole('button', { name: 'Messages of atlas: 12' }));
  expect(location.pathname + location.search).toBe('/messages?ws=atlas');
  expect(screen.queryByRole('button', { name: /Tasks of/ })).toBeNull();
});

test('words narrow the list and stay in the address', async () => {
  showAll([row('atlas'), row('infra')]);
  await screen.findByText('atlas');
  await userEvent.type(screen.getByRole('textbox', { name: 'Name or path' }), 'PROJECTS inf');
  expect(screen.queryByText('atlas')).toBeNull();
  expect(screen.getByText('infra')).toBeTruthy();
  expect(new URLSearchParams(location.search).get('q')).toBe('PROJECTS inf');
});

test('the one that everything is narrowed to is marked', async () => {
  showAll([row('atlas'), row('infra')], '/workspaces?ws=atlas');
  expect(await screen.findAllByText('narrowed to it')).toHaveLength(1);
});

test('nothing says what appears here, and how', async () => {
  showAll([]);
  expect(await screen.findByText('No workspaces yet')).toBeTruthy();
  expect(screen.getByText(/nexus call workspace_resolve/)).toBeTruthy();
});
