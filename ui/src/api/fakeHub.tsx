// For tests: a hub that answers operations from a table, and remembers what it was asked.

import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { vi } from 'vitest';
import { cache } from './query';

type Answers = Record<string, unknown | ((input: never) => unknown)>;

/** Stands in for the network. What it does not know it answers with an empty list. */
export function fakeHub(answers: Answers) {
  const calls: { name: string; input: Record<string, unknown> }[] = [];
  cache.clear();
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const name = path.split('/').at(-1)!;
    const input = JSON.parse(String(init?.body ?? '{}'));
    calls.push({ name, input });
    const answer = answers[name];
    const data = typeof answer === 'function' ? (answer as (input: unknown) => unknown)(input) : answer;
    if (data instanceof Response) return data;
    return Response.json({ ok: true, data: data ?? { items: [], next_cursor: null } });
  });
  return calls;
}

/** What the hub says when it refuses. */
export const refusal = (status: number, code: string, message: string) =>
  Response.json({ ok: false, error: { code, message } }, { status });

export const renderWithHub = (page: ReactElement) => render(<QueryClientProvider client={cache}>{page}</QueryClientProvider>);
