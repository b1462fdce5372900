// Where a person may bring a task: anywhere while it is not finished, and from there only back to the start.

import { call, type Item } from '@/api/call';
import type { Move } from '../moves';

export type Task = Item<'observe_tasks'>;

export const taskStatuses = ['open', 'in_progress', 'blocked', 'done', 'cancelled'] as const;

const words: Record<string, string> = {
  open: 'Open',
  in_progress: 'In progress',
  blocked: 'Blocked',
  done: 'Done',
  cancelled: 'Cancelled',
};

/** The word for a state. */
export const taskWord = (status: string) => words[status] ?? status;

/** What may be done with a task as it is now, the likeliest first. */
export function taskMoves(task: Task): Move[] {
  if (task.status === 'done' || task.status === 'cancelled') return [{ to: 'open', verb: 'Open again', key: 'o' }];
  const all: Move[] = [
    { to: 'in_progress', verb: task.status === 'blocked' ? 'Go on' : 'Start', key: 's' },
    { to: 'done', verb: 'Finish', key: 'f' },
    { to: 'open', verb: 'Put back', key: 'o' },
    {
      to: 'blocked',
      verb: 'Block',
      key: 'b',
      ask: {
        title: `Block “${task.title}”`,
        says: 'It stays where it is until somebody goes on with it.',
        label: 'What it waits for',
        required: true,
      },
    },
    {
      to: 'cancelled',
      verb: 'Cancel',
      key: 'c',
      danger: true,
      ask: {
        title: `Cancel “${task.title}”`,
        says: 'Its hand-offs go on; cancel them one by one if they are not wanted. The task can be opened again.',
        label: 'Why (optional)',
      },
    },
  ];
  return all.filter((move) => move.to !== task.status);
}

/** Carries a move out, in the operator's name. */
export function moveTask(task: Task, move: Move, text: string): Promise<unknown> {
  return call('task_update', {
    project_root: task.workspace_id,
    task_id: task.task_id,
    agent_id: 'operator',
    status: move.to,
    reason: text.trim() || undefined,
  });
}
