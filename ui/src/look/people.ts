// Who is a person: told once by the frame, so that an avatar needs nothing but a name.

import { useSyncExternalStore } from 'react';

let people = new Set(['operator']);
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says who is a person, beside whoever runs the hub. */
export function setPeople(ids: string[]) {
  const next = new Set(['operator', ...ids]);
  if (next.size === people.size && [...next].every((id) => people.has(id))) return;
  people = next;
  for (const listener of listeners) listener();
}

export const useIsPerson = (id: string) => useSyncExternalStore(subscribe, () => people.has(id));
