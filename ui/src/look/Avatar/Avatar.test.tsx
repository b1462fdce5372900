import { act, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setPeople } from '../people';
import { Avatar, PresenceMark, presenceWord } from '.';

const shape = (id: string) => render(<Avatar id={id} />).container.querySelector('.agent-wash')!;

test('people are round, as soon as it is known that they are', () => {
  const [ines, cobalt, operator] = [shape('ines'), shape('cobalt'), shape('operator')];
  expect(operator.className).toContain('rounded-full');
  expect(ines.className).toContain('rounded-small');
  act(() => setPeople(['ines']));
  expect(ines.className).toContain('rounded-full');
  expect(cobalt.className).toContain('rounded-small');
  act(() => setPeople([]));
  expect(ines.className).toContain('rounded-small');
});

test('presence has a shape and a word, also one that is new here', () => {
  const marks = ['present', 'stale', 'offline', 'dreaming'].map(
    (presence) => render(<PresenceMark presence={presence} />).container.innerHTML,
  );
  expect(new Set(marks).size).toBe(3);
  expect(presenceWord('stale')).toBe('Stale');
  expect(presenceWord('dreaming')).toBe('dreaming');
});
