import { useState } from 'react';
import { usePages } from '@/api/query';
import { inspect } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { Section } from '@/look/Lines';
import { Time } from '@/look/Time';

const few = 8;

/** Who stays in a workspace now, those heard of last first. */
export function Sessions({ workspace }: { workspace: string }) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = usePages('observe_sessions', {
    workspace,
    status: 'active',
    limit: 100,
  });
  const [all, setAll] = useState(false);
  if (!data) return null;
  const sessions = data.pages
    .flatMap((page) => page.items)
    .sort((a, b) => b.last_heartbeat_at.localeCompare(a.last_heartbeat_at));
  const shown = all ? sessions : sessions.slice(0, few);
  const rest = sessions.length - shown.length;
  return (
    <Section title="Sessions" aside={`${sessions.length}${hasNextPage ? '+' : ''} open`}>
      {sessions.length === 0 && <p className="text-text-3">Nobody is here.</p>}
      <ul className="flex flex-col">
        {shown.map((session) => (
          <li key={session.session_id}>
            <button
              type="button"
              onClick={() => inspect('session', session.session_id)}
              className="flex min-h-8 w-full items-center justify-between gap-3 rounded-small text-left hover:bg-hover"
            >
              <AgentName id={session.agent_id} presence={session.presence} />
              <span className="shrink-0 text-small text-text-2">
                heard <Time at={session.last_heartbeat_at} suffix=" ago" />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {(rest > 0 || (all && hasNextPage)) && (
        <button
          type="button"
          disabled={isFetchingNextPage}
          onClick={() => (all ? void fetchNextPage() : setAll(true))}
          className="mt-1 min-h-6 text-accent"
        >
          {all ? 'Show more' : `Show ${rest} more`}
        </button>
      )}
    </Section>
  );
}
