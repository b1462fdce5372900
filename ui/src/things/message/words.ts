// What is said about a message: whom it is for, how far it came, and what it is about if the hub itself wrote it.

import type { Item } from '@/api/call';
import { targetWords } from '../title';

export type Message = Item<'observe_messages'>;
export type Delivery = Message['deliveries'][number];

export type Target = {
  strategy?: string;
  agent_id?: string;
  role?: string;
  capability?: string | string[];
  rules?: Target[];
};

/** Whom a message is for, as it was written. Nobody named means everybody. */
export function targetOf(message: { target: unknown }): Target {
  const target = (message.target ?? {}) as Target;
  return target.strategy ? target : { strategy: 'broadcast' };
}

/** Whom a message is for, in words. */
export function toWords(message: { target: unknown }): string {
  const target = targetOf(message);
  if (target.strategy === 'mixed') return (target.rules ?? []).map((rule) => targetWords(rule)).join(', ') || 'several';
  if (target.strategy === 'capability' && Array.isArray(target.capability)) return `capability ${target.capability.join(' or ')}`;
  return targetWords(target);
}

/** Lanes from the worst to the best. */
const lanes = ['parked', 'unread', 'delivered', 'read'];

const told: Record<string, string> = { parked: 'parked', unread: 'queued', delivered: 'delivered', read: 'read' };

/** The lane of the delivery that is worst off; nothing if the message reached nobody. */
export function worstLane(message: { deliveries: Delivery[] }): string | undefined {
  return lanes.find((lane) => message.deliveries.some((delivery) => delivery.status === lane));
}

/** How far a message came as a whole: read by all, handed to some, or still on its way. */
export function stage(message: { deliveries: Delivery[] }): string | undefined {
  const { through, read, all } = reached(message);
  if (all > 0 && read === all) return 'read';
  return through > 0 ? 'delivered' : worstLane(message);
}

/** How many deliveries are in which lane: 2 read, 1 queued. */
export function laneSummary({ deliveries, more_deliveries }: { deliveries: Delivery[]; more_deliveries?: boolean }): string {
  if (deliveries.length === 0) return 'reached nobody';
  const parts = lanes
    .map((lane) => [deliveries.filter((delivery) => delivery.status === lane).length, told[lane]] as const)
    .filter(([count]) => count > 0)
    .reverse();
  const only = deliveries.length === 1 && parts[0]?.[1];
  return only || parts.map(([count, word]) => `${count} ${word}`).join(', ') + (more_deliveries ? ' and more' : '');
}

/** How many the message was handed to, of how many it was for. Parked means that it did not get through. */
export function reached({ deliveries }: { deliveries: Delivery[] }) {
  const through = deliveries.filter(({ status }) => status === 'delivered' || status === 'read').length;
  return { through, read: deliveries.filter(({ status }) => status === 'read').length, all: deliveries.length };
}

/** The delivery of one agent. */
export function deliveryTo(message: { deliveries: Delivery[] }, agent: string): Delivery | undefined {
  return message.deliveries.find((delivery) => delivery.recipient_agent_id === agent);
}

/** What a message is called where only one line fits. */
export function messageTitle(message: Message): string {
  const about = noticeOf(message);
  return about ? about.words : message.subject || message.preview.split('\n', 1)[0] || 'A message';
}

/** Whether the subject says more than the beginning of the text does. */
export function hasOwnSubject({ subject, body, preview }: { subject: string; body?: string; preview: string }): boolean {
  const bare = (text: string) => text.replace(/[#*_`>\s]+/g, ' ').trim();
  const stem = bare(subject.replace(/…$/, ''));
  return stem !== '' && !bare(body ?? preview).startsWith(stem);
}

/** The subject of a text that was given none: its first line. */
export function subjectFrom(body: string): string {
  const line = body
    .trim()
    .split('\n', 1)[0]!
    .replace(/^[#>\s]+/, '');
  const letters = [...line];
  return letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : line || body.trim().slice(0, 80);
}

/** What the hub tells of a piece of work in a message of its own. */
export type Notice = { handoff: string; kind: string; words: string; why?: string; payload?: string; status?: string };

const kinds: Record<string, string> = {
  directed: 'Handed over',
  verify: 'Waits to be verified',
  completed: 'Completed',
  accepted: 'Accepted',
  rejected: 'Turned down',
  sent_back: 'Sent back',
  cancelled: 'Cancelled',
  expired: 'Expired',
  parked: 'Parked',
  requeued: 'Offered again',
};

const text = (value: unknown) => (typeof value === 'string' && value.trim() ? value : undefined);

/** The piece of work that a message of the hub tells of. What agents write themselves is never taken for one. */
export function noticeOf(message: {
  provenance: { sender: string };
  body?: string;
  preview: string;
  subject: string;
}): Notice | undefined {
  if (message.provenance.sender !== 'bus') return undefined;
  const body = fields(message.body) ?? fields(message.preview) ?? cutFields(message.body ?? message.preview);
  const handoff = text(body.handoff_id) ?? message.subject.match(/\bhof_\w+/)?.[0];
  const kind = kindOf(body);
  if (!handoff) return undefined;
  return {
    handoff,
    kind,
    words: kinds[kind] ?? message.subject,
    why: text(body.reason) ?? text(body.feedback) ?? text(body.result),
    payload: text(body.payload),
    status: text(body.status),
  };
}

/** The beginning of a text on one line. What the hub writes for programs is told in words. */
export function previewWords(preview: string): string {
  if (/^\{.*"handoff_id":"hof_/s.test(preview)) return kinds[kindOf(cutFields(preview))] ?? 'About a piece of work';
  return preview
    .replace(/^[#>]+|[*`]+/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const kindOf = (body: Record<string, unknown>) => text(body.kind)?.replace(/^handoff\./, '') ?? '';

function fields(json: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The short fields of JSON whose end was cut off, as in a preview. */
function cutFields(json: string): Record<string, unknown> {
  return Object.fromEntries([...json.matchAll(/"(\w+)":"((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));
}
