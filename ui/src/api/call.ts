// Every operation of the hub by its name, typed by the hub's own OpenAPI document.

import type { components } from './schema';

type Schemas = components['schemas'];

/** Names of operations: whatever the document has input and data for. */
export type Op = {
  [K in keyof Schemas]: K extends `${infer N}_input` ? (`${N}_data` extends keyof Schemas ? N : never) : never;
}[keyof Schemas];

export type Input<N extends Op> = Schemas[`${N}_input` & keyof Schemas];
export type Data<N extends Op> = Schemas[`${N}_data` & keyof Schemas];

/** One row of a list that an operation answers. */
export type Item<N extends Op> = Data<N> extends { items: (infer R)[] } ? R : never;

/** What the hub says when it refuses: a code for programs, a sentence for people. */
export class HubError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly details?: Record<string, unknown>,
  ) {
    super(message);
  }
}

type Answer = { ok: boolean; data?: unknown; error?: { code: string; message: string; details?: Record<string, unknown> } };

/** A request to the hub's own address. What does not reach it is UNREACHABLE. */
export async function request<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, init);
  } catch (cause) {
    if (init?.signal?.aborted) throw cause;
    throw new HubError('UNREACHABLE', 'The hub does not answer. Nothing was changed; try again when it is back.', 0);
  }
  const answer: Answer | undefined = await response.json().catch(() => undefined);
  if (answer?.ok) return answer.data as T;
  const { code = 'UNREADABLE', message = `The hub answered ${response.status}.`, details } = answer?.error ?? {};
  throw new HubError(code, message, response.status, details);
}

/** Calls an operation. */
export function call<N extends Op>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Data<N>> {
  return request(`/op/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input ?? {}),
    signal,
  });
}

/** The same call as a line for a terminal. */
export function asCommand(name: string, input: object = {}): string {
  const parts = Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => quote(`${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`));
  return ['nexus call', name, ...parts].join(' ');
}

/** One word of a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
