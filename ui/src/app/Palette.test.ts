import { expect, test } from 'vitest';
import { closeness } from './Palette';

test('beginnings outrank middles, middles outrank letters', () => {
  const asked = 'ha';
  expect(closeness('hazel', asked)).toBeGreaterThan(closeness('red-hare', asked));
  expect(closeness('red-hare', asked)).toBeGreaterThan(closeness('char', asked));
  expect(closeness('char', asked)).toBeGreaterThan(closeness('hot tea', asked));
  expect(closeness('quill', asked)).toBe(0);
});

test('everything fits nothing', () => {
  expect(closeness('anything', '')).toBeGreaterThan(0);
});
