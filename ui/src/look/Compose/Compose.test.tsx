import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Answering, Compose, ComposeText } from '.';

test('Ctrl-Enter and ⌘-Enter send from every field; Enter alone makes a new line', async () => {
  const onSend = vi.fn();
  render(
    <Compose onSend={onSend}>
      <input aria-label="Subject" />
      <ComposeText aria-label="Words" />
    </Compose>,
  );
  const words = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Words' });
  await userEvent.type(words, 'a{Enter}b{Control>}{Enter}{/Control}');
  expect(words.value).toBe('a\nb');
  await userEvent.type(screen.getByRole('textbox', { name: 'Subject' }), '{Meta>}{Enter}{/Meta}');
  expect(onSend).toHaveBeenCalledTimes(2);
});

test('what went wrong is said above, and can be tried again', async () => {
  const onSend = vi.fn();
  render(
    <Compose error={new Error('Wait a moment.')} onSend={onSend}>
      <ComposeText aria-label="Words" />
    </Compose>,
  );
  expect(screen.getByRole('alert').textContent).toContain('Wait a moment.');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(onSend).toHaveBeenCalledOnce();
});

test('an answer says what it answers, and can become none', async () => {
  const onEnd = vi.fn();
  render(<Answering onEnd={onEnd}>ines: hello</Answering>);
  expect(screen.getByText('Answers ines: hello')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Do not answer it' }));
  expect(onEnd).toHaveBeenCalledOnce();
});
