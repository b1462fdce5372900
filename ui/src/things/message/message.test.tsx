import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import MessageThing from '.';
import { sample, sampleDelivery as to } from './sample';

const broadcast = sample('m1', 'operator', '', {
  target: { strategy: 'role', role: 'reviewer' },
  deliveries: [to('heron', 'read'), to('sable'), to('flint', 'parked', { attempts: 5 })],
});

test('tells whom it was for, how far it came and who is left', async () => {
  stubHub({ observe_message: broadcast });
  show(<MessageThing id="m1" />);
  expect(await screen.findByRole('heading', { name: 'To role reviewer' })).toBeTruthy();
  expect(screen.getByText(/Reached 1 of 3/)).toBeTruthy();
  expect(screen.getByText('Queued')).toBeTruthy();
  expect(screen.getByText('Parked for flint')).toBeTruthy();
});

test('parked mail is offered again as its owner, and a refusal stays visible', async () => {
  const asked = stubHub({
    observe_message: broadcast,
    inbox_requeue: refusal('NOT_FOUND', 'None of these is parked.', { status: 404 }),
  });
  show(<MessageThing id="m1" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Requeue for flint' }));
  expect(asked.of('inbox_requeue')[0]).toEqual({ agent_id: 'flint', message_ids: ['m1'] });
  expect((await screen.findByRole('alert')).textContent).toContain('None of these is parked.');
});

test('shows the answers it got, and leads to an answer', async () => {
  stubHub({
    observe_message: broadcast,
    observe_messages: { items: [sample('m2', 'heron', 'operator', { parent_message_id: 'm1' }), sample('m3', 'x', 'y')] },
  });
  show(<MessageThing id="m1" />);
  expect(await screen.findByText('Answered once')).toBeTruthy();
  expect(screen.queryByText('About m3')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Reply' }));
  expect(location.search).toContain('reply=m1');
  expect(location.search).toContain('group=role%3Areviewer');
});

test('a message of the hub cannot be answered', async () => {
  const body = JSON.stringify({ handoff_id: 'hof_1', kind: 'handoff.completed' });
  stubHub({ observe_message: sample('m1', 'a', 'b', { provenance: { sender: 'bus', proof: 'claimed' }, body }) });
  show(<MessageThing id="m1" />);
  expect(await screen.findByRole('button', { name: 'Open' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Reply' })).toBeNull();
});
