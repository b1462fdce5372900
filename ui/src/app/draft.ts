import { useCallback, useRef, useState } from 'react';
import { remember, remembered } from './remember';

type Options<T> = {
  /** What the address says already; it goes before what was kept. */
  given?: Partial<T>;
  /** Whether there is nothing in it worth keeping. */
  isBlank?: (draft: T) => boolean;
};

const never = () => false;

/**
 * What somebody has begun to write: kept by this browser until it is sent or dropped. Nothing secret belongs here. To drop
 * it is to begin anew, with what stays.
 */
export function useDraft<T extends object>(
  name: string,
  blank: T,
  { given = {}, isBlank = never }: Options<T> = {},
): [draft: T, change: (part: Partial<T>) => void, drop: (stays?: Partial<T>) => void] {
  const [draft, setDraft] = useState<T>(() => {
    const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
    return { ...blank, ...remembered<Partial<T>>(name, {}), ...known };
  });
  const now = useRef(draft);
  const change = useCallback(
    (part: Partial<T>) => {
      now.current = { ...now.current, ...part };
      setDraft(now.current);
      remember(name, isBlank(now.current) ? '' : now.current);
    },
    [name, isBlank],
  );
  function drop(stays: Partial<T> = {}) {
    now.current = { ...blank, ...stays };
    setDraft(now.current);
    remember(name, '');
  }
  return [draft, change, drop];
}
