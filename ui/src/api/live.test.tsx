import { renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** The browser's side of a stream: the test says what comes over it. */
class FakeSource extends EventTarget {
  static CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  onopen?: () => void;
  onerror?: () => void;
  constructor(readonly url: string) {
    super();
    FakeSource.all.push(this);
  }
  close() {
    this.readyState = 2;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  send(type: string, data: unknown, lastEventId = '') {
    this.dispatchEvent(Object.assign(new Event(type), { data: JSON.stringify(data), lastEventId }));
  }
}

const answer = (data: unknown, status = 200) =>
  new Response(JSON.stringify(status === 200 ? { ok: true, data } : { ok: false, error: { code: 'X', message: 'x' } }), {
    status,
  });
const event = (event_id: number, type = 'message.created') => ({ event_id, type });

let live: typeof import('./live');

beforeEach(async () => {
  FakeSource.all = [];
  vi.stubGlobal('EventSource', FakeSource);
  vi.resetModules(); // each test opens the page anew
  live = await import('./live');
});
afterEach(() => {
  live.stopLive();
  vi.unstubAllGlobals();
});

const state = () => renderHook(() => live.useLive((now) => now)).result;

async function opened() {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => answer({ items: [event(41)] })),
  );
  const now = state();
  await live.startLive();
  const source = FakeSource.all[0]!;
  source.open();
  return { now, source };
}

test('the stream begins behind the newest event, so that nothing between is missed', async () => {
  const { now, source } = await opened();
  expect(source.url).toBe('/api/v1/stream?last_event_id=41');
  await waitFor(() => expect(now.current.state).toBe('live'));
});

test('events come once and in order, also when the browser hears some of them twice', async () => {
  const { now, source } = await opened();
  for (const id of [42, 43, 43, 42, 44]) source.send('nexus', event(id));
  await waitFor(() => expect(now.current.last).toBe(44));
  expect(now.current.events.map((known) => known.event_id)).toEqual([42, 43, 44]);
});

test('a stream that breaks says so, and is live again when the browser is back', async () => {
  const { now, source } = await opened();
  source.readyState = 0;
  source.onerror?.();
  await waitFor(() => expect(now.current.state).toBe('reconnecting'));
  source.open();
  await waitFor(() => expect(now.current.state).toBe('live'));
});

test('a gap is kept, and reading goes on behind it', async () => {
  const { now, source } = await opened();
  source.send('gap', { after: 41, resumes_at: 1201, reason: 'retention' }, '1200');
  source.send('nexus', event(1201));
  await waitFor(() => expect(now.current.last).toBe(1201));
  expect(now.current.gaps).toHaveLength(1);
});

test('another log takes the place of the old one', async () => {
  const { now, source } = await opened();
  source.send('nexus', event(42));
  await waitFor(() => expect(now.current.events).toHaveLength(1));
  source.send('gap', { after: 42, resumes_at: 4, reason: 'unknown_cursor' }, '3');
  source.send('nexus', event(4));
  await waitFor(() => expect(now.current.last).toBe(4));
  expect(now.current.events.map((known) => known.event_id)).toEqual([4]);
});

test('whom the hub does not know is told so', async () => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => answer(null, 401)),
  );
  const now = state();
  await live.startLive();
  await waitFor(() => expect(now.current.state).toBe('closed'));
  expect(FakeSource.all).toHaveLength(0);
});
