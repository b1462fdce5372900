import { expect, test } from 'vitest';
import { allows, capabilityWords, permissions, restrictions, said, saying, wordsOf } from './rules';

test('what is not mentioned is allowed, and an agent’s own word outranks its preset', () => {
  const preset = { messages: { send_broadcast: false }, handoffs: { create: false } };
  expect(allows('messages.send_direct', undefined, preset)).toBe(true);
  expect(allows('messages.send_broadcast', undefined, preset)).toBe(false);
  expect(allows('messages.send_broadcast', { messages: { send_broadcast: true } }, preset)).toBe(true);
  expect(allows('handoffs.create', null, null)).toBe(true);
});

test('saying nothing any more leaves no blank parts behind', () => {
  const once = saying({}, 'handoffs.create', false);
  expect(once).toEqual({ handoffs: { create: false } });
  expect(saying(once, 'handoffs.create', undefined)).toEqual({});
  expect(said(saying(once, 'handoffs.work', true), 'handoffs.create')).toBe(false);
  expect(once).toEqual({ handoffs: { create: false } });
});

test('what is withheld is said in words', () => {
  expect(restrictions(null, null)).toEqual([]);
  expect(
    restrictions({ messages: { allowed_peers: ['lead'] }, limits: { messages_per_minute: 30 } }, { handoffs: { work: false } }),
  ).toEqual(['take work', 'write to others than lead', 'send more than 30 messages a minute']);
  expect(restrictions({ limits: { max_recipients: 0 }, messages: { allowed_peers: [] } })).toEqual([]);
});

test('every permission explains itself', () => {
  for (const { label, explains } of permissions) expect(label && explains).toBeTruthy();
  expect(permissions).toHaveLength(9);
});

test('words come from lists, flags and what people type', () => {
  expect(capabilityWords({ go: true, sql: false })).toEqual(['go']);
  expect(capabilityWords(['go', 'sql'])).toEqual(['go', 'sql']);
  expect(capabilityWords(null)).toEqual([]);
  expect(wordsOf(' go, sql\n go ')).toEqual(['go', 'sql']);
});
