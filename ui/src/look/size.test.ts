import { expect, test } from 'vitest';
import { size } from './size';

test('a size is one number and one unit', () => {
  expect([0, 133, 999, 1000, 1024, 1450, 10_240, 262_144, 5_242_880, 2e12].map(size)).toEqual([
    '0 B',
    '133 B',
    '999 B',
    '1 KB',
    '1 KB',
    '1.4 KB',
    '10 KB',
    '256 KB',
    '5 MB',
    '1.8 TB',
  ]);
  expect(size(-1)).toBe('0 B');
});
