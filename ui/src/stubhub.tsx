// For tests: a hub that answers as it is told, and remembers what it was asked. Nothing of ours is replaced, only fetch.

import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { cache } from '@/api/query';

type Asked = { name: string; input: Record<string, unknown> };
type Answers = Record<string, unknown>;

/** A refusal of the hub. */
export class Refusal {
  constructor(
    readonly code: string,
    readonly message: string,
    readonly status = 409,
  ) {}
}

/** Answers operations by their name; what is not named is an empty list. An answer may be a function of the input. */
export function stubHub(answers: Answers): Asked[] {
  cache.clear();
  const usual = cache.getDefaultOptions();
  cache.setDefaultOptions({ ...usual, queries: { ...usual.queries, retry: false } });
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const name = path.replace(/^\/api\/v1\/(op\/)?/, '');
    const input = init?.body ? JSON.parse(String(init.body)) : {};
    asked.push({ name, input });
    const told = answers[name] ?? (name === 'me' ? { is_admin: true, scopes: [] } : { items: [], next_cursor: null });
    const data = typeof told === 'function' ? told(input) : told;
    if (data instanceof Refusal)
      return Response.json({ ok: false, error: { code: data.code, message: data.message } }, { status: data.status });
    return Response.json({ ok: true, data });
  });
  return asked;
}

/** Draws something at an address. */
export function show(what: ReactNode, address = '/') {
  history.replaceState(null, '', address);
  return render(<QueryClientProvider client={cache}>{what}</QueryClientProvider>);
}
