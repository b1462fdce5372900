import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { HubError } from '@/api/call';
import { Thing } from '.';

const usual = { kind: 'Hand-off', id: 'hof_0123456789abcdef', title: 'Lease deliveries', children: <p>evidence</p> };

beforeEach(() => history.replaceState(null, '', '/handoffs?see=handoff:x'));

test('what it is, what is known, raw, and as a command', () => {
  const data = { status: 'OPEN' };
  const { container } = render(<Thing {...usual} data={data} subtitle="for cobalt" command={['observe_handoff', { id: 'x' }]} />);
  expect(screen.getByRole('heading', { level: 2, name: 'Lease deliveries' })).toBeTruthy();
  expect(screen.getByText('for cobalt')).toBeTruthy();
  expect(screen.getByText('evidence')).toBeTruthy();
  expect(container.querySelector('pre')?.textContent).toBe('{\n  "status": "OPEN"\n}');
  expect(screen.getByRole('button', { name: 'Copy as command' })).toBeTruthy();
});

test('while it is on its way there is nothing to copy', () => {
  render(<Thing {...usual} data={undefined} command={['observe_handoff', {}]} />);
  expect(screen.getByText('Loading…')).toBeTruthy();
  expect(screen.queryByText('evidence')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Copy as command' })).toBeNull();
});

test('what is not there is no error', () => {
  render(<Thing {...usual} data={undefined} error={new HubError('NOT_FOUND', 'There is none.', 404)} />);
  expect(screen.getByText('Hand-off not found')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('what went wrong can be tried again', async () => {
  const onRetry = vi.fn();
  render(
    <Thing {...usual} data={undefined} error={new HubError('UNREACHABLE', 'The hub does not answer.', 0)} onRetry={onRetry} />,
  );
  expect(screen.getByRole('alert').textContent).toContain('The hub does not answer.');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(onRetry).toHaveBeenCalledOnce();
});

test('what was read stays when reading it again goes wrong', () => {
  render(<Thing {...usual} data={{}} error={new HubError('UNREACHABLE', 'The hub does not answer.', 0)} />);
  expect(screen.getByText('evidence')).toBeTruthy();
});

test('it closes', async () => {
  render(<Thing {...usual} data={{}} />);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(location.search).toBe('');
});
