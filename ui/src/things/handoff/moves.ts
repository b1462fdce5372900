// Where a person may bring a hand-off. docs/states.md draws all ways; these are the ones that are not an agent's own.

import { call, type Item } from '@/api/call';
import type { Move } from '../moves';
import { handoffTitle } from '../title';

export type Handoff = Item<'observe_handoffs'>;

export const handoffStatuses = [
  'OPEN',
  'CLAIMED',
  'VERIFYING',
  'COMPLETED',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
  'PARKED',
] as const;

/** The word for a status. */
export function statusWord(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}

/** What may be done with a hand-off as it is now, the likeliest first. */
export function handoffMoves(handoff: Handoff): Move[] {
  switch (handoff.status) {
    case 'VERIFYING':
      return [accept(handoff), sendBack(handoff), cancel(handoff)];
    case 'PARKED':
      return [requeue(handoff), cancel(handoff)];
    case 'REJECTED':
    case 'EXPIRED':
      return [requeue(handoff)];
    case 'OPEN':
    case 'CLAIMED':
      return [cancel(handoff)];
    default:
      return [];
  }
}

const worker = (handoff: Handoff) => handoff.claimed_by ?? 'the one who did it';

const accept = (handoff: Handoff): Move => ({
  to: 'COMPLETED',
  verb: 'Verify',
  key: 'v',
  ask: {
    title: `Accept “${handoffTitle(handoff)}”`,
    says: `It is completed then, for good. ${handoff.from_agent_id} and ${worker(handoff)} are told.`,
    points: handoff.acceptance_criteria,
    label: `A word for ${worker(handoff)} (optional)`,
  },
});

const sendBack = (handoff: Handoff): Move => ({
  to: 'CLAIMED',
  verb: 'Send back',
  key: 'b',
  ask: {
    title: `Send back “${handoffTitle(handoff)}”`,
    says: `${worker(handoff)} gets it again, with a new lease and what you write here.`,
    points: handoff.acceptance_criteria,
    label: 'What is missing',
    required: true,
  },
});

const requeue = (handoff: Handoff): Move => ({
  to: 'OPEN',
  verb: 'Requeue',
  hint: handoff.expires_at ? 'Offer it again, without a deadline' : 'Offer it again to whom it was for',
  key: 'q',
});

const cancel = (handoff: Handoff): Move => ({
  to: 'CANCELLED',
  verb: 'Cancel',
  key: 'c',
  danger: true,
  ask: {
    title: `Cancel “${handoffTitle(handoff)}”`,
    says: `${lost(handoff)} It cannot be opened again, and what waits for it is never offered.`,
    label: 'Why (optional)',
  },
});

/** What a cancellation throws away. */
function lost(handoff: Handoff): string {
  const { status, claimed_by: agent } = handoff;
  if (status === 'CLAIMED' && agent) return `${agent} is working on it and is told to stop; what it has done so far is lost.`;
  if (status === 'VERIFYING' && agent) return `The result of ${agent} is not accepted.`;
  return 'Nobody is working on it.';
}

/** Carries a move out, in the operator's name. */
export function moveHandoff(handoff: Handoff, move: Move, text: string): Promise<unknown> {
  const { handoff_id, workspace_id } = handoff;
  const words = text.trim() || undefined;
  const work = { project_root: workspace_id, handoff_id, agent_id: 'operator' };
  switch (move.to) {
    case 'COMPLETED':
      return call('handoff_verify', { ...work, verdict: 'accept', feedback: words });
    case 'CLAIMED':
      return call('handoff_verify', { ...work, verdict: 'reject', feedback: words });
    case 'OPEN':
      return call('handoff_requeue', work);
    default:
      return call('admin_cancel_handoff', { handoff_id, workspace: workspace_id, reason: words });
  }
}
