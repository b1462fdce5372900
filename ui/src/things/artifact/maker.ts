// Who made an artifact: the log knows, the artifact does not.

import { useMemo } from 'react';
import { type LogEvent, useLive } from '@/api/live';
import { useOp } from '@/api/query';

/** The makers of artifacts that these events tell of. */
export function makersIn(events: LogEvent[]): Map<string, string> {
  const makers = new Map<string, string>();
  for (const { type, actor_agent_id: maker, payload } of events) {
    const id = (payload as { artifact_id?: unknown } | null)?.artifact_id;
    if (type === 'artifact.created' && maker && typeof id === 'string') makers.set(id, maker);
  }
  return makers;
}

/** Who made the newest artifacts, by their ids. */
export function useMakers(): Map<string, string> {
  const arrived = useLive((live) => live.events);
  const start = useLive((live) => live.start);
  const { data } = useOp('observe_events', { type: 'artifact.created', before: start + 1, limit: 500 }, { enabled: start > 0 });
  return useMemo(() => makersIn([...(data?.items ?? []), ...arrived]), [data, arrived]);
}

/** Who made one artifact. Its event has the very moment of the artifact. */
export function useMaker(artifact: { artifact_id: string; workspace_id: string; created_at: string } | undefined) {
  const at = artifact?.created_at ?? '';
  const { data } = useOp(
    'observe_events',
    { type: 'artifact.created', workspace: artifact?.workspace_id, since: at, limit: 20 },
    { enabled: !!artifact },
  );
  return artifact && makersIn(data?.items ?? []).get(artifact.artifact_id);
}
