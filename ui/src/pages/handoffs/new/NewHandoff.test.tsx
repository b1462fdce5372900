import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { cache } from '@/api/query';
import { refusal, stubHub } from '@/testhub';
import { NewHandoff, offerWords } from './NewHandoff';

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, '', '/handoffs?ws=w1');
});

function show(answer: () => unknown) {
  const hub = stubHub({
    observe_workspaces: () => ({ items: [{ workspace_id: 'w1', display_name: 'nexus', root_realpath: '/nexus' }] }),
    handoff_create: answer,
  });
  const onClose = vi.fn();
  render(
    <QueryClientProvider client={cache}>
      <NewHandoff onClose={onClose} />
    </QueryClientProvider>,
  );
  return { hub, onClose };
}

async function fillIn() {
  const user = userEvent.setup();
  await screen.findByRole('option', { name: 'nexus' });
  await user.type(screen.getByLabelText('What to do'), 'Mend the race');
  await user.selectOptions(screen.getByLabelText('For'), 'role');
  await user.type(screen.getByLabelText('Role'), 'tester');
  await user.click(screen.getByRole('button', { name: 'Hand off' }));
  return user;
}

test('an error stands at the field it is about, and what was typed is kept', async () => {
  show(() => refusal('VALIDATION_ERROR', 'target role is not known.', 'target'));
  await fillIn();
  expect((await screen.findByRole('alert')).textContent).toBe('target role is not known.');
  expect(screen.getByLabelText<HTMLTextAreaElement>('What to do').value).toBe('Mend the race');
  expect(localStorage.getItem('nexus.draft.handoff')).toContain('Mend the race');
});

test('an error about nothing in the form stands below it', async () => {
  show(() => refusal('FORBIDDEN', 'You may not.'));
  await fillIn();
  expect((await screen.findByRole('alert')).textContent).toContain('You may not.');
});

test('a warning is shown, and the way to the hand-off', async () => {
  const { hub } = show(() => ({ handoff_id: 'hof_9', eligible_count: 0, warning: 'No registered agent can take this now.' }));
  const user = await fillIn();
  expect((await screen.findByRole('status')).textContent).toBe('No registered agent can take this now.');
  expect(hub.of('handoff_create')[0]).toMatchObject({ project_root: 'w1', target: { strategy: 'role', role: 'tester' } });
  expect(localStorage.getItem('nexus.draft.handoff')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Open it' }));
  expect(new URLSearchParams(location.search).get('see')).toBe('handoff:hof_9');
});

test('who is named in the address is whom it is for, whatever the draft said', async () => {
  localStorage.setItem('nexus.draft.handoff', JSON.stringify({ strategy: 'role', word: 'tester', payload: 'Mend the race' }));
  history.replaceState(null, '', '/handoffs?ws=w1&new=handoff&to=cobalt');
  const { hub } = show(() => ({ handoff_id: 'hof_9' }));
  await screen.findByRole('option', { name: 'nexus' });
  expect(screen.getByLabelText<HTMLInputElement>('Agent').value).toBe('cobalt');
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Hand off' }));
  await user.click(await screen.findByRole('button', { name: 'Open it' }));
  expect(hub.of('handoff_create')[0]).toMatchObject({
    target: { strategy: 'direct', agent_id: 'cobalt' },
    payload: 'Mend the race',
  });
  expect(location.search).toBe('?ws=w1&see=handoff%3Ahof_9');
});

test('how many can take it, in words', () => {
  const made = { handoff_id: 'h', workspace_id: 'w', status: 'OPEN', created_at: '' };
  expect(offerWords({ ...made, eligible_count: 4 })).toBe('4 agents can take it now.');
  expect(offerWords({ ...made, eligible_count: 1 })).toBe('One agent can take it now.');
  expect(offerWords({ ...made, notified: ['cobalt'] })).toBe('cobalt has been told.');
  expect(offerWords(made)).toBe('It is open.');
});
