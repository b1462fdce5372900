// For tests: a hub that answers as it is told and remembers what it was asked. Nothing of ours is replaced, only fetch.

import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import type { Op } from '@/api/call';
import type { Me } from '@/api/me';
import { cache } from '@/api/query';

type Input = Record<string, unknown>;
type Name = Op | 'connect' | 'info' | 'license' | 'me' | 'sign-out';
type Answers = { [N in Name]?: object | ((input: Input) => unknown) };

class Refusal {
  constructor(
    readonly error: { code: string; message: string; details?: { field: string } },
    readonly status: number,
  ) {}
}

/** The hub says no: as an answer, or returned by one. */
export const refusal = (code: string, message: string, { status = 409, field }: { status?: number; field?: string } = {}) =>
  new Refusal({ code, message, ...(field && { details: { field } }) }, status);

export const operator: Me = {
  kind: 'operator',
  agent_id: null,
  person: null,
  is_admin: true,
  scopes: ['admin'],
  sign_in_id: null,
};
export const visitor: Me = { ...operator, kind: 'agent', agent_id: 'wren', is_admin: false, scopes: ['read', 'write'] };

/**
 * Answers in the hub's place, by the name of the operation: with a value, a function of the input, a refusal, or a whole
 * Response. What is not named is an empty list. The answers may be changed while a test runs.
 */
export function stubHub(answers: Answers = {}) {
  cache.clear();
  const all: [name: string, input: Input][] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const name = path.replace(/^\/api\/v1\/(op\/)?/, '');
    const input: Input = init?.body ? JSON.parse(String(init.body)) : {};
    all.push([name, input]);
    const told = answers[name as Name] ?? (name === 'me' ? operator : { items: [], next_cursor: null });
    const data = typeof told === 'function' ? told(input) : told;
    if (data instanceof Response) return data;
    if (data instanceof Refusal) return Response.json({ ok: false, error: data.error }, { status: data.status });
    return Response.json({ ok: true, data });
  });
  return {
    /** All that was asked, in order. */
    all,
    /** The inputs of one operation, in order. */
    of: (name: Name) => all.filter(([asked]) => asked === name).map(([, input]) => input),
  };
}

/** All that this browser holds after it was shown something: answers, what it keeps, the address. */
export function held(): string {
  const answers = cache.getQueryCache().getAll();
  return JSON.stringify([answers.map((query) => query.state.data), localStorage, location.href]);
}

/** Around whatever asks the hub. */
export const Cached = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={cache}>{children}</QueryClientProvider>
);

/** Draws something at an address. */
export function show(element: ReactNode, address = '/') {
  history.replaceState(null, '', address);
  return render(element, { wrapper: Cached });
}
