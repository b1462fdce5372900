import { beforeEach, expect, test, vi } from 'vitest';
import { remember, remembered } from './remember';

beforeEach(() => localStorage.clear());

test('texts are kept as they are, the rest as JSON', () => {
  remember('draft', '{"not": json');
  remember('inspector', 420);
  remember('folded', { a: true });
  expect(remembered('draft', '')).toBe('{"not": json');
  expect(remembered('inspector', 360)).toBe(420);
  expect(remembered('folded', {})).toEqual({ a: true });
  expect(localStorage.getItem('nexus.draft')).toBe('{"not": json');
});

test('nothing kept is the usual, and what is blank is forgotten', () => {
  expect(remembered('width', 360)).toBe(360);
  for (const blank of ['', null, undefined]) {
    remember('draft', 'words');
    remember('draft', blank);
    expect(localStorage.getItem('nexus.draft')).toBeNull();
  }
});

test('zero and no are kept', () => {
  remember('zero', 0);
  remember('no', false);
  expect(remembered('zero', 5)).toBe(0);
  expect(remembered('no', true)).toBe(false);
});

test('what cannot be read is the usual', () => {
  localStorage.setItem('nexus.width', 'wide');
  expect(remembered('width', 360)).toBe(360);
});

test('a browser that keeps nothing does not break the page', () => {
  const refuses = () => {
    throw new DOMException('full, or forbidden', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: refuses, setItem: refuses, removeItem: refuses });
  expect(() => remember('draft', 'words')).not.toThrow();
  expect(remembered('draft', 'usual')).toBe('usual');
  vi.unstubAllGlobals();
});
