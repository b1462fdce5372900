// Time as people say it.

const steps: [number, string][] = [
  [60, 's'],
  [60, 'm'],
  [24, 'h'],
  [7, 'd'],
];

/** How long so many seconds are, in one unit: 4 s, 12 m, 3 h, 2 d, 5 w. */
export function span(seconds: number): string {
  let left = Math.max(0, seconds);
  for (const [size, unit] of steps) {
    if (left < size) return `${Math.floor(left)} ${unit}`;
    left /= size;
  }
  return `${Math.floor(left)} w`;
}

/** A countdown: 0:48, 12:05, 3 h. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  return left < 3600 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` : span(left);
}

const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** The exact moment, in the reader's zone. */
export const exact = (at: string) => exactly.format(new Date(at));

/** The time of day; with the day if it was another one. */
export function clockTime(at: string, now = Date.now()): string {
  const then = new Date(at);
  const days = (now - then.getTime()) / 86_400_000;
  if (then.toDateString() === new Date(now).toDateString()) return clock.format(then);
  return days < 6 ? weekday.format(then) : date.format(then);
}

/** The day of a moment: Today, Yesterday, or its date. */
export function dayName(at: string, now = Date.now()): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - 86_400_000).toDateString()) return 'Yesterday';
  return date.format(new Date(at));
}

export const secondsSince = (at: string, now = Date.now()) => (now - Date.parse(at)) / 1000;
