// What an event says, in words.

import type { LogEvent } from '@/api/live';
import { exact } from '@/look/moment';
import { handoffTitle, targetWords } from '../title';

type Payload = Record<string, unknown>;

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const count = (value: unknown, one: string, many = `${one}s`) =>
  Array.isArray(value) ? `${value.length} ${value.length === 1 ? one : many}` : '';

/** What there is to say about events of a type, beside the type and the agent. What is not here is told by its usual words. */
const says: Record<string, (payload: Payload) => (string | undefined)[]> = {
  'message.created': (p) => [`to ${targetWords(p.target)}`, text(p.subject)],
  'inbox.pulled': (p) => [
    `took ${count(p.message_ids, 'message')}`,
    Array.isArray(p.parked_message_ids) && p.parked_message_ids.length > 0 ? `${p.parked_message_ids.length} parked` : '',
  ],
  'inbox.acknowledged': (p) => [`read ${count(p.message_ids, 'message')}`],
  'inbox.requeued': (p) => [`queued ${count(p.message_ids, 'message')} again`],
  'handoff.created': (p) => [
    `for ${targetWords(p.target)}`,
    handoffTitle({ payload: text(p.payload), handoff_id: text(p.handoff_id) }),
  ],
  'handoff.claimed': (p) => [
    Number(p.attempt) > 1 ? `attempt ${p.attempt}` : '',
    p.lease_expires_at ? `lease until ${exact(text(p.lease_expires_at))}` : '',
  ],
  'handoff.renewed': (p) => [p.lease_expires_at ? `lease until ${exact(text(p.lease_expires_at))}` : ''],
  'handoff.parked': (p) => [p.previous_claimed_by ? `after ${p.previous_claimed_by} had it` : ''],
  'settings.changed': (p) => [
    Object.entries((p.applied ?? {}) as object)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', '),
  ],
  'session.opened': () => ['came in'],
  'session.closed': (p) => ['left', text(p.reason)],
  'artifact.created': (p) => [
    text(p.name),
    text(p.artifact_type),
    p.size_bytes ? `${Number(p.size_bytes).toLocaleString()} bytes` : '',
  ],
  'webhook.created': (p) => [text(p.name), text(p.origin)],
  'workspace.created': (p) => [text(p.root_realpath)],
  'topic.created': (p) => [text(p.name)],
  'topic.posted': (p) => [`in ${text(p.name)}`, `#${p.seq}`, p.message_type === 'message' ? '' : text(p.message_type)],
  'topic.joined': (p) => [`in ${text(p.name)}`],
  'topic.closed': (p) => [text(p.name), text(p.close_reason)],
  'topic.renamed': (p) => [`${text(p.old_name)} is now ${text(p.name)}`],
  'topic.messages_deleted': (p) => [`deleted ${count(p.message_ids, 'post')}`, `in ${text(p.name)}`],
  'topic.deleted': (p) => [text(p.name), `${Number(p.message_count) || 0} posts`],
  'task.created': (p) => [text(p.title), p.assignee ? `for ${p.assignee}` : ''],
  'task.updated': (p) => [text(p.title), text(p.status).replace('_', ' '), text(p.reason)],
};

const usual = ['title', 'subject', 'name', 'result', 'feedback', 'reason', 'role', 'status', 'url'];

/** One line about what happened. */
export function eventWords(event: LogEvent): string {
  const payload = (event.payload ?? {}) as Payload;
  const words = says[event.type]?.(payload) ?? usual.map((name) => text(payload[name])).filter((word) => !/^[A-Z]+$/.test(word));
  return [whom(event), ...words].filter(Boolean).join(' · ').slice(0, 300);
}

/** Whose access was changed, where somebody else changed it. */
function whom({ type, actor_agent_id: actor, payload }: LogEvent): string {
  const agent = text((payload as Payload | null)?.agent_id);
  return /^(agent|key)\./.test(type) && agent !== actor ? agent : '';
}

/** The thing that an event is about, if it can be inspected. */
export function eventSubject(
  event: LogEvent,
): { kind: 'message' | 'handoff' | 'task' | 'artifact' | 'webhook' | 'agent' | 'topic' | 'post'; id: string } | undefined {
  const payload = (event.payload ?? {}) as Payload;
  const topic = text(payload.topic_id);
  if (topic && event.type === 'topic.posted') return { kind: 'post', id: `${topic}:${text(payload.message_id)}` };
  if (topic) return { kind: 'topic', id: topic };
  for (const kind of ['handoff', 'message', 'task', 'artifact', 'webhook'] as const) {
    const id = text(payload[`${kind}_id`]);
    if (id) return { kind, id };
  }
  const agent = text(payload.agent_id) || event.actor_agent_id;
  return agent ? { kind: 'agent', id: agent } : undefined;
}
