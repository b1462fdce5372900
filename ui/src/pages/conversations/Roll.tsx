import type { KeyboardEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import { Time } from '@/look/Time';

/** A list of links in which j and k, or the arrows, move. Enter is the link's own. */
export function Roll({ label, children }: { label: string; children: ReactNode }) {
  function press(event: KeyboardEvent<HTMLElement>) {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('a')];
    const at = lines.indexOf(event.target as HTMLElement);
    if (!step || at < 0) return;
    event.preventDefault();
    lines[Math.max(0, Math.min(lines.length - 1, at + step))]?.focus();
  }
  return (
    <nav aria-label={label} onKeyDown={press}>
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
