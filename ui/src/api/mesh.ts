// Who there is: one answer that everything about agents and channels shares.

import { useMemo } from 'react';
import { useOp } from './query';

/** Agents by their name, with presence, role and capabilities; and the channels of every workspace. */
export function useMesh() {
  const { data } = useOp('observe_graph', {});
  return useMemo(
    () => ({
      agents: new Map((data?.nodes ?? []).map((node) => [node.agent_id, node])),
      channels: new Map((data?.channels ?? []).map((channel) => [channel.channel_id, channel])),
    }),
    [data],
  );
}

export type Mesh = ReturnType<typeof useMesh>;
