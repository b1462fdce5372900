import type { CSSProperties } from 'react';
import { hue, letters } from '../hue';
import { useIsPerson } from '../people';

export type Presence = 'present' | 'stale' | 'offline';

const sizes = { small: 'size-5 text-[10px]', usual: 'size-6 text-meta', medium: 'size-7 text-small', large: 'size-9 text-base' };
const dots = { small: 'size-2', usual: 'size-2', medium: 'size-2.5', large: 'size-2.5' };

/** An agent: a square with its letters, in its hue. People are round. */
export function Avatar({ id, presence, size = 'usual' }: { id: string; presence?: string | null; size?: keyof typeof sizes }) {
  const person = useIsPerson(id);
  return (
    <span className="relative inline-flex shrink-0" aria-hidden="true">
      <span
        style={{ '--h': hue(id) } as CSSProperties}
        className={`agent-wash inline-flex items-center justify-center font-strong leading-none ${person ? 'rounded-full' : 'rounded-small'} ${sizes[size]}`}
      >
        {letters(id)}
      </span>
      {presence && (
        <span className="absolute -right-0.5 -bottom-0.5 rounded-full bg-surface p-px">
          <PresenceMark presence={presence} className={dots[size]} />
        </span>
      )}
    </span>
  );
}

/** Presence by shape and colour: full, half, hollow. */
export function PresenceMark({ presence, className = 'size-2' }: { presence: string; className?: string }) {
  return (
    <svg viewBox="0 0 10 10" className={`block ${className}`} aria-hidden="true">
      {presence === 'present' && <circle cx="5" cy="5" r="4.5" fill="var(--ok-mark)" />}
      {presence === 'stale' && (
        <>
          <circle cx="5" cy="5" r="4" fill="none" stroke="var(--warn-mark)" strokeWidth="1.4" />
          <path d="M5 1a4 4 0 0 0 0 8z" fill="var(--warn-mark)" />
        </>
      )}
      {presence !== 'present' && presence !== 'stale' && (
        <circle cx="5" cy="5" r="3.8" fill="none" stroke="var(--line-strong)" strokeWidth="1.6" />
      )}
    </svg>
  );
}

/** The word for a presence. */
export function presenceWord(presence: string): string {
  return { present: 'Present', stale: 'Stale', offline: 'Offline' }[presence] ?? presence;
}

/** An agent as a word with its avatar. */
export function AgentName({ id, presence, strong }: { id: string; presence?: string | null; strong?: boolean }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <Avatar id={id} presence={presence} size="small" />
      <span className={`truncate ${strong ? 'font-strong' : ''}`}>{id}</span>
    </span>
  );
}
