import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 719px)');

function subscribe(listener: () => void) {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Whether this is a phone, or as narrow as one. */
export const isNarrow = () => narrow.matches;

export const useNarrow = () => useSyncExternalStore(subscribe, isNarrow);
