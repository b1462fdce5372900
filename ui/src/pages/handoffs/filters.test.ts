import { expect, test } from 'vitest';
import { sample } from '@/things/handoff/sample';
import { handoffFits } from './filters';

const fits = (part: object, filter: object) => handoffFits(sample(part), { text: '', agent: '', priority: '', ...filter });

test('every word that was typed is found, in any order and case', () => {
  expect(fits({ payload: 'Mend the Race' }, { text: 'race mend' })).toBe(true);
  expect(fits({ claimed_by: 'cobalt' }, { text: 'COBALT' })).toBe(true);
  expect(fits({ payload: 'Mend the race' }, { text: 'race lost' })).toBe(false);
  expect(fits({ payload: null }, { text: ' ' })).toBe(true);
});

test.each([
  ['high', [false, false, true]],
  ['normal', [false, true, true]],
  ['low', [true, false, false]],
  ['nonsense', [true, true, true]],
])('priority %s', (priority, expected) => {
  expect([-1, 0, 1].map((value) => fits({ priority: value }, { priority }))).toEqual(expected);
});
