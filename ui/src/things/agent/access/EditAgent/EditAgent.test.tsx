import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import { changes, displayName, EditAgent, profileOf } from '.';

const entry = {
  agent_id: 'wren',
  role: 'builder',
  capabilities: { go: true },
  metadata: { about: 'Builds.' },
  is_active: true,
  has_key: true,
  created_at: '2026-11-15T10:00:00Z',
  last_seen_at: null,
  permissions: null,
  preset_id: null,
};

test('only what was changed is sent, and the rest of what is known of the agent stays', () => {
  const was = profileOf(entry);
  expect(changes(entry, was)).toEqual({ agent_id: 'wren' });
  expect(changes(entry, { ...was, name: 'Wren' })).toEqual({
    agent_id: 'wren',
    metadata: { about: 'Builds.', display_name: 'Wren' },
  });
  expect(changes({ ...entry, metadata: { display_name: 'Wren' } }, { ...was, name: '', role: '' })).toEqual({
    agent_id: 'wren',
    role: '',
    metadata: {},
  });
  expect(displayName({ agent_id: 'wren', metadata: null })).toBe('wren');
});

test('a permission of its own is sent, and nothing is lost when the hub refuses', async () => {
  const asked = stubHub({
    agent_update: refusal('CONFLICT', 'Not now.'),
  });
  const onClose = vi.fn();
  show(<EditAgent entry={entry} onClose={onClose} />);
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByText(/Its own permissions, which/));
  fireEvent.change(screen.getByLabelText('Give work out'), { target: { value: 'false' } });
  fireEvent.change(screen.getByLabelText('Can do'), { target: { value: 'go, sql' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => screen.getByText(/Not now/));
  expect(asked.of('agent_update').at(-1)).toEqual({
    agent_id: 'wren',
    capabilities: ['go', 'sql'],
    permissions: { handoffs: { create: false } },
  });
  expect(screen.getByLabelText('Can do')).toHaveProperty('value', 'go, sql');
  expect(onClose).not.toHaveBeenCalled();
});
