import { expect, test } from 'vitest';
import { stepFrom } from './step';

const places = new Map([
  ['middle', { x: 0, y: 0 }],
  ['near', { x: 50, y: 0 }],
  ['bound', { x: 200, y: 30 }],
  ['above', { x: 10, y: -90 }],
]);

test('an arrow goes to who is bound that way, or else to the nearest', () => {
  expect(stepFrom('middle', 'ArrowRight', places, new Set(['bound']))).toBe('bound');
  expect(stepFrom('middle', 'ArrowRight', places, new Set())).toBe('near');
  expect(stepFrom('middle', 'ArrowUp', places, new Set(['bound']))).toBe('above');
  expect(stepFrom('middle', 'ArrowLeft', places, new Set())).toBeUndefined();
  expect(stepFrom('gone', 'ArrowLeft', places, new Set())).toBeUndefined();
});
