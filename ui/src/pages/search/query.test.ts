import { expect, test } from 'vitest';
import { operatorsOf, withOperator, without } from './query';

const read = (q: string) => operatorsOf(q).map(({ name, value }) => [name, value]);

test('operators stand anywhere, in any case, with or without quotes', () => {
  expect(read('lease FROM:hazel in:"Release 0.9" lost after:7d')).toEqual([
    ['from', 'hazel'],
    ['in', 'Release 0.9'],
    ['after', '7d'],
  ]);
});

test('what only looks like one is words', () => {
  expect(read('upfrom:x -from:y about: in: http://in:8080 from:')).toEqual([]);
});

test('a chip writes what could be typed', () => {
  expect(withOperator('lease', 'from', 'hazel')).toBe('lease from:hazel');
  expect(withOperator('', 'in', 'Release "0.9" notes')).toBe('in:"Release 0.9 notes"');
  expect(withOperator('lease from:hazel', 'from', 'hazel')).toBe('lease from:hazel');
  expect(withOperator('from:hazel', 'from', 'heron')).toBe('from:hazel from:heron');
});

test('there is one moment to begin at', () => {
  expect(withOperator('after:7d lease after:1d', 'after', '30d')).toBe('lease after:30d');
});

test('taking an operator away leaves the rest', () => {
  const q = 'lease from:hazel lost';
  expect(without(q, operatorsOf(q)[0]!)).toBe('lease lost');
});
