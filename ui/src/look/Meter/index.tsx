import { countdown } from '../moment';
import { useNow } from '../Time';

/** How much of a lease is left: a bar that empties, and turns when it is short. */
export function Lease({ from, until, words = true }: { from: string; until: string; words?: boolean }) {
  const now = useNow(true);
  const whole = Math.max(1, Date.parse(until) - Date.parse(from));
  const left = Date.parse(until) - now;
  const part = Math.min(1, Math.max(0, left / whole));
  const short = left < 60_000;
  return (
    <span className="block">
      {words && (
        <span className={`text-small ${short ? 'text-warn' : 'text-text-2'}`}>
          {left > 0 ? `${countdown(left / 1000)} left` : 'lapsed'}
        </span>
      )}
      <Bar part={part} tone={short ? 'warn' : 'accent'} label="Lease left" />
    </span>
  );
}

/** A thin bar that is filled in part. */
export function Bar({
  part,
  tone = 'accent',
  label,
}: {
  part: number;
  tone?: 'accent' | 'warn' | 'info' | 'quiet';
  label?: string;
}) {
  const colour = { accent: 'bg-accent', warn: 'bg-warn-mark', info: 'bg-info-mark', quiet: 'bg-line-strong' }[tone];
  return (
    <span
      className="mt-1 block h-[3px] overflow-hidden rounded-full bg-line"
      {...(label
        ? {
            role: 'meter',
            'aria-label': label,
            'aria-valuemin': 0,
            'aria-valuemax': 100,
            'aria-valuenow': Math.round(part * 100),
          }
        : { 'aria-hidden': true })}
    >
      <span className={`block h-full rounded-full ${colour}`} style={{ width: `${part * 100}%` }} />
    </span>
  );
}
