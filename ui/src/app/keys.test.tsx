import { render } from '@testing-library/react';
import { useMemo } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pressKey, shortcuts, useShortcuts } from './keys';

const go = vi.fn();
const open = vi.fn();
const help = vi.fn();

function Page({ extra }: { extra?: () => void }) {
  useShortcuts(
    useMemo(
      () => [
        { keys: 'g e', does: 'Events', group: 'Go to', run: go },
        { keys: 'mod k', does: 'Search', group: 'Anywhere', run: open },
        { keys: '?', does: 'Keyboard', group: 'Anywhere', run: help },
        ...(extra ? [{ keys: '?', does: 'Other', group: 'Page', run: extra }] : []),
      ],
      [extra],
    ),
  );
  return (
    <>
      <input aria-label="field" />
      <input type="checkbox" />
    </>
  );
}

function press(key: string, more: KeyboardEventInit = {}, target: Element = document.body) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
}

beforeEach(() => {
  vi.useFakeTimers();
  for (const fn of [go, open, help]) fn.mockClear();
  addEventListener('keydown', pressKey);
});

afterEach(() => {
  vi.runAllTimers(); // forget what was begun
  vi.useRealTimers();
  removeEventListener('keydown', pressKey);
});

test('a pair must be typed within a second', () => {
  render(<Page />);
  press('g');
  press('e');
  expect(go).toHaveBeenCalledOnce();
  press('g');
  vi.advanceTimersByTime(1_001);
  press('e');
  expect(go).toHaveBeenCalledOnce();
});

test('another key ends a pair that was begun', () => {
  render(<Page />);
  press('g');
  press('z');
  press('e');
  expect(go).not.toHaveBeenCalled();
});

test('who types is left alone, unless with the key for commands', () => {
  const { getByLabelText, getByRole } = render(<Page />);
  const field = getByLabelText('field');
  press('?', {}, field);
  expect(help).not.toHaveBeenCalled();
  expect(press('k', { ctrlKey: true }, field).defaultPrevented).toBe(true);
  expect(open).toHaveBeenCalledOnce();
  press('?', {}, getByRole('checkbox'));
  expect(help).toHaveBeenCalledOnce();
});

test('a dialog has the keyboard for itself', () => {
  render(
    <>
      <Page />
      <dialog open />
    </>,
  );
  press('?');
  expect(help).not.toHaveBeenCalled();
});

test('what was handled already, and what is typed with Alt, is nobody’s', () => {
  render(<Page />);
  press('?', { altKey: true });
  const handled = new KeyboardEvent('keydown', { key: '?', cancelable: true });
  handled.preventDefault();
  pressKey(handled);
  expect(help).not.toHaveBeenCalled();
});

test('the last one registered counts, and all are gone with their page', () => {
  const other = vi.fn();
  const { unmount } = render(<Page extra={other} />);
  press('?');
  expect(other).toHaveBeenCalledOnce();
  expect(help).not.toHaveBeenCalled();
  unmount();
  expect(shortcuts()).toEqual([]);
  expect(press('?').defaultPrevented).toBe(false);
});
