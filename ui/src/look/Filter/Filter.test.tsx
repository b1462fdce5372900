import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { Filter } from '.';

function Field({ first = '' }: { first?: string }) {
  const [value, setValue] = useState(first);
  return (
    <>
      <Filter value={value} onChange={setValue} label="Name" />
      <input aria-label="other" />
    </>
  );
}

const field = () => screen.getByRole('textbox', { name: 'Name' }) as HTMLInputElement;

test('the slash brings the cursor here, with what is there selected', async () => {
  render(<Field first="old" />);
  await userEvent.keyboard('/');
  expect(document.activeElement).toBe(field());
  await userEvent.keyboard('new');
  expect(field().value).toBe('new');
});

test('a slash that is typed elsewhere, or here, is a slash', async () => {
  render(<Field />);
  const other = screen.getByLabelText('other') as HTMLInputElement;
  await userEvent.type(other, 'a/b');
  expect(other.value).toBe('a/b');
  await userEvent.type(field(), 'c/d');
  expect(field().value).toBe('c/d');
});

test('Esc clears, then leaves, and closes nothing else', async () => {
  const close = vi.fn();
  addEventListener('keydown', close);
  render(<Field first="words" />);
  field().focus();
  await userEvent.keyboard('{Escape}');
  expect(field().value).toBe('');
  expect(document.activeElement).toBe(field());
  await userEvent.keyboard('{Escape}');
  expect(document.activeElement).not.toBe(field());
  expect(close).not.toHaveBeenCalled();
  removeEventListener('keydown', close);
});

test('the button clears', async () => {
  render(<Field first="words" />);
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
  expect(field().value).toBe('');
  expect(screen.queryByRole('button', { name: 'Clear the filter' })).toBeNull();
});
