import { screen } from '@testing-library/react';
import user from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { session } from '@/pages/graph/sample';
import { show, stubHub } from '@/testing/hub';
import SessionThing from '.';

const hub = (...list: unknown[]) => ({ observe_sessions: { items: list, next_cursor: null } });

test('an open session can be closed', async () => {
  stubHub(hub(session('ash', 'w1')));
  show(<SessionThing id="ses_ash_w1" />);
  expect(await screen.findByText('An open session')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Close the session' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Open ash' }));
  expect(location.search).toContain('see=agent%3Aash');
});

test('one that has ended cannot', async () => {
  stubHub(hub(session('ash', 'w1', { status: 'closed', presence: 'offline', closed_at: '2026-05-20T11:00:00Z' })));
  show(<SessionThing id="ses_ash_w1" />);
  expect(await screen.findByText('Closed', { selector: 'p' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Close the session' })).toBeNull();
});

test('one that is gone is said to be', async () => {
  stubHub(hub());
  show(<SessionThing id="ses_gone" />);
  expect(await screen.findByText('Session not found')).toBeTruthy();
});
