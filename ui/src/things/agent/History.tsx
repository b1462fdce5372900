import { useMemo } from 'react';
import { type LogEvent, useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { go } from '@/app/address';
import { Section, Thread } from '@/look/Lines';
import { eventKnot } from '../event/knot';
import { doing } from './doings';

const end = Number.MAX_SAFE_INTEGER;

/** What an agent did, newest first, from the log and as it happens. */
export function useDoings(agentId: string, limit: number): { events: LogEvent[]; hasMore: boolean } {
  const { data } = useOp('observe_events', { agent: agentId, before: end, limit });
  const arrived = useLive((live) => live.events);
  return useMemo(() => {
    const events = new Map<number, LogEvent>();
    for (const event of arrived) if (event.actor_agent_id === agentId) events.set(event.event_id, event);
    for (const event of data?.items ?? []) if (event.actor_agent_id === agentId) events.set(event.event_id, event);
    const sorted = [...events.values()].sort((a, b) => b.event_id - a.event_id);
    return { events: sorted.slice(0, limit), hasMore: sorted.length > limit || !!data?.has_more };
  }, [arrived, data, agentId, limit]);
}

export function History({ agentId }: { agentId: string }) {
  const { events, hasMore } = useDoings(agentId, 12);
  return (
    <Section title="History">
      {events.length === 0 ? (
        <p className="text-text-3">It has done nothing that the log still has.</p>
      ) : (
        <Doings events={events} />
      )}
      {hasMore && (
        <button
          type="button"
          className="mt-3 min-h-6 text-text-2 hover:text-accent"
          onClick={() => go('/events', { agent: agentId })}
        >
          All of it in the log
        </button>
      )}
    </Section>
  );
}

export function Doings({ events }: { events: LogEvent[] }) {
  return <Thread knots={events.map((event) => eventKnot(event, doing(event)))} />;
}
