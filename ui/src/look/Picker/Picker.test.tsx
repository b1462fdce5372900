import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { Picker } from '.';

const options = ['Alpha', 'Beta', 'Gamma'].map((words) => ({ id: words.toLowerCase(), words }));

function Kept({ single }: { single?: boolean }) {
  const [picked, setPicked] = useState<string[]>([]);
  return (
    <>
      <Picker label="Waits for" options={options} picked={picked} onPick={setPicked} single={single} />
      <output>{picked.join()}</output>
    </>
  );
}

const picked = () => screen.getByRole('status').textContent;

test('picks by typing, and gives back', async () => {
  const user = userEvent.setup();
  render(<Kept />);
  await user.type(screen.getByRole('combobox', { name: 'Waits for' }), 'GAM{Enter}');
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  expect(picked()).toBe('gamma,beta');
  await user.keyboard('{Backspace}');
  expect(picked()).toBe('gamma');
  await user.click(screen.getByRole('button', { name: 'Remove Gamma' }));
  expect(picked()).toBe('');
});

test('what is picked is not offered again; of single ones the last counts', async () => {
  const user = userEvent.setup();
  render(<Kept single />);
  await user.click(screen.getByRole('combobox'));
  await user.click(screen.getByRole('option', { name: 'Alpha' }));
  await user.click(screen.getByRole('combobox'));
  expect(screen.queryByRole('option', { name: 'Alpha' })).toBeNull();
  await user.click(screen.getByRole('option', { name: 'Beta' }));
  expect(picked()).toBe('beta');
});

test('Enter without anything to pick is left to the form', async () => {
  const user = userEvent.setup();
  render(<Kept />);
  await user.type(screen.getByRole('combobox'), 'nothing{Enter}');
  expect(picked()).toBe('');
});
