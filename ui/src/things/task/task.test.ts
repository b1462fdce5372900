import { expect, test } from 'vitest';
import type { LogEvent } from '@/api/live';
import { stubHub } from '@/testing/hub';
import { changesOf, draftOf } from './draft';
import { stepsOf } from './History';
import { moveTask, type Task, taskMoves } from './moves';

const task: Task = {
  task_id: 'tsk_1',
  workspace_id: 'w1',
  title: 'Ship it',
  description: null,
  status: 'blocked',
  reason: 'The image is old',
  parent_id: null,
  depends_on: ['tsk_0'],
  priority: 5,
  labels: ['release'],
  assignee: 'ines',
  created_by: 'cobalt',
  created_at: '2026-05-20T10:00:00Z',
  updated_at: '2026-05-20T10:00:00Z',
};

test.each([
  ['open', ['in_progress', 'done', 'blocked', 'cancelled']],
  ['in_progress', ['done', 'open', 'blocked', 'cancelled']],
  ['blocked', ['in_progress', 'done', 'open', 'cancelled']],
  ['done', ['open']],
  ['cancelled', ['open']],
])('from %s a task may go to %j', (status, to) => {
  expect(taskMoves({ ...task, status }).map((move) => move.to)).toEqual(to);
});

test('only what blocks must have a reason', () => {
  const asks = taskMoves({ ...task, status: 'open' }).map(({ to, ask }) => [to, ask?.required]);
  expect(asks.filter(([, required]) => required)).toEqual([['blocked', true]]);
});

test('a move sends the state and the reason', async () => {
  const asked = stubHub();
  await moveTask(task, { to: 'cancelled', verb: 'Cancel', key: 'c' }, ' no use ');
  expect(asked.of('task_update')).toEqual([
    { project_root: 'w1', task_id: 'tsk_1', agent_id: 'operator', status: 'cancelled', reason: 'no use' },
  ]);
});

test('only what was changed is sent', () => {
  expect(changesOf(draftOf(task), task)).toEqual({});
  expect(changesOf({ ...draftOf(task), title: ' Ship it now ', labels: 'release,, big , release' }, task)).toEqual({
    title: 'Ship it now',
    labels: ['release', 'big'],
  });
  expect(changesOf({ ...draftOf(task), assignee: '', priority: '', dependsOn: [] }, task)).toEqual({
    assignee: '',
    priority: 0,
    depends_on: [],
  });
});

test('a task that is no longer blocked has no reason', () => {
  expect(changesOf({ ...draftOf(task), status: 'open' }, task)).toEqual({ status: 'open', reason: '' });
});

test('a new task sends what was filled in', () => {
  expect(changesOf({ ...draftOf(), workspace: 'w1', title: 'New', status: 'blocked', reason: 'x' })).toEqual({
    title: 'New',
    status: 'blocked',
    reason: 'x',
  });
});

test('the history tells changes of state from other changes', () => {
  const event = (event_id: number, status: string, reason: string | null = null, task_id = 'tsk_1') =>
    ({ event_id, actor_agent_id: 'ines', payload: { task_id, status, reason } }) as LogEvent;
  const events = [event(4, 'blocked', 'old'), event(3, 'in_progress'), event(2, 'in_progress'), event(1, 'done', null, 'tsk_2')];
  expect(stepsOf(events, 'tsk_1').map(({ what, why }) => [what, why])).toEqual([
    ['ines set it to blocked', 'old'],
    ['ines changed it', undefined],
    ['ines set it to in progress', undefined],
  ]);
});
