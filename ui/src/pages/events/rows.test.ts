import { expect, test } from 'vitest';
import type { LogEvent } from '@/api/live';
import { fits, rowsOf } from './rows';

const event = (event_id: number, more: Partial<LogEvent> = {}) =>
  ({
    event_id,
    type: 'message.created',
    stream: 'workspace',
    actor_agent_id: 'a',
    workspace_id: 'w',
    trace_id: null,
    ...more,
  }) as LogEvent;

const keys = (rows: ReturnType<typeof rowsOf>) => rows.map((row) => row.key);

const all = { type: [], not: [], agent: [], stream: [], trace: [] };

test('what arrived stands above what was read, nothing twice', () => {
  expect(keys(rowsOf([event(4), event(5)], [event(4), event(3)], true, false))).toEqual(['5', '4', '3']);
});

test('a hole in the whole log is a row', () => {
  expect(keys(rowsOf([], [event(9), event(5)], true, false))).toEqual(['9', 'hole 6', '5']);
  expect(keys(rowsOf([], [event(9), event(5)], false, false))).toEqual(['9', '5']);
});

test('what retention cut off is a row at the end', () => {
  expect(keys(rowsOf([], [event(9)], true, true))).toEqual(['9', 'hole 1']);
  expect(keys(rowsOf([], [event(1)], true, true))).toEqual(['1']);
});

test('conditions of one kind are alternatives, of several kinds all hold', () => {
  const wanted = { ...all, type: ['message.created', 'task.done'], agent: ['a'] };
  expect(fits(event(1), wanted, '')).toBe(true);
  expect(fits(event(1, { actor_agent_id: 'b' }), wanted, '')).toBe(false);
  expect(fits(event(1, { type: 'task.updated' }), wanted, '')).toBe(false);
});

test('not, workspace and system events', () => {
  expect(fits(event(1), { ...all, not: ['message.created'] }, '')).toBe(false);
  expect(fits(event(1, { workspace_id: null }), all, 'w')).toBe(false);
});
