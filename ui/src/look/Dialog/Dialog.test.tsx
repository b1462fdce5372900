import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Dialog } from '.';

function show(onClose = vi.fn(), bare = false) {
  const view = render(
    <Dialog title="Rename" onClose={onClose} bare={bare}>
      <input aria-label="Name" />
    </Dialog>,
  );
  return { ...view, onClose };
}

test('it is a modal dialog with a name', () => {
  show();
  const dialog = screen.getByRole('dialog', { name: 'Rename' }) as HTMLDialogElement;
  expect(dialog.open).toBe(true);
});

test('a bare one has its name all the same', () => {
  show(vi.fn(), true);
  expect(screen.getByRole('dialog', { name: 'Rename' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull();
});

test('Esc, the button and a press beside it close it; a press in it does not', async () => {
  const { onClose } = show();
  const dialog = screen.getByRole('dialog');
  const cancel = new Event('cancel', { cancelable: true });
  fireEvent(dialog, cancel);
  expect(cancel.defaultPrevented).toBe(true); // whoever opened it decides
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  await userEvent.click(dialog);
  expect(onClose).toHaveBeenCalledTimes(3);
  await userEvent.click(screen.getByLabelText('Name'));
  expect(onClose).toHaveBeenCalledTimes(3);
});

test('the focus goes back to where it was', () => {
  const before = document.createElement('button');
  document.body.append(before);
  before.focus();
  const { unmount } = show();
  screen.getByLabelText('Name').focus();
  unmount();
  expect(document.activeElement).toBe(before);
  before.remove();
});
