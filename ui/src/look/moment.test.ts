import { expect, test } from 'vitest';
import { countdown, dayName, span } from './moment';

test('a span is one number and one unit', () => {
  expect([0, 4.9, 59, 60, 3599, 3600, 86_399, 86_400, 604_800].map(span)).toEqual([
    '0 s',
    '4 s',
    '59 s',
    '1 m',
    '59 m',
    '1 h',
    '23 h',
    '1 d',
    '1 w',
  ]);
  expect(span(-5)).toBe('0 s'); // a clock that is behind
});

test('a countdown has seconds while they matter', () => {
  expect([-1, 0, 48, 305, 3600].map(countdown)).toEqual(['0:00', '0:00', '0:48', '5:05', '1 h']);
});

test('days have names while they are near', () => {
  const now = new Date(2026, 4, 20, 12).getTime();
  expect(dayName(new Date(2026, 4, 20, 1).toISOString(), now)).toBe('Today');
  expect(dayName(new Date(2026, 4, 19, 23).toISOString(), now)).toBe('Yesterday');
  expect(dayName(new Date(2026, 4, 1).toISOString(), now)).toMatch(/2026/);
});
