import { expect, test } from 'vitest';
import type { LogEvent } from '@/api/live';
import { eventSubject, eventWords } from './words';

const event = (type: string, payload: unknown, actor: string | null = 'a') =>
  ({ event_id: 1, type, payload, actor_agent_id: actor }) as LogEvent;

test.each([
  ['message.created', { target: { strategy: 'role', role: 'tester' }, subject: 'Hello' }, 'to role tester · Hello'],
  ['inbox.acknowledged', { message_ids: ['m'] }, 'read 1 message'],
  ['inbox.pulled', { message_ids: ['m', 'n'], parked_message_ids: ['o'] }, 'took 2 messages · 1 parked'],
  ['settings.changed', { applied: { x: 1 } }, 'x 1'],
  ['handoff.completed', { status: 'COMPLETED', result: 'Done.' }, 'Done.'],
  ['topic.posted', { name: 'Leases', seq: 4, message_type: 'question' }, 'in Leases · #4 · question'],
  ['topic.messages_deleted', { name: 'Leases', message_ids: ['p'] }, 'deleted 1 post · in Leases'],
  ['agent.registered', { agent_id: 'b', role: 'tester' }, 'b · tester'],
  ['agent.registered', { agent_id: 'a', role: 'tester' }, 'tester'],
  ['key.created', { agent_id: 'b', name: null }, 'b'],
  ['never.seen', { name: 'n' }, 'n'],
  ['never.seen', null, ''],
  ['never.seen', 'text', ''],
])('%s %j says %s', (type, payload, words) => {
  expect(eventWords(event(type, payload))).toBe(words);
});

test('an event leads to what it is about, or to whoever did it', () => {
  expect(eventSubject(event('handoff.claimed', { handoff_id: 'h', message_id: 'm' }))).toEqual({ kind: 'handoff', id: 'h' });
  expect(eventSubject(event('topic.posted', { topic_id: 't', message_id: 'p' }))).toEqual({ kind: 'post', id: 't:p' });
  expect(eventSubject(event('topic.closed', { topic_id: 't' }))).toEqual({ kind: 'topic', id: 't' });
  expect(eventSubject(event('session.opened', {}))).toEqual({ kind: 'agent', id: 'a' });
  expect(eventSubject(event('settings.changed', {}, null))).toBeUndefined();
});
