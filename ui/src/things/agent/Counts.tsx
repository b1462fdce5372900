import { useMemo } from 'react';
import type { Item } from '@/api/call';
import { useOp } from '@/api/query';
import { go, ranges, useRange, useWorkspace } from '@/app/address';
import { Count, Section } from '@/look/Lines';

type Handoff = Item<'observe_handoffs'>;

/** How many are counted one by one; beyond that it says so. */
const most = 200;

/** Whether it is for this agent to say that a piece of work is done. */
export function mayVerify(
  handoff: Pick<Handoff, 'from_agent_id' | 'claimed_by' | 'verify_by'>,
  id: string,
  canDo: string[],
): boolean {
  const by = (handoff.verify_by ?? {}) as { kind?: string; agent_id?: string; capability?: string };
  if (by.kind === 'agent') return by.agent_id === id;
  if (by.kind === 'capability') return canDo.includes(by.capability ?? '') && handoff.claimed_by !== id;
  return handoff.from_agent_id === id;
}

/** What an agent has under way and has done; each number leads to what it counts. */
export function Counts({ id, inFlight, canDo }: { id: string; inFlight: number; canDo: string[] }) {
  const range = useRange();
  const workspace = useWorkspace() || undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time is counted from when somebody looked at this agent
  const since = useMemo(() => new Date(Date.now() - ranges[range] * 3_600_000).toISOString(), [range, id]);
  const verifying = useOp('observe_handoffs', { workspace, status: 'VERIFYING', limit: most });
  const completed = useOp('observe_handoffs', { workspace, status: 'COMPLETED', agent: id, limit: most });
  const sent = useOp('observe_messages', { workspace, from_agent: id, since, page_size: 1 });
  const toVerify = (verifying.data?.items ?? []).filter((handoff) => mayVerify(handoff, id, canDo)).length;
  const done = (completed.data?.items ?? []).filter((handoff) => handoff.claimed_by === id).length;
  return (
    <Section>
      <div className="grid grid-cols-4 gap-2">
        <Count value={inFlight} word="in flight" onClick={() => go('/messages', { to: id, lane: 'delivered' })} />
        <Count value={toVerify} word="to verify" onClick={() => go('/handoffs', { view: 'table', status: 'VERIFYING' })} />
        <Count
          value={completed.data ? `${done}${completed.data.next_cursor ? '+' : ''}` : '–'}
          word="completed"
          onClick={() => go('/handoffs', { view: 'table', agent: id, status: 'COMPLETED' })}
        />
        <Count
          value={sent.data ? `${sent.data.total}${sent.data.total_is_estimate ? '+' : ''}` : '–'}
          word={`sent, ${range.replace(/(\d)(\D)/, '$1 $2')}`}
          onClick={() => go('/messages', { from: id })}
        />
      </div>
    </Section>
  );
}
