import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { RawJson } from '.';
import { JsonTree } from './Tree';

test('raw JSON is indented; what is no JSON stays as it is', () => {
  const { container, rerender } = render(<RawJson value={{ a: [1] }} open />);
  expect(container.querySelector('pre')?.textContent).toBe('{\n  "a": [\n    1\n  ]\n}');
  rerender(<RawJson value='{"a":' open />);
  expect(container.querySelector('pre')?.textContent).toBe('{"a":');
});

test('small things are open, deep and large ones are folded and not drawn', async () => {
  const large = Array.from({ length: 250 }, (_, i) => `word ${i}`);
  render(<JsonTree value={{ small: { name: 'cobalt' }, large, none: null, empty: [] }} />);
  expect(screen.getByText('"cobalt"')).toBeTruthy();
  expect(screen.getByText('null')).toBeTruthy();
  expect(screen.queryByText('"word 0"')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /large: 250 items/ }));
  expect(screen.getByText('"word 99"')).toBeTruthy();
  expect(screen.queryByText('"word 100"')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /Show 100 more of 250/ }));
  expect(screen.getByText('"word 199"')).toBeTruthy();
});

test('nesting without end costs nothing', () => {
  let deep: unknown = 'bottom';
  for (let i = 0; i < 5_000; i++) deep = [deep];
  render(<JsonTree value={deep} />);
  expect(screen.queryByText('"bottom"')).toBeNull();
  expect(screen.getAllByRole('button')).toHaveLength(3);
});
