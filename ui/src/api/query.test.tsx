import { onlineManager } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { Refusal, show, stubHub } from '@/stubhub';
import { useAct, useOp } from './query';

function Page() {
  const { data } = useOp('agent_entry', { agent_id: 'ash' });
  const ack = useAct('inbox_ack');
  return (
    <>
      <p>{data?.role}</p>
      <button type="button" onClick={() => ack.mutate({ agent_id: 'ash', message_ids: ['m'] })}>
        Acknowledge
      </button>
      <p role="alert">{ack.error?.message}</p>
    </>
  );
}

afterEach(() => onlineManager.setOnline(true));

test('a hub on this machine is asked also where the browser sees no network', async () => {
  onlineManager.setOnline(false);
  const asked = stubHub({ agent_entry: { role: 'builder' }, inbox_ack: new Refusal('NOT_FOUND', 'There is none.') });
  show(<Page />);
  expect(await screen.findByText('builder')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }));
  await waitFor(() => expect(asked.filter(({ name }) => name === 'inbox_ack')).toHaveLength(1));
  expect((await screen.findByText('There is none.')).textContent).toBe('There is none.');
});
