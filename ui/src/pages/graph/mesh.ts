// The mesh: agents, the pairs that write to each other and the work between them, from what the hub answers.

import type { Data, Item } from '@/api/call';
import { abilities, isPerson } from '@/things/agent/who';
import { groupBy } from './group';

type Answer = Data<'observe_graph'>;
type Handoff = Answer['edges']['handoffs'][number] | Item<'observe_handoffs'>;

export type Agent = {
  id: string;
  presence: string;
  role: string;
  canDo: string[];
  person: boolean;
  active: boolean;
  lastSeen: string | null;
  /** The workspace it belongs to. */
  home?: string;
  sent: number;
  received: number;
  /** Its inbox: taken and not yet acknowledged, waiting, given up. */
  inFlight: number;
  unread: number;
  parked: number;
  /** Work that it offered or holds. */
  open: number;
  claimed: number;
  verifying: number;
};

/** Two agents that wrote to each other; `a` comes before `b`. */
export type Pair = {
  key: string;
  a: string;
  b: string;
  aToB: number;
  bToA: number;
  count: number;
  inFlight: number;
  lastAt: string;
  quiet: boolean;
};

export type WorkStatus = 'OPEN' | 'CLAIMED' | 'VERIFYING';

/** Hand-offs of one status between two agents, or offered by one to nobody in particular (`to` is then missing). */
export type Work = { key: string; from: string; to?: string; status: WorkStatus; ids: string[] };

export type Mesh = { agents: Agent[]; pairs: Pair[]; works: Work[]; truncated: boolean };

/** What a pair of this many messages or fewer is: quiet, unless something is on its way. */
export const quietUpTo = 2;

type Sources = {
  graph: Answer;
  verifying?: Item<'observe_handoffs'>[];
  directory?: Item<'agent_directory'>[];
  sessions?: Item<'observe_sessions'>[];
  /** Only who has to do with this workspace. */
  workspace?: string;
};

export function meshOf({ graph, verifying = [], directory = [], sessions = [], workspace }: Sources): Mesh {
  const pairs = pairsOf(graph.edges.messages);
  const handoffs: Handoff[] = [...graph.edges.handoffs, ...verifying];
  const works = worksOf(handoffs);
  const people = new Set(directory.filter(isPerson).map((agent) => agent.agent_id));
  const homes = homesOf(sessions, people, workspace);
  const agents = new Map(
    graph.nodes.map((node) => [
      node.agent_id,
      {
        id: node.agent_id,
        presence: node.is_active ? node.presence : 'offline',
        role: node.role ?? '',
        canDo: abilities(node.capabilities),
        person: node.agent_id === 'operator' || people.has(node.agent_id),
        active: node.is_active,
        lastSeen: node.last_seen_at,
        home: homes.get(node.agent_id),
        sent: 0,
        received: 0,
        inFlight: node.inbox.delivered,
        unread: node.inbox.unread,
        parked: node.inbox.parked,
        open: 0,
        claimed: 0,
        verifying: 0,
      } satisfies Agent as Agent,
    ]),
  );
  for (const { from, to, count } of graph.edges.messages) {
    const [sender, recipient] = [agents.get(from), agents.get(to)];
    if (sender) sender.sent += count;
    if (recipient) recipient.received += count;
  }
  for (const work of works) count(agents, work);
  const known = ({ a, b }: Pair) => agents.has(a) && agents.has(b);
  const mesh = {
    agents: [...agents.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    pairs: pairs.filter(known),
    works: works
      .filter((work) => agents.has(work.from))
      .map((work) => (work.to && !agents.has(work.to) ? { ...work, to: undefined } : work)),
    truncated: graph.truncated,
  };
  return workspace ? within(mesh) : mesh;
}

function count(agents: Map<string, Agent>, { from, to, status, ids }: Work) {
  const name = status.toLowerCase() as 'open' | 'claimed' | 'verifying';
  for (const id of new Set([from, to])) {
    const agent = id && agents.get(id);
    if (agent) agent[name] += ids.length;
  }
}

/** Agents who have to do with the workspace: they are in it, or write or work there. */
function within(mesh: Mesh): Mesh {
  const involved = new Set([
    ...mesh.pairs.flatMap(({ a, b }) => [a, b]),
    ...mesh.works.flatMap(({ from, to }) => (to ? [from, to] : [from])),
  ]);
  return { ...mesh, agents: mesh.agents.filter((agent) => agent.home || involved.has(agent.id)) };
}

/** Who wrote with whom, both ways together. */
export function pairsOf(edges: Answer['edges']['messages']): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { from, to, count, last_at, in_flight } of edges) {
    if (from === to) continue;
    const [a, b] = from < to ? [from, to] : [to, from];
    const key = `${a} ${b}`;
    const pair = pairs.get(key) ?? { key, a, b, aToB: 0, bToA: 0, count: 0, inFlight: 0, lastAt: last_at, quiet: false };
    if (from === a) pair.aToB += count;
    else pair.bToA += count;
    pair.count += count;
    pair.inFlight += in_flight.unread + in_flight.delivered;
    if (last_at > pair.lastAt) pair.lastAt = last_at;
    pair.quiet = pair.count <= quietUpTo && pair.inFlight === 0;
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

function worksOf(handoffs: Handoff[]): Work[] {
  const works = new Map<string, Work>();
  for (const handoff of handoffs) {
    const from = handoff.from_agent_id;
    const other = handoff.claimed_by ?? directed(handoff.target);
    const to = other === from ? undefined : other;
    const key = `${handoff.status} ${from} ${to ?? ''}`;
    const work = works.get(key) ?? { key, from, to, status: handoff.status as WorkStatus, ids: [] };
    if (!work.ids.includes(handoff.handoff_id)) work.ids.push(handoff.handoff_id);
    works.set(key, work);
  }
  return [...works.values()];
}

/** The one agent that a hand-off is directed to, if there is one. */
function directed(target: unknown): string | undefined {
  const to = (target ?? {}) as { strategy?: string; agent_id?: string };
  return to.strategy === 'direct' || to.strategy === 'direct_with_fallback' ? to.agent_id : undefined;
}

/**
 * Where each agent belongs: where it has been longest of the sessions that are open, or else where it was last.
 * People who are in several workspaces belong to none.
 */
function homesOf(sessions: Item<'observe_sessions'>[], people: Set<string>, workspace?: string): Map<string, string> {
  const homes = new Map<string, string>();
  const wanted = sessions.filter((session) => !workspace || session.workspace_id === workspace);
  for (const [agent, all] of groupBy(wanted, (session) => session.agent_id)) {
    const open = all.filter((session) => session.status === 'active').sort((x, y) => (x.started_at < y.started_at ? -1 : 1));
    const isSpread = new Set(open.map((session) => session.workspace_id)).size > 1;
    const home = open[0] ?? all.reduce((x, y) => (y.last_heartbeat_at > x.last_heartbeat_at ? y : x));
    if (!(isSpread && people.has(agent))) homes.set(agent, home.workspace_id);
  }
  return homes;
}

/** The other one of a pair. */
export const otherOf = (pair: { a: string; b: string }, id: string) => (pair.a === id ? pair.b : pair.a);

/** The pairs of one agent, those that write most first. */
export function pairsWith(pairs: Pair[], id: string): Pair[] {
  return pairs.filter((pair) => pair.a === id || pair.b === id).sort((x, y) => y.count - x.count || (x.key < y.key ? -1 : 1));
}
