import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cache } from './query';
import { stale } from './stale';

const fetches: Record<string, number> = {};
let stop: (() => void)[] = [];
let clock = Date.parse('2026-01-01T00:00:00Z');

/** An answer that somebody looks at. */
function watch(name: string, input: object = {}) {
  const observer = new QueryObserver(cache, {
    queryKey: [name, input],
    queryFn: () => {
      fetches[name] = (fetches[name] ?? 0) + 1;
      return fetches[name];
    },
  });
  stop.push(observer.subscribe(() => {}));
}

const pass = (time: number) => vi.advanceTimersByTimeAsync(time);

beforeEach(() => {
  clock += 3_600_000; // whatever an earlier test fetched is long ago
  vi.useFakeTimers({ now: clock });
  for (const name of Object.keys(fetches)) delete fetches[name];
});

afterEach(async () => {
  await pass(60_000);
  for (const end of stop) end();
  stop = [];
  cache.clear();
  vi.useRealTimers();
});

test('an event makes old what it touches, and nothing else', async () => {
  watch('observe_artifacts');
  watch('observe_handoffs');
  await pass(0);
  stale(['artifact.created']);
  await pass(0);
  expect(fetches).toEqual({ observe_artifacts: 2, observe_handoffs: 1 });
});

test('every input of an operation is old', async () => {
  watch('observe_artifact', { artifact_id: 'a' });
  watch('observe_artifact', { artifact_id: 'b' });
  await pass(0);
  stale(['artifact.created']);
  await pass(0);
  expect(fetches.observe_artifact).toBe(4);
});

test('a storm of events is one fetch now and one when it has waited', async () => {
  watch('observe_messages');
  await pass(0);
  for (let i = 0; i < 50; i++) {
    stale(['message.created', 'inbox.pulled']);
    await pass(2);
  }
  expect(fetches.observe_messages).toBe(2);
  await pass(300);
  expect(fetches.observe_messages).toBe(3);
  await pass(5_000);
  expect(fetches.observe_messages).toBe(3);
});

test('what counts much stands longer', async () => {
  watch('observe_workspaces');
  await pass(0);
  stale(['task.created']);
  await pass(0);
  stale(['task.created']);
  await pass(9_000);
  expect(fetches.observe_workspaces).toBe(2);
  await pass(1_500);
  expect(fetches.observe_workspaces).toBe(3);
});

test('a store that was replaced makes everything old; an unknown event nothing', async () => {
  watch('observe_handoffs');
  watch('settings_list');
  await pass(0);
  stale(['never.seen', '']);
  await pass(1_000);
  expect(fetches).toEqual({ observe_handoffs: 1, settings_list: 1 });
  stale(['store.reset']);
  await pass(0);
  expect(fetches).toEqual({ observe_handoffs: 2, settings_list: 2 });
});
