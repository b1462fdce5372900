import { expect, test } from 'vitest';
import { endOf } from '.';

test('a key ends after days, at the end of a day, or never', () => {
  const now = Date.parse('2026-11-15T10:00:00Z');
  expect(endOf('', '')).toBeUndefined();
  expect(endOf('7', '', now)).toBe('2026-11-22T10:00:00.000Z');
  expect(endOf('on', '')).toBeUndefined();
  expect(Date.parse(endOf('on', '2026-12-01')!)).toBe(new Date('2026-12-01T23:59:59').getTime());
});
