import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { matching, type Token, TokenFilter } from '.';

const suggestions = [
  { name: 'type', word: 'type', values: ['message.created', 'handoff.created'] },
  { name: 'agent', word: 'agent', values: ['hazel', 'cobalt'] },
];

function Field() {
  const [tokens, setTokens] = useState<Token[]>([]);
  return <TokenFilter label="Filter" tokens={tokens} onChange={setTokens} suggestions={suggestions} />;
}

test('a part of a value finds it, whatever it is compared with', () => {
  expect(matching(suggestions, 'HA', []).map(({ value }) => value)).toEqual(['handoff.created', 'hazel']);
});

test('a name narrows, and takes what nobody suggested', () => {
  expect(matching(suggestions, 'agent:flint', [])).toEqual([{ name: 'agent', word: 'agent', value: 'flint' }]);
  expect(matching(suggestions, 'nonsense:x', [])).toEqual([]);
});

test('what is taken is not offered again', () => {
  expect(matching(suggestions, 'hazel', [{ name: 'agent', value: 'hazel' }])).toEqual([]);
});

test('the keyboard chooses and takes away', async () => {
  const user = userEvent.setup();
  render(<Field />);
  const field = screen.getByRole('combobox');
  await user.type(field, 'created{ArrowDown}{Enter}');
  expect(screen.getByText('type: handoff.created')).toBeTruthy();
  await user.type(field, '{Backspace}');
  expect(screen.queryByText('type: handoff.created')).toBeNull();
});
