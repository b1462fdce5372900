// A hub for tests: it answers the operations that a test gives it, and remembers what was asked.

import { vi } from 'vitest';
import { cache } from '@/api/query';

type Answers = Record<string, (input: Record<string, unknown>) => unknown>;

/** What the hub says when it refuses. */
export const refusal = (code: string, message: string, field?: string) => ({ refusal: { code, message, details: { field } } });

/** Answers requests in the hub's place. Whatever a test does not name is an empty list. */
export function stubHub(answers: Answers) {
  cache.clear();
  const calls: [name: string, input: Record<string, unknown>][] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const name = path.split('/').at(-1)!;
    const input = JSON.parse(String(init?.body ?? '{}'));
    calls.push([name, input]);
    const data = answers[name]?.(input) ?? { items: [], next_cursor: null };
    const refused = (data as ReturnType<typeof refusal>).refusal;
    const body = refused ? { ok: false, error: refused } : { ok: true, data };
    return new Response(JSON.stringify(body), { status: refused ? 409 : 200 });
  });
  return {
    calls,
    /** The inputs of one operation. */
    of: (name: string) => calls.filter(([called]) => called === name).map(([, input]) => input),
  };
}
