import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { ListField } from '.';

function Kept() {
  const [values, setValues] = useState<string[]>([]);
  return (
    <>
      <ListField label="Criteria" add="Add one" values={values} onChange={setValues} />
      <output>{values.join('|')}</output>
    </>
  );
}

test('adds, goes on with Enter, and removes', async () => {
  const user = userEvent.setup();
  render(<Kept />);
  await user.click(screen.getByRole('button', { name: 'Add one' }));
  await user.type(screen.getByLabelText('Criteria, 1'), 'It builds{Enter}');
  await user.type(await screen.findByLabelText('Criteria, 2'), 'It runs');
  expect(screen.getByRole('status').textContent).toBe('It builds|It runs');
  await user.click(screen.getByRole('button', { name: 'Remove It builds' }));
  expect(screen.getByRole('status').textContent).toBe('It runs');
});
