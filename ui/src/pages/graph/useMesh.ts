import { useMemo } from 'react';
import { useOp } from '@/api/query';
import { ranges, useRange, useWorkspace } from '@/app/address';
import { meshOf } from './mesh';

/** The mesh of the workspace and the time in the address, as it is now. */
export function useMesh() {
  const workspace = useWorkspace();
  const hours = ranges[useRange()];
  const input = { workspace: workspace || undefined, window_hours: hours };
  const graph = useOp('observe_graph', input);
  const verifying = useOp('observe_handoffs', { workspace: workspace || undefined, status: 'VERIFYING', limit: 200 });
  const directory = useOp('agent_directory', { limit: 1000 });
  const sessions = useOp('observe_sessions', { limit: 2000 });
  const mesh = useMemo(
    () =>
      graph.data &&
      meshOf({
        graph: graph.data,
        verifying: verifying.data?.items,
        directory: directory.data?.items,
        sessions: sessions.data?.items,
        workspace: workspace || undefined,
      }),
    [graph.data, verifying.data, directory.data, sessions.data, workspace],
  );
  // Without knowing who is where, everybody would be laid out in the wrong place first.
  const isComplete = !!sessions.data || sessions.isError;
  return {
    mesh: isComplete ? mesh : undefined,
    input,
    error: graph.error,
    refetch: graph.refetch,
    isPlaceholder: graph.isPlaceholderData,
  };
}
