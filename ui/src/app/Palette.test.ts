import { expect, test } from 'vitest';
import { arranged, closeness } from './Palette';

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

test('the group that fits best comes first', () => {
  const all = [
    { group: 'Hand-offs', words: 'Show a list of others' }, // only its letters fit
    { group: 'Topics', words: 'Contrast, halos and print' },
    { group: 'Agents', words: 'halos-keeper' },
    { group: 'Pages', words: 'Events' },
  ];
  expect(arranged(all, 'halos').map(({ group }) => group)).toEqual(['Agents', 'Topics', 'Hand-offs']);
});

test('of one group only a few show', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ group: 'Agents', words: `agent ${i}` }));
  expect(arranged(many, 'agent')).toHaveLength(6);
  expect(arranged(many, '')).toHaveLength(3);
});
