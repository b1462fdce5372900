import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import type { Handoff } from '@/things/handoff/moves';
import { sample } from '@/things/handoff/sample';
import { HandoffBoard } from '.';

/** A board with these hand-offs on it, which the hub may change. */
function showBoard(all: Handoff[], answers: Parameters<typeof stubHub>[0] = {}, address = '/handoffs') {
  const asked = stubHub({
    observe_handoffs: ({ status }) => ({ items: all.filter((handoff) => handoff.status === status), next_cursor: null }),
    ...answers,
  });
  show(<HandoffBoard />, address);
  return asked;
}

const lane = (name: string) => screen.getByRole('region', { name });
const cardIn = (name: string, title: string) => within(lane(name)).findByRole('link', { name: title });
const article = (link: HTMLElement) => link.closest('article')!;

/** Carries a card from its place over a lane, and lets it go. */
async function drag(link: HTMLElement, to: HTMLElement) {
  const dataTransfer = { setData() {}, effectAllowed: '', dropEffect: '' };
  fireEvent.dragStart(article(link), { dataTransfer });
  await act(() => new Promise((done) => setTimeout(done)));
  fireEvent.dragOver(to, { dataTransfer });
  fireEvent.drop(to, { dataTransfer });
  fireEvent.dragEnd(article(link), { dataTransfer });
}

test('each hand-off is in the lane of its status, with who has it and what it waits for', async () => {
  const until = new Date(Date.now() + 300_000).toISOString();
  showBoard([
    sample({ handoff_id: 'a', payload: 'Free work', blocked: true, depends_on: ['x', 'y'], priority: 7 }),
    sample({ handoff_id: 'b', payload: 'Taken work', status: 'CLAIMED', claimed_by: 'cobalt', lease_expires_at: until }),
  ]);
  const free = article(await cardIn('Open', 'Free work'));
  expect(free.textContent).toContain('anyone');
  expect(free.textContent).toContain('waits for 2 others');
  expect(free.textContent).toContain('Priority 7');
  const taken = article(await cardIn('Claimed', 'Taken work'));
  expect(taken.textContent).toContain('cobalt');
  expect(within(taken).getByRole('meter', { name: 'Lease left' })).toBeTruthy();
});

test('a card that is dropped where it may go is sent there, and stays there', async () => {
  const all = [sample({ status: 'PARKED', payload: 'Stuck' })];
  const asked = showBoard(
    all,
    {
      handoff_requeue: () => {
        all[0] = { ...all[0]!, status: 'OPEN' };
        return { handoff_id: 'hof_1', status: 'OPEN' };
      },
    },
    '/handoffs?unfold=PARKED',
  );
  await drag(await cardIn('Parked', 'Stuck'), lane('Open'));
  await waitFor(() => expect(asked.of('handoff_requeue')).toHaveLength(1));
  await waitFor(async () => expect(article(await cardIn('Open', 'Stuck')).getAttribute('aria-busy')).toBeNull());
  expect(within(lane('Parked')).queryByText('Stuck')).toBeNull();
});

test('a drop that the hub refuses puts the card back and says why', async () => {
  showBoard(
    [sample({ status: 'PARKED', payload: 'Stuck' })],
    {
      handoff_requeue: refusal('INVALID_TRANSITION', 'It is CANCELLED.'),
    },
    '/handoffs?unfold=PARKED',
  );
  await drag(await cardIn('Parked', 'Stuck'), lane('Open'));
  expect((await screen.findByRole('alert')).textContent).toContain('It is CANCELLED.');
  expect(screen.getByText('“Stuck” stays where it was.')).toBeTruthy();
  expect(await cardIn('Parked', 'Stuck')).toBeTruthy();
});

test('a drop where it may not go does nothing', async () => {
  const asked = showBoard([sample({ payload: 'Free work' })]);
  await drag(await cardIn('Open', 'Free work'), lane('Completed'));
  expect(await cardIn('Open', 'Free work')).toBeTruthy();
  expect(asked.all.every(([name]) => name.startsWith('observe'))).toBe(true);
});

test('the menu has the same moves; sending back needs words', async () => {
  const user = userEvent.setup();
  const asked = showBoard(
    [sample({ status: 'VERIFYING', claimed_by: 'cobalt', payload: 'Judge me', acceptance_criteria: ['It builds'] })],
    {
      handoff_verify: () => ({ handoff_id: 'hof_1', status: 'CLAIMED' }),
    },
  );
  await cardIn('Verifying', 'Judge me');
  await user.click(screen.getByRole('button', { name: 'Actions for Judge me' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Send back…' }));
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send back' });
  expect(send.disabled).toBe(true);
  expect(screen.getByText('It builds')).toBeTruthy();
  await user.type(screen.getByLabelText('What is missing'), 'A test');
  await user.click(send);
  await waitFor(() => expect(asked.of('handoff_verify')[0]).toMatchObject({ verdict: 'reject', feedback: 'A test' }));
});

test('a question that is not answered leaves everything as it was, and keeps the words', async () => {
  const user = userEvent.setup();
  const asked = showBoard([sample({ payload: 'Free work' })]);
  await drag(await cardIn('Open', 'Free work'), screen.getByRole('button', { name: /Unfold Cancelled/ }).parentElement!);
  await user.type(await screen.findByLabelText('Why (optional)'), 'No longer wanted');
  await user.click(screen.getByRole('button', { name: 'Keep it' }));
  expect(await cardIn('Open', 'Free work')).toBeTruthy();
  expect(asked.of('admin_cancel_handoff')).toEqual([]);
  expect(localStorage.getItem('nexus.ask.CANCELLED.hof_1')).toBe('No longer wanted');
});

test('which lanes are unfolded is in the address', async () => {
  const user = userEvent.setup();
  showBoard([sample({ status: 'EXPIRED', payload: 'Late' })]);
  await user.click(await screen.findByRole('button', { name: /Unfold Expired/ }));
  expect(location.search).toBe('?unfold=EXPIRED');
  expect(await cardIn('Expired', 'Late')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Fold Expired' }));
  expect(location.search).toBe('');
});

test('a lane that has more says so and reads on', async () => {
  const user = userEvent.setup();
  const asked = showBoard([], {
    observe_handoffs: ({ status, cursor }) =>
      status !== 'COMPLETED'
        ? { items: [], next_cursor: null }
        : cursor
          ? { items: [sample({ handoff_id: 'b', status: 'COMPLETED', payload: 'Older' })], next_cursor: null }
          : { items: [sample({ handoff_id: 'a', status: 'COMPLETED', payload: 'Newer' })], next_cursor: 'c1' },
  });
  await cardIn('Completed', 'Newer');
  expect(lane('Completed').textContent).toContain('1+');
  await user.click(within(lane('Completed')).getByRole('button', { name: 'Show more' }));
  expect(await cardIn('Completed', 'Older')).toBeTruthy();
  expect(asked.of('observe_handoffs').some((input) => input.cursor === 'c1')).toBe(true);
});

test('a card leads to its inspector', async () => {
  const user = userEvent.setup();
  showBoard([sample({ payload: 'Free work' })]);
  await user.click(await cardIn('Open', 'Free work'));
  expect(location.search).toBe('?see=handoff%3Ahof_1');
});
