import { useState } from 'react';
import { remember, remembered } from './remember';

/** What somebody has begun to write: kept by this browser until it is sent or dropped. Nothing secret belongs here. */
export function useDraft<T extends object>(name: string, blank: T): [T, (change: Partial<T>) => void, () => void] {
  const [draft, setDraft] = useState<T>(() => ({ ...blank, ...remembered<Partial<T>>(name, {}) }));
  function change(part: Partial<T>) {
    const next = { ...draft, ...part };
    setDraft(next);
    remember(name, next);
  }
  function drop() {
    setDraft(blank);
    remember(name, undefined);
  }
  return [draft, change, drop];
}
