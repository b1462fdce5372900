// The life of a hand-off as its events tell it: what happened in words, and who had it how long.

import type { Data } from '@/api/call';
import { targetWords } from '../title';

export type HandoffEvent = NonNullable<Data<'observe_handoff'>['events']>[number];

type Payload = {
  status?: string;
  claimed_by?: string;
  previous_claimed_by?: string;
  attempt?: number;
  reason?: string;
  feedback?: string;
  target?: unknown;
};

const payloadOf = (event: HandoffEvent) => (event.payload ?? {}) as Payload;

export type Step = {
  event: HandoffEvent;
  what: string;
  why?: string;
};

/** What happened, newest first. An agent that extends its lease again and again is told of once. */
export function stepsOf(events: HandoffEvent[]): Step[] {
  const steps: Step[] = [];
  let renewals = 0;
  let verifying = false;
  for (const event of events) {
    if (event.type === 'handoff.renewed' && steps.at(-1)?.event.type === 'handoff.renewed') {
      renewals++;
      steps.pop();
    } else renewals = 1;
    steps.push({ event, ...wordsOf(event, renewals, verifying) });
    verifying = event.type === 'handoff.verifying';
  }
  return steps.reverse();
}

function wordsOf(event: HandoffEvent, renewals: number, verifying: boolean): { what: string; why?: string } {
  const who = event.actor_agent_id || 'Somebody';
  const payload = payloadOf(event);
  switch (event.type) {
    case 'handoff.created':
      return { what: `${who} opened it for ${targetWords(payload.target)}` };
    case 'handoff.claimed':
      return { what: `${who} claimed it`, why: (payload.attempt ?? 1) > 1 ? `Attempt ${payload.attempt}` : undefined };
    case 'handoff.renewed':
      return { what: `${who} extended the lease${renewals > 1 ? ` ${renewals} times` : ''}` };
    case 'handoff.verifying':
      return { what: `${who} asked to verify` };
    case 'handoff.sent_back':
      return { what: `${who} sent it back`, why: payload.feedback };
    case 'handoff.completed':
      return { what: verifying ? `${who} accepted it` : `${who} completed it` };
    case 'handoff.rejected':
      return { what: `${who} rejected it`, why: payload.reason };
    case 'handoff.cancelled':
      return { what: `${who} cancelled it`, why: payload.reason };
    case 'handoff.requeued':
      return { what: `${who} offered it again` };
    case 'handoff.parked':
      return { what: 'Parked: too many gave it up', why: unfinished(payload) };
    case 'handoff.expired':
      return payload.status === 'EXPIRED'
        ? { what: 'Expired: its time is over', why: unfinished(payload) }
        : { what: 'Lease lapsed, back to the pool', why: unfinished(payload) };
    default:
      return { what: event.type };
  }
}

function unfinished({ previous_claimed_by: agent }: Payload): string | undefined {
  return agent ? `${agent} brought no result` : undefined;
}

/** Since when it is in its state: a longer lease changes nothing of that. */
export function sinceOf(events: HandoffEvent[], updated: string): string {
  return events.findLast((event) => event.type !== 'handoff.renewed')?.created_at ?? updated;
}

/** Who had it: an agent at work, whoever verifies, or nobody. */
export type Hold = { who: string | null; verifying: boolean; seconds: number };

const ends = ['handoff.completed', 'handoff.rejected', 'handoff.cancelled'];

/** Who had it how long, from its first event until it ended, or until now. */
export function holdsOf(events: HandoffEvent[], verifier: string | null, now: number): Hold[] {
  const holds: Hold[] = [];
  for (const [i, event] of events.entries()) {
    const next = events[i + 1];
    if (ends.includes(event.type) || (event.type === 'handoff.expired' && payloadOf(event).status === 'EXPIRED')) {
      if (!next) break;
    }
    const until = next ? Date.parse(next.created_at) : now;
    const seconds = Math.max(0, until - Date.parse(event.created_at)) / 1000;
    const verifying = event.type === 'handoff.verifying';
    const who = verifying ? verifier : holderAfter(event);
    const last = holds.at(-1);
    if (last && last.who === who && last.verifying === verifying) last.seconds += seconds;
    else holds.push({ who, verifying, seconds });
  }
  return holds;
}

function holderAfter(event: HandoffEvent): string | null {
  const held = ['handoff.claimed', 'handoff.renewed', 'handoff.sent_back'].includes(event.type);
  return held ? (payloadOf(event).claimed_by ?? event.actor_agent_id) : null;
}
