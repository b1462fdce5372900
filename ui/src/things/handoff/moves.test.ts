import { expect, test } from 'vitest';
import { stubHub } from '@/testing/hub';
import { handoffMoves, moveHandoff } from './moves';
import { sample } from './sample';

test.each([
  ['OPEN', ['CANCELLED']],
  ['CLAIMED', ['CANCELLED']],
  ['VERIFYING', ['COMPLETED', 'CLAIMED', 'CANCELLED']],
  ['PARKED', ['OPEN', 'CANCELLED']],
  ['REJECTED', ['OPEN']],
  ['EXPIRED', ['OPEN']],
  ['COMPLETED', []],
  ['CANCELLED', []],
])('from %s a person may bring it to %j', (status, to) => {
  expect(handoffMoves(sample({ status })).map((move) => move.to)).toEqual(to);
});

test('what ends something asks first, and says what is lost', () => {
  const [cancel] = handoffMoves(sample({ status: 'CLAIMED', claimed_by: 'cobalt' }));
  expect(cancel!.ask!.says).toContain('cobalt is working on it');
  const [requeue] = handoffMoves(sample({ status: 'PARKED' }));
  expect(requeue!.ask).toBeUndefined();
});

test('each move is a call in the operator’s name', async () => {
  const asked = stubHub();
  const verifying = sample({ status: 'VERIFYING', claimed_by: 'cobalt' });
  const [accept, sendBack, cancel] = handoffMoves(verifying);
  await moveHandoff(verifying, accept!, '  ');
  await moveHandoff(verifying, sendBack!, 'the test is missing\n');
  await moveHandoff(verifying, cancel!, '');
  await moveHandoff(sample({ status: 'EXPIRED' }), handoffMoves(sample({ status: 'EXPIRED' }))[0]!, '');
  const work = { project_root: 'w1', handoff_id: 'hof_1', agent_id: 'operator' };
  expect(asked.all).toEqual([
    ['handoff_verify', { ...work, verdict: 'accept' }],
    ['handoff_verify', { ...work, verdict: 'reject', feedback: 'the test is missing' }],
    ['admin_cancel_handoff', { handoff_id: 'hof_1', workspace: 'w1' }],
    ['handoff_requeue', work],
  ]);
});
