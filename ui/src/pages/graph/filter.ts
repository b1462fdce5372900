// The legend is also the filter: what each of its entries counts, and what is left when some are struck out.

import type { Agent, Mesh, Pair, Work } from './mesh';

export const entries = [
  'present',
  'stale',
  'offline',
  'agent',
  'person',
  'messages',
  'mail',
  'quiet',
  'open',
  'claimed',
  'verifying',
] as const;
export type Entry = (typeof entries)[number];

/** What is struck out, from the address. */
export function parseHidden(text: string): Set<Entry> {
  const words = text.split(',');
  return new Set(entries.filter((entry) => words.includes(entry)));
}

export const formatHidden = (hidden: Set<Entry>) => entries.filter((entry) => hidden.has(entry)).join(',');

export function toggled(hidden: Set<Entry>, entry: Entry): Set<Entry> {
  const next = new Set(hidden);
  if (!next.delete(entry)) next.add(entry);
  return next;
}

/** How much there is of everything, shown or not. */
export function countEntries({ agents, pairs, works }: Mesh): Record<Entry, number> {
  const counts = Object.fromEntries(entries.map((entry) => [entry, 0])) as Record<Entry, number>;
  for (const agent of agents) {
    counts[presenceOf(agent)]++;
    counts[agent.person ? 'person' : 'agent']++;
  }
  for (const pair of pairs) {
    counts.messages += pair.count;
    counts.mail += pair.inFlight;
    if (pair.quiet) counts.quiet++;
  }
  for (const work of works) counts[statusOf(work)] += work.ids.length;
  return counts;
}

const presenceOf = ({ presence }: Agent): Entry => (presence === 'present' || presence === 'stale' ? presence : 'offline');
const statusOf = ({ status }: Work) => status.toLowerCase() as Entry;

/** What is left when some entries are struck out. */
export function filtered(mesh: Mesh, hidden: Set<Entry>): Mesh {
  if (hidden.size === 0) return mesh;
  const agents = mesh.agents.filter((agent) => !hidden.has(presenceOf(agent)) && !hidden.has(agent.person ? 'person' : 'agent'));
  const shown = new Set(agents.map((agent) => agent.id));
  const isPairShown = (pair: Pair) =>
    shown.has(pair.a) &&
    shown.has(pair.b) &&
    !(pair.quiet && hidden.has('quiet')) &&
    !(isOnlyTalk(pair, hidden) && hidden.has('messages'));
  const isWorkShown = (work: Work) => shown.has(work.from) && (!work.to || shown.has(work.to)) && !hidden.has(statusOf(work));
  return {
    ...mesh,
    agents,
    pairs: mesh.pairs.filter(isPairShown).map((pair) => (hidden.has('mail') ? { ...pair, inFlight: 0 } : pair)),
    works: mesh.works.filter(isWorkShown),
  };
}

/** Without the messages, a pair is still worth a line while mail is on its way. */
const isOnlyTalk = (pair: Pair, hidden: Set<Entry>) => pair.inFlight === 0 || hidden.has('mail');

/** Agents whose name, role or abilities have the words. */
export function matching(agents: Agent[], words: string): Agent[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return agents;
  return agents.filter((agent) => {
    const text = [agent.id, agent.role, ...agent.canDo].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The agent that is meant when somebody types a name: the one of that name, or whose name begins so, or the first that fits. */
export function bestMatch(agents: Agent[], words: string): Agent | undefined {
  const name = words.trim().toLowerCase();
  if (!name) return undefined;
  const fitting = matching(agents, words);
  return (
    fitting.find((agent) => agent.id.toLowerCase() === name) ??
    fitting.find((agent) => agent.id.toLowerCase().startsWith(name)) ??
    fitting.find((agent) => agent.id.toLowerCase().includes(name)) ??
    fitting[0]
  );
}
