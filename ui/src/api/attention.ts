// What needs a person: one answer that the rail and the overview share.

import { useWorkspace } from '@/app/address';
import { useOp } from './query';

/** What needs somebody, the most urgent first. */
export function useNeeds() {
  const workspace = useWorkspace();
  return useOp('observe_attention', { workspace: workspace || undefined });
}

/** How many things of these kinds need somebody. */
export function useAttention(kinds: string[] | undefined): number {
  const total: Record<string, number> = useNeeds().data?.total ?? {};
  return (kinds ?? []).reduce((sum, kind) => sum + (total[kind] ?? 0), 0);
}
