import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import HandoffThing from '.';
import { artifactsIn } from './Evidence';
import type { Handoff } from './moves';
import { sample } from './sample';

function showThing(handoff: Handoff, more: Parameters<typeof stubHub>[0] = {}) {
  const asked = stubHub({ observe_handoff: handoff, ...more });
  show(<HandoffThing id="hof_1" />);
  return asked;
}

test('shows what is to be judged, and accepts it', async () => {
  const user = userEvent.setup();
  const asked = showThing(
    sample({
      status: 'VERIFYING',
      payload: 'Mend the race\n\nIt happens under load.',
      claimed_by: 'cobalt',
      attempt: 2,
      result: '{"tests": 200}',
      acceptance_criteria: ['No failure in 200 runs'],
      verify_by: { kind: 'creator' } as never,
    }),
  );
  expect(await screen.findByRole('heading', { name: 'Mend the race' })).toBeTruthy();
  expect(screen.getByText('attempt 2')).toBeTruthy();
  expect(screen.getByText('No failure in 200 runs')).toBeTruthy();
  expect(screen.getByText(/"tests": 200/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Verify' }));
  await user.click(screen.getByRole('button', { name: 'Accept' }));
  await waitFor(() => expect(asked.of('handoff_verify')[0]).toMatchObject({ verdict: 'accept', agent_id: 'operator' }));
});

test('a refused move is said where it was asked for', async () => {
  const user = userEvent.setup();
  showThing(sample({ status: 'EXPIRED' }), { handoff_requeue: refusal('INVALID_TRANSITION', 'It is OPEN.') });
  await user.click(await screen.findByRole('button', { name: 'Requeue' }));
  expect((await screen.findByRole('alert')).textContent).toContain('It is OPEN.');
});

test('what waits for it is named', async () => {
  showThing(sample(), {
    observe_handoffs: {
      items: [sample({ handoff_id: 'hof_2', payload: 'Later', depends_on: ['hof_1'] }), sample({ handoff_id: 'hof_3' })],
    },
  });
  expect(await screen.findByRole('button', { name: 'Later' })).toBeTruthy();
});

test('a finished one has nothing left to do', async () => {
  showThing(sample({ status: 'COMPLETED', claimed_by: 'cobalt' }));
  expect(await screen.findByRole('button', { name: 'Write to cobalt' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
});

test('artifacts are found once, wherever they are named', () => {
  const id = `art_${'0a'.repeat(16)}`;
  expect(artifactsIn([`see ${id}`, `{"artifact_id":"${id}"}`, null, 'art_short'])).toEqual([id]);
});
