// Places are kept, in memory and in the browser: whoever comes back finds everybody where they were.

import { remember, remembered } from '@/app/remember';
import type { Places } from './islands';

const known = new Map<string, Places>();

const name = (scope: string) => `graph.places.${scope || 'all'}`;

/** Where everybody of a workspace (blank for all) stood last. */
export function keptPlaces(scope: string): Places {
  const kept = known.get(scope);
  if (kept) return kept;
  const entries = Object.entries(remembered<Record<string, unknown>>(name(scope), {}) ?? {}).flatMap(([id, at]) =>
    Array.isArray(at) && Number.isFinite(at[0]) && Number.isFinite(at[1]) ? [[id, { x: at[0], y: at[1] }] as const] : [],
  );
  return new Map(entries);
}

export function keepPlaces(scope: string, places: Places) {
  known.set(scope, places);
  remember(name(scope), Object.fromEntries([...places].map(([id, { x, y }]) => [id, [Math.round(x), Math.round(y)]])));
}

export function forgetPlaces(scope: string) {
  known.delete(scope);
  remember(name(scope), undefined);
}
