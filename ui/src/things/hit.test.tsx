import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { hitPlace, Marked } from './hit';

test('a hit leads to its place', () => {
  expect(hitPlace({ type: 'topic_post', id: 'p', place_id: 't' })).toEqual({
    path: '/topics',
    params: { topic: 't', post: 'p' },
  });
  expect(hitPlace({ type: 'handoff', id: 'h', place_id: null })).toEqual({ path: '/handoffs', params: { see: 'handoff:h' } });
  expect(hitPlace({ type: 'memory', id: 'm', place_id: null })).toBeUndefined();
  expect(hitPlace({ type: 'topic_post', id: 'p', place_id: null })).toBeUndefined();
});

const marked = (text: string, marks: number[][]) => {
  const { container } = render(<Marked text={text} marks={marks} />);
  return {
    text: container.textContent,
    marks: [...container.querySelectorAll('mark')].map((mark) => mark.textContent),
    container,
  };
};

test('marks are counted in characters', () => {
  expect(
    marked('🦔 leases and 🦊 leases', [
      [2, 8],
      [15, 21],
    ]),
  ).toMatchObject({
    text: '🦔 leases and 🦊 leases',
    marks: ['leases', 'leases'],
  });
});

test('marks that make no sense lose no text', () => {
  expect(
    marked('abc', [
      [2, 1],
      [1, 99],
      [0, 1],
    ]),
  ).toMatchObject({ text: 'abc', marks: ['bc'] });
});

test('what was found is text, whatever it says', () => {
  expect(marked('<img src=x onerror=alert(1)>', [[1, 4]]).container.querySelector('img')).toBeNull();
});
