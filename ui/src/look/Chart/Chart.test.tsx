import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { SmallBars } from '.';

const bars = (...values: number[]) => values.map((value, i) => ({ at: new Date(2026, 0, 1, i).toISOString(), value }));
const rects = (container: HTMLElement) => [...container.querySelectorAll('rect')];
const heights = (container: HTMLElement) => rects(container).map((rect) => Number(rect.getAttribute('height')));

test('the highest fills the chart, little is seen, nothing is nothing', () => {
  const { container } = render(<SmallBars title="Messages" bars={bars(0, 1, 500, 1000)} />);
  expect(heights(container)).toEqual([0, 1.5, 20, 40]);
});

test('its numbers are words too', () => {
  render(<SmallBars title="Messages" bars={bars(1000, 178)} />);
  expect(screen.getByRole('img', { name: 'Messages: 1,178, most in one part 1,000' })).toBeTruthy();
  expect(screen.getByText('1,178')).toBeTruthy();
});

test('a total that is known better counts', () => {
  render(<SmallBars title="Read" bars={bars(1, 2)} total={7} />);
  expect(screen.getByText('7')).toBeTruthy();
});

test('the running part is dark, failures are red', () => {
  const { container, rerender } = render(<SmallBars title="Claims" bars={bars(1, 1)} />);
  expect(rects(container).map((rect) => rect.getAttribute('fill'))).toEqual(['var(--line-strong)', 'var(--text)']);
  rerender(<SmallBars title="Failures" bars={bars(1, 1)} tone="bad" />);
  expect(new Set(rects(container).map((rect) => rect.getAttribute('fill')))).toEqual(new Set(['var(--bad-mark)']));
});

test('nothing at all is drawn without harm', () => {
  const { container } = render(<SmallBars title="Messages" bars={[]} />);
  expect(heights(container)).toEqual([]);
  expect(screen.getByText('0')).toBeTruthy();
});
