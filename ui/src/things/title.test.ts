import { expect, test } from 'vitest';
import { handoffTitle, targetWords } from './title';

test.each([
  ['Fix the race\nin the inbox', 'Fix the race'],
  ['# Heading', 'Heading'],
  ['{"title":"Do it","more":1}', 'Do it'],
  ['{"more":1}', '{"more":1}'],
  ['{"broken', '{"broken'],
  [null, 'Hand-off 123456'],
  ['   ', 'Hand-off 123456'],
])('%s is called %s', (payload, title) => {
  expect(handoffTitle({ payload, handoff_id: 'hof_123456' })).toBe(title);
});

test('a long title is cut', () => {
  expect(handoffTitle({ payload: 'x'.repeat(500), handoff_id: 'h' })).toHaveLength(120);
});

test('targets in words', () => {
  expect(targetWords({ strategy: 'direct', agent_id: 'a' })).toBe('a');
  expect(targetWords({ strategy: 'broadcast' })).toBe('everybody');
  expect(targetWords(null)).toBe('nobody in particular');
});
