import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { rowKeys } from '@/look/rowKeys';
import { Time } from '@/look/Time';

/** A list of links in which j and k, or the arrows, move. Enter is the link's own. */
export function Roll({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} onKeyDown={rowKeys}>
      <ul>{children}</ul>
    </nav>
  );
}

/** One conversation in the list: who, what was said last, when, and what waits. */
export function RollLine({
  href,
  current,
  picture,
  name,
  words,
  at,
  unread = 0,
  quiet,
  mark,
}: {
  href: string;
  current: boolean;
  picture: ReactNode;
  name: string;
  words: ReactNode;
  at?: string | null;
  unread?: number;
  /** Whether what is unread waits for somebody else. */
  quiet?: boolean;
  mark?: ReactNode;
}) {
  return (
    <li>
      <Link
        href={href}
        data-row
        aria-current={current ? 'true' : undefined}
        className={`flex h-14 items-center gap-3 px-6 outline-offset-[-2px] max-full:px-4 max-wide:h-16 ${current ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-hover'}`}
      >
        {picture}
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline justify-between gap-2">
            <span className={`truncate ${unread ? 'font-strong' : ''}`}>{name}</span>
            <span className="shrink-0 text-small text-text-2">{at && <Time at={at} />}</span>
          </span>
          <span className="flex items-center justify-between gap-2">
            <span className={`truncate ${unread ? 'text-text' : 'text-text-2'}`}>{words}</span>
            {unread > 0 ? <Waiting count={unread} quiet={quiet} /> : mark}
          </span>
        </span>
      </Link>
    </li>
  );
}

function Waiting({ count, quiet }: { count: number; quiet?: boolean }) {
  return (
    <span
      className={`min-w-4 shrink-0 rounded-full px-1 text-center font-strong text-meta ${quiet ? 'bg-line text-text-2' : 'bg-accent text-on-accent'}`}
    >
      {count > 99 ? '99+' : count}
      <span className="sr-only"> unread</span>
    </span>
  );
}
