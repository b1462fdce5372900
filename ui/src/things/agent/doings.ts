// What an agent did, in words: its name is above, so every line begins with the verb.

import type { LogEvent } from '@/api/live';
import { eventWords } from '../event/words';
import { handoffTitle, targetWords } from '../title';

type Payload = Record<string, unknown>;

const many = (list: unknown, one: string) => {
  const count = Array.isArray(list) ? list.length : 0;
  return count === 1 ? `a ${one}` : `${count} ${one}s`;
};

const plain: Record<string, string> = {
  'agent.registered': 'Registered',
  'agent.updated': 'Was changed',
  'session.opened': 'Opened a session',
  'session.closed': 'Closed a session',
  'handoff.created': 'Handed off work',
  'handoff.claimed': 'Claimed a hand-off',
  'handoff.renewed': 'Renewed its claim',
  'handoff.verifying': 'Asked for verification',
  'handoff.accepted': 'Accepted a hand-off',
  'handoff.completed': 'Completed a hand-off',
  'handoff.rejected': 'Rejected a hand-off',
  'handoff.cancelled': 'Cancelled a hand-off',
  'handoff.requeued': 'Offered a hand-off again',
  'handoff.sent_back': 'Sent a hand-off back',
  'task.created': 'Created a task',
  'task.updated': 'Changed a task',
  'artifact.created': 'Stored an artifact',
  'channel.created': 'Made a channel',
  'workspace.created': 'Made a workspace known',
  'key.created': 'Created a key',
  'key.revoked': 'Revoked a key',
  'preset.created': 'Created a preset',
  'settings.changed': 'Changed settings',
  'webhook.created': 'Created a webhook',
};

/** What happened: a verb, and what it was about. */
export function doing(event: LogEvent): { what: string; why: string } {
  const payload = (event.payload ?? {}) as Payload;
  const text = (name: string) => (typeof payload[name] === 'string' ? (payload[name] as string) : '');
  switch (event.type) {
    case 'message.created':
      return { what: `Wrote to ${payload.target ? targetWords(payload.target) : 'everybody'}`, why: text('subject') };
    case 'inbox.pulled':
      return { what: `Took ${many(payload.message_ids, 'message')}`, why: '' };
    case 'inbox.acknowledged':
      return { what: `Read ${many(payload.message_ids, 'message')}`, why: '' };
    case 'handoff.created':
      return { what: 'Handed off work', why: handoffTitle({ payload: text('payload'), handoff_id: text('handoff_id') }) };
    default:
      return { what: plain[event.type] ?? event.type, why: firstLine(text('result')) || reasonOf(event, payload) };
  }
}

const firstLine = (text: string) => text.split('\n', 1)[0]!.slice(0, 120);

/** A status only repeats the verb, and an id says nothing. */
function reasonOf(event: LogEvent, payload: Payload): string {
  if (event.type.startsWith('handoff.')) {
    const { reason, feedback, attempt } = payload;
    if (typeof feedback === 'string') return firstLine(feedback);
    if (typeof reason === 'string') return firstLine(reason);
    return typeof attempt === 'number' && attempt > 1 ? `Attempt ${attempt}` : '';
  }
  if (event.type.startsWith('session.')) return '';
  return eventWords(event);
}
