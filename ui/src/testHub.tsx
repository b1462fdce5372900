// A hub for tests: only what goes over the wire is stood in for.

import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { vi } from 'vitest';
import type { Data, Op } from './api/call';
import { cache } from './api/query';

type Answers = { [N in Op]?: Partial<Data<N>> | Error | ((input: never) => Partial<Data<N>>) } & {
  me?: object;
  connect?: object;
};

/** Answers operations by their name; an Error is a refusal with its message. Returns what was asked for, in order. */
export function stubHub(answers: Answers) {
  cache.clear();
  const asked: { name: string; input: Record<string, unknown>; body: string }[] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const name = path.replace(/^\/api\/v1\/(op\/)?/, '');
    const body = String(init?.body ?? '');
    const input = body ? JSON.parse(body) : {};
    asked.push({ name, input, body });
    const known = answers[name as Op];
    const answer = typeof known === 'function' ? known(input as never) : known;
    if (answer === undefined) return Response.json({ ok: false, error: { code: 'NOT_FOUND', message: name } }, { status: 404 });
    if (answer instanceof Error) {
      return Response.json({ ok: false, error: { code: answer.name, message: answer.message } }, { status: 403 });
    }
    return Response.json({ ok: true, data: answer });
  });
  return asked;
}

/** A refusal of the hub. */
export function refusal(code: string, message: string): Error {
  const error = new Error(message);
  error.name = code;
  return error;
}

export const operator = { kind: 'operator', agent_id: null, person: null, is_admin: true, scopes: ['admin'], sign_in_id: null };
export const visitor = { ...operator, kind: 'agent', agent_id: 'wren', is_admin: false, scopes: ['read', 'write'] };

export const draw = (element: ReactElement) => render(<QueryClientProvider client={cache}>{element}</QueryClientProvider>);
