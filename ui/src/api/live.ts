// The event stream: the only source of liveness. It resumes exactly where it was, and says honestly whether it is there.

import { useSyncExternalStore } from 'react';
import { call, HubError, type Item } from './call';
import { stale, staleAll } from './stale';

export type LogEvent = Item<'observe_events'>;

/** A hole in what this page has seen: retention was faster, or it is another log. */
export type Gap = { after: number; resumes_at: number; reason: string };

/**
 * starting: not connected yet. live: every event arrives. reconnecting: it was cut and tries again, nothing is lost.
 * offline: it has been trying for a while, or the browser has no network. closed: the sign-in is over.
 */
export type LiveState = 'starting' | 'live' | 'reconnecting' | 'offline' | 'closed';

/** How many events a page that is left open keeps. Older ones are read from the hub again. */
const kept = 5_000;

const offlineAfter = 10_000;

type Snapshot = {
  state: LiveState;
  /** The log's last number when the page was opened, and the last one that has arrived. */
  start: number;
  last: number;
  /** What has arrived since the page was opened, oldest first; the newest few thousand. */
  events: LogEvent[];
  gaps: Gap[];
  since: number;
};

let now: Snapshot = { state: 'starting', start: 0, last: 0, events: [], gaps: [], since: Date.now() };
const listeners = new Set<() => void>();

function set(change: Partial<Snapshot>) {
  if (change.state && change.state !== now.state) change.since = Date.now();
  now = { ...now, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The state of the stream and what came over it. `select` keeps a component still while the rest changes. */
export function useLive<T>(select: (live: Snapshot) => T): T {
  return useSyncExternalStore(subscribe, () => select(now));
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let giveUp: ReturnType<typeof setTimeout> | undefined;

/** Opens the stream, once, at the end of the log as it is now. */
export async function startLive() {
  if (source) return;
  try {
    const { items } = await call('observe_events', { before: Number.MAX_SAFE_INTEGER, limit: 1 });
    const head = items[0]?.event_id ?? 0;
    set({ start: head, last: head });
    connect();
  } catch (error) {
    if (error instanceof HubError && (error.status === 401 || error.status === 403)) set({ state: 'closed' });
    else {
      lost();
      retry = setTimeout(startLive, 2_000);
    }
  }
}

export function stopLive() {
  clearTimeout(retry);
  clearTimeout(giveUp);
  source?.close();
  source = undefined;
}

function connect() {
  source?.close();
  source = new EventSource(`/api/v1/stream?last_event_id=${now.last}`);
  source.onopen = () => {
    clearTimeout(giveUp);
    giveUp = undefined;
    if (now.state !== 'live') set({ state: 'live' });
  };
  source.addEventListener('nexus', (frame) => take(JSON.parse(frame.data)));
  source.addEventListener('gap', (frame) => skip(JSON.parse(frame.data), Number(frame.lastEventId)));
  source.onerror = () => {
    lost();
    // The browser tries again by itself after a broken connection, but not after a refusal.
    if (source?.readyState === EventSource.CLOSED) retry = setTimeout(reopen, 2_000);
  };
}

async function reopen() {
  try {
    await call('observe_event_types', {});
    connect();
  } catch (error) {
    if (error instanceof HubError && error.status === 401) return set({ state: 'closed' });
    retry = setTimeout(reopen, 2_000);
  }
}

function lost() {
  if (now.state === 'live' || now.state === 'starting') set({ state: navigator.onLine ? 'reconnecting' : 'offline' });
  giveUp ??= setTimeout(() => now.state !== 'live' && set({ state: 'offline' }), offlineAfter);
}

let arrived: LogEvent[] = [];

/** Takes one event. Those of one moment are shown together, so that a busy log does not draw the page a thousand times. */
function take(event: LogEvent) {
  if (event.event_id <= (arrived.at(-1)?.event_id ?? now.last)) return; // it had come before the connection broke
  arrived.push(event);
  if (arrived.length === 1) setTimeout(flush, 50);
}

function flush() {
  const fresh = arrived;
  arrived = [];
  if (fresh.length === 0) return;
  set({ last: fresh.at(-1)!.event_id, events: [...now.events, ...fresh].slice(-kept) });
  stale(fresh.map((event) => event.type));
}

function skip(gap: Gap, resumeAt: number) {
  flush();
  set({
    last: resumeAt,
    gaps: [...now.gaps, gap],
    ...(gap.reason === 'unknown_cursor' && { start: resumeAt, events: [], gaps: [] }),
  });
  staleAll();
}
