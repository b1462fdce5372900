import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Bar, Lease } from '.';

const now = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

const meter = () => screen.getByRole('meter', { name: 'Lease left' });

test('a lease is a bar of what is left, and words', () => {
  render(<Lease from={at(-100)} until={at(300)} />);
  expect(meter().getAttribute('aria-valuenow')).toBe('75');
  expect(screen.getByText('5:00 left')).toBeTruthy();
});

test('it empties as time goes by, and turns when it is short', () => {
  render(<Lease from={at(-40)} until={at(62)} />);
  expect(screen.getByText('1:02 left').className).not.toContain('warn');
  act(() => void vi.advanceTimersByTime(14_000));
  expect(screen.getByText('0:48 left').className).toContain('warn');
  expect(meter().getAttribute('aria-valuenow')).toBe('47');
});

test.each([
  ['over', -500, -1, '0', 'lapsed'],
  ['longer than it should be, by a clock that is behind', 10, 20, '100', '0:20 left'],
  ['of no length', 0, 0, '0', 'lapsed'],
])('one that is %s', (_, from, until, value, words) => {
  render(<Lease from={at(from)} until={at(until)} />);
  expect(meter().getAttribute('aria-valuenow')).toBe(value);
  expect(screen.getByText(words)).toBeTruthy();
});

test('a bar without a name is only a picture', () => {
  const { container } = render(<Bar part={0.5} />);
  expect(screen.queryByRole('meter')).toBeNull();
  expect(container.firstElementChild?.getAttribute('aria-hidden')).toBe('true');
});
