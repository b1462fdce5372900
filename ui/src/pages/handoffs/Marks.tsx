import { ArrowDown, ArrowUp } from 'lucide-react';
import { Avatar } from '@/look/Avatar';
import { Lease } from '@/look/Meter';
import { countdown, exact } from '@/look/moment';
import { useNow } from '@/look/Time';
import { targetWords } from '@/things/title';

/** A place that somebody will fill. The name is all there is room for; what kind of name it is, is said on hover. */
export function Nobody({ words, name = words }: { words: string; name?: string }) {
  return (
    <span title={words} className="flex min-w-0 items-center gap-2">
      <span aria-hidden="true" className="size-5 shrink-0 rounded-small border border-line-strong border-dashed" />
      <span className="sr-only">{words}</span>
      <span aria-hidden="true" className="truncate">
        {name}
      </span>
    </span>
  );
}

/** Whom something is for: one agent by its face, others by words. */
export function Target({ target }: { target: unknown }) {
  const { strategy, agent_id: agent, role, capability } = (target ?? {}) as Record<string, string | undefined>;
  if (agent && (strategy === 'direct' || strategy === 'direct_with_fallback')) return <Somebody id={agent} />;
  return strategy === 'broadcast' ? (
    <Nobody words="anyone" />
  ) : (
    <Nobody words={targetWords(target)} name={nameOf(role ?? capability)} />
  );
}

/** A capability may be a list any of which will do. */
const nameOf = (value: unknown) => (Array.isArray(value) ? value.join(' or ') : typeof value === 'string' ? value : undefined);

export function Somebody({ id }: { id: string }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Avatar id={id} size="small" />
      <span className="truncate">{id}</span>
    </span>
  );
}

/** How far a thing is from the usual priority. The usual one needs no mark. */
export function Priority({ value }: { value: number }) {
  if (value === 0) return null;
  const Arrow = value > 0 ? ArrowUp : ArrowDown;
  return (
    <span
      title={`Priority ${value}`}
      className={`flex shrink-0 items-center text-small ${value > 0 ? 'text-text' : 'text-text-3'}`}
    >
      <span className="sr-only">Priority </span>
      <Arrow size={12} aria-hidden="true" />
      {Math.abs(value)}
    </span>
  );
}

/** How long a claim still holds, in words. */
export function LeaseLeft({ until }: { until: string }) {
  const left = Date.parse(until) - useNow(true);
  return (
    <time
      dateTime={until}
      title={`Lease until ${exact(until)}`}
      className={`whitespace-nowrap ${left < 60_000 ? 'text-warn' : ''}`}
    >
      {left > 0 ? countdown(left / 1000) : 'lapsed'}
    </time>
  );
}

/** The same as a bar that empties. */
export function LeaseBar({ from, until }: { from: string; until: string }) {
  return (
    <span className="mt-1.5 block">
      <Lease from={from} until={until} words={false} />
    </span>
  );
}
