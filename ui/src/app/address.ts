// State lives in the address: page, filters, selection, workspace and time range. Whoever gets the address sees the same.

import { useCallback } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** What goes along from page to page. */
const lasting = ['ws', 'range'];

/** The address of a page, with what goes along and what is given. */
export function href(path: string, params: Record<string, string | undefined> = {}): string {
  const now = new URLSearchParams(location.search);
  const next = new URLSearchParams();
  for (const name of lasting) {
    const value = now.get(name);
    if (value) next.set(name, value);
  }
  for (const [name, value] of Object.entries(params)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const query = next.toString();
  return query ? `${path}?${query}` : path;
}

export function go(path: string, params?: Record<string, string | undefined>) {
  navigate(href(path, params));
}

/** Changes parameters of this page. What the reader wants to come back from is a step of its own. */
export function setParams(params: Record<string, string | undefined>, step: 'replace' | 'push' = 'replace') {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(params)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const query = next.toString();
  const to = query ? `${location.pathname}?${query}` : location.pathname;
  if (to !== location.pathname + location.search) navigate(to, { replace: step === 'replace' });
}

/** One parameter of the address. */
export function useParam(name: string, usual = ''): [string, (value: string) => void] {
  const value = new URLSearchParams(useSearch()).get(name) ?? usual;
  const set = useCallback((next: string) => setParams({ [name]: next === usual ? undefined : next }), [name, usual]);
  return [value, set];
}

/** The workspace that everything is narrowed to; blank for all. */
export const useWorkspace = () => useParam('ws')[0];

export const ranges = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 } as const;
export type Range = keyof typeof ranges;

/** How far back everything looks. */
export function useRange(): Range {
  const [range] = useParam('range', '24h');
  return range in ranges ? (range as Range) : '24h';
}

/** Things that an inspector can show. */
export type Kind =
  | 'agent'
  | 'message'
  | 'handoff'
  | 'task'
  | 'event'
  | 'artifact'
  | 'webhook'
  | 'workspace'
  | 'session'
  | 'topic'
  | 'post';

/** The thing in the inspector. */
export function useSeen(): { kind: Kind; id: string } | undefined {
  const [see] = useParam('see');
  const at = see.indexOf(':');
  return at > 0 ? { kind: see.slice(0, at) as Kind, id: see.slice(at + 1) } : undefined;
}

/** The key of the row that is in the inspector, for a list of one kind. */
export function useSeenId(kind: Kind): string | undefined {
  const seen = useSeen();
  return seen?.kind === kind ? seen.id : undefined;
}

export const inspect = (kind: Kind, id: string) => setParams({ see: `${kind}:${id}` }, 'push');
export const closeInspector = () => setParams({ see: undefined }, 'push');
