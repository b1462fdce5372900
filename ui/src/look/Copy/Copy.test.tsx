import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Command, CopyButton, copyText, Id, shortId } from '.';

let copied: string[];

beforeEach(() => {
  copied = [];
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('it copies the whole, and says so for a moment', async () => {
  vi.useFakeTimers();
  render(<CopyButton text="whole" label="Copy it" words />);
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy it' })));
  expect(copied).toEqual(['whole']);
  expect(screen.getByRole('button', { name: 'Copied' })).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_500));
  expect(screen.getByRole('button', { name: 'Copy it' })).toBeTruthy();
});

test('one without words keeps its name and tells those who listen', async () => {
  render(<CopyButton text="x" label="Copy it" />);
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy it' })));
  expect(screen.getByRole('status').textContent).toBe('Copied');
});

test('an id is cut in the middle and copied whole', async () => {
  const id = 'msg_01a1dec83a9c767b8667e4449f691e65';
  render(<Id id={id} />);
  expect(screen.getByTitle(id).textContent).toContain('msg_01a1…1e65');
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy msg_01a1…1e65' })));
  expect(copied).toEqual([id]);
  expect(shortId('short')).toBe('short');
});

test('a command is copied as it stands', async () => {
  render(<Command text="nexus call x y='a b'" />);
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy command' })));
  expect(copied).toEqual(["nexus call x y='a b'"]);
});

test('without a secure address it goes the old way, and leaves nothing behind', async () => {
  vi.stubGlobal('isSecureContext', false);
  let selected = '';
  document.execCommand = vi.fn(() => {
    selected = document.querySelector('textarea')?.value ?? '';
    return true;
  });
  await copyText('old way');
  expect(selected).toBe('old way');
  expect(document.querySelector('textarea')).toBeNull();
  expect(copied).toEqual([]);
});
