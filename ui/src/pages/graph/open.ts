// Where a press on the mesh or in the list leads.

import { go, inspect } from '@/app/address';
import type { Work } from './mesh';

/** Opens what two agents wrote to each other. */
export function openPair({ a, b }: { a: string; b: string }) {
  if (a === 'operator') go('/conversations', { peer: b });
  else if (b === 'operator') go('/conversations', { peer: a });
  else go('/conversations', { as: a, peer: b });
}

/** Opens one hand-off, or the list of several. */
export function openWork({ ids, from, status }: Work) {
  const [only] = ids;
  if (only && ids.length === 1) inspect('handoff', only);
  else go('/handoffs', { view: 'table', agent: from, status });
}
