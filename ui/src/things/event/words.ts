// What an event says, in words.

import type { LogEvent } from '@/api/live';
import { targetWords } from '../title';

type Payload = Record<string, unknown> & { target?: unknown; to?: unknown };

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** One line about what happened, from the payload. The type and the agent stand beside it. */
export function eventWords(event: LogEvent): string {
  const payload = (event.payload ?? {}) as Payload;
  const words: (string | undefined)[] = [];
  if (payload.target) words.push(`to ${targetWords(payload.target)}`);
  for (const name of ['title', 'subject', 'name', 'reason', 'status', 'role', 'key', 'url']) {
    const value = text(payload[name]);
    if (value) words.push(name === 'reason' ? `because ${value}` : value);
  }
  const count = payload.count ?? payload.acknowledged ?? payload.recipient_count;
  if (typeof count === 'number') words.push(`${count}`);
  const id =
    text(payload.message_id) ||
    text(payload.handoff_id) ||
    text(payload.task_id) ||
    text(payload.artifact_id) ||
    text(payload.session_id);
  if (words.length === 0 && id) words.push(id);
  return words.filter(Boolean).join(' · ');
}

/** The thing that an event is about, if it can be inspected. */
export function eventSubject(
  event: LogEvent,
): { kind: 'message' | 'handoff' | 'task' | 'artifact' | 'agent'; id: string } | undefined {
  const payload = (event.payload ?? {}) as Payload;
  for (const kind of ['handoff', 'message', 'task', 'artifact'] as const) {
    const id = text(payload[`${kind}_id`]);
    if (id) return { kind, id };
  }
  const agent = text(payload.agent_id) || event.actor_agent_id;
  return agent ? { kind: 'agent', id: agent } : undefined;
}
