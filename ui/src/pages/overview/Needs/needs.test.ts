import { expect, test } from 'vitest';
import { headline, type Need, oldestWait, rowsOf, timeWords, type Webhook } from './needs';

const now = Date.parse('2026-05-01T12:00:00Z');
const need = (kind: string, more: Partial<Need> = {}) =>
  ({
    kind,
    agent_id: 'a',
    handoff_id: null,
    message_id: null,
    title: 't',
    count: null,
    since: null,
    until: null,
    ...more,
  }) as Need;
const webhook = (more: Partial<Webhook>) =>
  ({
    webhook_id: 'w',
    name: 'Board',
    url: 'http://x',
    failures: 0,
    is_active: true,
    disabled_reason: null,
    updated_at: '2026-05-01T11:00:00Z',
    ...more,
  }) as Webhook;

test('webhooks that fail come after what runs out, and those that work not at all', () => {
  const needs = [need('verify', { until: '2026-05-01T12:01:00Z' }), need('mail_unread')];
  expect(rowsOf(needs, [webhook({ failures: 3 })]).map((row) => row.kind)).toEqual(['verify', 'webhook_failing', 'mail_unread']);
  expect(rowsOf(needs, [webhook({})])).toHaveLength(2);
  expect(rowsOf([], [webhook({ is_active: false, disabled_reason: 'gone' })])[0]?.word).toBe('Webhook switched off');
});

test('a kind that is new to this page is shown by its name', () => {
  expect(rowsOf([need('budget_spent')], [])[0]?.word).toBe('budget_spent');
});

test('several are counted in the title', () => {
  expect(rowsOf([need('mail_parked', { count: 2, title: 'Build' })], [])[0]?.title).toBe('2 messages, the newest: Build');
});

test('time is what is left, or what has passed', () => {
  const [left, over, since] = rowsOf(
    [
      need('verify', { until: '2026-05-01T12:04:12Z' }),
      need('lease_lapsing', { until: '2026-05-01T11:59:50Z' }),
      need('mail_unread', { since: '2026-05-01T10:00:00Z' }),
    ],
    [],
  );
  expect(timeWords(left!, now)).toBe('4:12 left');
  expect(timeWords(over!, now)).toBe('ran out 10 s ago');
  expect(timeWords(since!, now)).toBe('for 2 h');
  expect(oldestWait([left!, over!, since!], now)).toBe('2 h');
});

test('the headline counts in words while they are few', () => {
  expect([0, 1, 6, 7, 1200].map(headline)).toEqual([
    'Nothing needs you',
    'One thing needs you',
    'Six things need you',
    '7 things need you',
    '1,200 things need you',
  ]);
});
