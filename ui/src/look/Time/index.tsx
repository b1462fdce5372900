import { useSyncExternalStore } from 'react';
import { exact, secondsSince, span } from '../moment';

/** A clock that all of the page shares: one timer, whatever is on it. */
function ticker(every: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let now = Date.now();
  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      now = Date.now();
      timer ??= setInterval(() => {
        now = Date.now();
        for (const tell of listeners) tell();
      }, every);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      };
    },
    now: () => (timer ? now : Math.floor(Date.now() / every) * every),
  };
}

const second = ticker(1_000);
const slow = ticker(10_000);

/** The time, to the second or, usually, to ten of them. */
export function useNow(exactly = false): number {
  const clock = exactly ? second : slow;
  return useSyncExternalStore(clock.subscribe, clock.now);
}

/** A moment as how long ago it was; the exact one on hover. */
export function Time({ at, suffix = '' }: { at: string | null | undefined; suffix?: string }) {
  const now = useNow();
  if (!at) return <span className="text-text-3">never</span>;
  return (
    <time dateTime={at} title={exact(at)} className="whitespace-nowrap">
      {span(secondsSince(at, now))}
      {suffix}
    </time>
  );
}
