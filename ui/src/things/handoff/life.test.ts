import { expect, test } from 'vitest';
import { type HandoffEvent, holdsOf, sinceOf, stepsOf } from './life';

/** An event in the given minute. */
function at(minute: number, what: string, actor: string | null, payload: object = {}): HandoffEvent {
  const created_at = new Date(Date.UTC(2026, 4, 20, 10, minute)).toISOString();
  return {
    event_id: minute,
    workspace_id: 'w1',
    stream: 'handoff',
    type: `handoff.${what}`,
    created_at,
    actor_agent_id: actor,
    payload,
    trace_id: null,
  };
}

const lapsed = { status: 'OPEN', previous_claimed_by: 'flint' };
const life = [
  at(0, 'created', 'ines', { target: { strategy: 'capability', capability: 'go' } }),
  at(5, 'claimed', 'flint', { claimed_by: 'flint', attempt: 1 }),
  at(20, 'expired', null, lapsed),
  at(25, 'claimed', 'cobalt', { claimed_by: 'cobalt', attempt: 2 }),
  at(30, 'renewed', 'cobalt', { claimed_by: 'cobalt' }),
  at(35, 'renewed', 'cobalt', { claimed_by: 'cobalt' }),
  at(40, 'verifying', 'cobalt', { claimed_by: 'cobalt' }),
];
const minute = (n: number) => Date.UTC(2026, 4, 20, 10, n);

test('the history in words, newest first', () => {
  expect(stepsOf(life).map(({ what, why }) => (why ? `${what}: ${why}` : what))).toEqual([
    'cobalt asked to verify',
    'cobalt extended the lease 2 times',
    'cobalt claimed it: Attempt 2',
    'Lease lapsed, back to the pool: flint brought no result',
    'flint claimed it',
    'ines opened it for capability go',
  ]);
});

test.each([
  [[...life, at(45, 'completed', 'ines')], 'ines accepted it'],
  [[life[0]!, life[1]!, at(6, 'completed', 'flint')], 'flint completed it'],
  [[...life, at(45, 'sent_back', 'ines', { feedback: 'No test' })], 'ines sent it back'],
  [[life[0]!, at(6, 'expired', null, { status: 'EXPIRED' })], 'Expired: its time is over'],
  [[life[0]!, at(6, 'parked', null, { previous_claimed_by: 'flint' })], 'Parked: too many gave it up'],
  [[life[0]!, at(6, 'cancelled', '', { reason: 'no use' })], 'Somebody cancelled it'],
  [[life[0]!, at(6, 'invented', 'x')], 'handoff.invented'],
])('an end in words', (events, words) => {
  expect(stepsOf(events)[0]!.what).toBe(words);
});

test('who had it how long, until now', () => {
  expect(holdsOf(life, 'ines', minute(46)).map(({ who, verifying, seconds }) => [who, verifying, seconds / 60])).toEqual([
    [null, false, 5],
    ['flint', false, 15],
    [null, false, 5],
    ['cobalt', false, 15],
    ['ines', true, 6],
  ]);
});

test('time stands still when it has ended', () => {
  const ended = [...life, at(45, 'completed', 'ines')];
  expect(holdsOf(ended, 'ines', minute(59)).at(-1)).toEqual({ who: 'ines', verifying: true, seconds: 300 });
  const again = [life[0]!, at(5, 'rejected', 'flint'), at(10, 'requeued', 'operator')];
  expect(holdsOf(again, null, minute(12))).toEqual([{ who: null, verifying: false, seconds: 720 }]);
  expect(holdsOf([], null, minute(0))).toEqual([]);
});

test('a clock that is behind gives no negative time', () => {
  expect(holdsOf([life[6]!], null, minute(0))[0]!.seconds).toBe(0);
});

test('a state lasts since the last change, not since the last renewal', () => {
  expect(sinceOf(life.slice(0, 6), 'x')).toBe(life[3]!.created_at);
  expect(sinceOf([], '2026-05-20T10:00:00Z')).toBe('2026-05-20T10:00:00Z');
});
