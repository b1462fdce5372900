// How much is in a workspace, and where each number leads.

import type { Item } from '@/api/call';
import { go, inspect } from '@/app/address';

export type Workspace = Item<'observe_workspaces'>;

export type Counted = 'agents' | 'sessions' | 'messages' | 'handoffs_open' | 'handoffs_claimed' | 'tasks_open';

/** A number that the hub stopped counting at means that many or more. */
export function amount(value: number, countedTo: number): string {
  return `${value.toLocaleString()}${value >= countedTo ? '+' : ''}`;
}

/** Goes to what a number counts. */
export function follow(what: Counted, workspace: string) {
  const ws = workspace;
  switch (what) {
    case 'agents':
      return go('/agents', { ws });
    case 'sessions':
      return inspect('workspace', workspace);
    case 'messages':
      return go('/messages', { ws });
    case 'handoffs_open':
      return go('/handoffs', { ws, view: 'table', status: 'OPEN' });
    case 'handoffs_claimed':
      return go('/handoffs', { ws, view: 'table', status: 'CLAIMED' });
    case 'tasks_open':
      return go('/handoffs', { ws, of: 'tasks' });
  }
}
