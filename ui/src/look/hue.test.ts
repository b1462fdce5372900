import { expect, test } from 'vitest';
import { hue, letters } from './hue';

test('a hue is FNV-1a in 24 steps', () => {
  expect(hue('')).toBe((0x811c9dc5 % 24) * 15);
  expect(hue('a')).toBe((0xe40c292c % 24) * 15);
  expect(hue('cobalt')).toBe(hue('cobalt'));
});

test('letters of one word, of several, of none', () => {
  expect(letters('cobalt')).toBe('Co');
  expect(letters('red-squirrel')).toBe('Rs');
  expect(letters('é')).toBe('É');
  expect(letters('--')).toBe('--');
});
