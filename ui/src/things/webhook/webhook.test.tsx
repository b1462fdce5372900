import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import WebhookThing from '.';
import { CreateWebhook } from './WebhookForm';
import { answerWords, failingSince, stateOf, webhookName } from './words';

const webhook = {
  webhook_id: 'whk_1',
  name: null,
  url: 'https://example.com/hooks?token=a',
  events: ['handoff.*'],
  workspace: null,
  is_active: true,
  disabled_reason: null,
  position: 12,
  failures: 2,
  due_at: '2000-01-01T00:00:00Z',
  created_at: '2026-11-15T10:00:00Z',
  updated_at: '2026-11-15T10:00:00Z',
};
const attempt = {
  attempt_id: 'wha_1',
  webhook_id: 'whk_1',
  event_id: 13,
  event_type: 'handoff.created',
  attempt: 2,
  status: 500,
  error: 'The receiver answered 500.',
  took_ms: 31,
  created_at: '2026-11-15T10:05:00Z',
};

test('it works, fails, is paused or was switched off', () => {
  expect(stateOf(webhook)).toBe('failing');
  expect(stateOf({ ...webhook, failures: 0 })).toBe('working');
  expect(stateOf({ ...webhook, is_active: false })).toBe('paused');
  expect(stateOf({ ...webhook, is_active: false, disabled_reason: '410 Gone' })).toBe('off');
  expect(webhookName(webhook)).toBe('example.com');
  expect(webhookName({ name: 'Board', url: '' })).toBe('Board');
});

test('it fails since the first failure in a row, whatever tests said', () => {
  const at = (minute: string, part: object = {}) => ({ ...attempt, created_at: minute, ...part });
  const good = { error: null, status: 200 };
  expect(failingSince([])).toBeUndefined();
  expect(failingSince([at('5'), at('4', { ...good, event_id: null }), at('3'), at('2', good), at('1')])).toBe('3');
  expect(answerWords({ ...attempt, ...good })).toBe('200 in 31 ms');
});

test('the inspector shows how it stands, what was answered, and sends a test', async () => {
  const asked = stubHub({
    webhook_get: webhook,
    webhook_attempts: { items: [attempt], next_cursor: null },
    webhook_test: { ...attempt, event_id: null, event_type: 'webhook.test', error: null, status: 204 },
  });
  show(<WebhookThing id="whk_1" />);
  await waitFor(() => screen.getByText(/2 in a row/));
  await screen.findByText('The receiver answered 500.');
  fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
  await waitFor(() => screen.getByText('Test: 204 in 31 ms'));
  expect(asked.of('webhook_test')[0]).toEqual({ webhook_id: 'whk_1' });
});

test('a new one is sent as it was filled in, and its secret is shown once', async () => {
  localStorage.clear();
  const asked = stubHub({ observe_workspaces: { items: [] }, webhook_create: { ...webhook, secret: 'whs_once' } });
  show(<CreateWebhook onClose={() => {}} />);
  fireEvent.change(screen.getByLabelText('Address'), { target: { value: 'https://example.com/h' } });
  fireEvent.click(screen.getByRole('button', { name: 'handoff.*' }));
  fireEvent.change(screen.getByLabelText('Events'), { target: { value: 'handoff.*, task.done' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create webhook' }));
  await waitFor(() => screen.getByText('whs_once'));
  expect(asked.of('webhook_create')[0]).toEqual({
    url: 'https://example.com/h',
    events: ['handoff.*', 'task.done'],
  });
  expect(JSON.stringify(localStorage)).not.toContain('whs_once');
});
