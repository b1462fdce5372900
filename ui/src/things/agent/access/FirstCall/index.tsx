import { useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { PresenceMark, presenceWord } from '@/look/Avatar';
import { Time } from '@/look/Time';

type Entry = { is_active: boolean; has_key: boolean; created_at: string; last_seen_at: string | null };

/** How an agent stands: whether it may come in, whether it ever has, and whether it is there. */
export type Standing = 'inactive' | 'waiting' | 'present' | 'stale' | 'offline';

/** An agent that was given a key and has not been heard of was last seen when it was made. */
export function standing(entry: Entry, presence?: string | null): Standing {
  if (!entry.is_active) return 'inactive';
  if (presence === 'present' || presence === 'stale') return presence;
  if (entry.has_key && (!entry.last_seen_at || entry.last_seen_at <= entry.created_at)) return 'waiting';
  return 'offline';
}

export const standingWord = (state: Standing) =>
  ({ inactive: 'Inactive', waiting: 'Waiting' })[state as string] ?? presenceWord(state);

export function StandingMark({ state }: { state: Standing }) {
  if (state === 'waiting' || state === 'inactive') {
    return (
      <svg viewBox="0 0 10 10" className="block size-2.5" aria-hidden="true">
        {state === 'waiting' ? (
          <circle cx="5" cy="5" r="4" fill="none" stroke="var(--text-3)" strokeWidth="1.4" strokeDasharray="1.6 1.6" />
        ) : (
          <path d="M1.5 5h7" stroke="var(--bad-mark)" strokeWidth="2" strokeLinecap="round" />
        )}
      </svg>
    );
  }
  return <PresenceMark presence={state} className="size-2.5" />;
}

/** Presence of everybody, by agent. */
export function usePresence(): Map<string, string> {
  const { data } = useOp('observe_graph', { window_hours: 1 });
  return new Map(data?.nodes.map((node) => [node.agent_id, node.presence]));
}

/** Waits in sight until a new agent makes itself heard. What it did says so at once, before any list is read again. */
export function FirstCall({ agentId }: { agentId: string }) {
  const { data } = useOp('agent_entry', { agent_id: agentId });
  const presence = usePresence().get(agentId);
  const heard = useLive((live) => live.events.findLast((event) => event.actor_agent_id === agentId));
  const state = data ? standing(data, presence) : 'waiting';
  if (state === 'waiting' && !heard) {
    return (
      <p role="status" className="flex flex-wrap items-center gap-x-2">
        <StandingMark state="waiting" />
        Waiting for its first call <span className="text-text-2">shows here when it comes</span>
      </p>
    );
  }
  const came = !!heard && (state === 'waiting' || state === 'offline'); // it calls, but has opened no session yet
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2">
      <StandingMark state={came ? 'present' : state} />
      <span className="font-strong">{came ? 'Its first call has come' : standingWord(state)}</span>
      <span className="text-text-2">
        {heard ? `${heard.type}, ` : 'seen '}
        <Time at={heard?.created_at ?? data?.last_seen_at} suffix=" ago" />
      </span>
    </p>
  );
}
