// What is to be drawn, as nodes and edges with their looks.

import { letters } from '@/look/hue';
import { groupBy } from '../group';
import type { Agent, Mesh, Pair, Work } from '../mesh';
import type { Palette } from './palette';
import type { AgentLook, BondLook } from './programs';

export type NodeLook = AgentLook & { size: number; color: string; letters: string; agent: Agent; offers: Work[] };
export type EdgeLook = BondLook & { size: number; color: string; zIndex: number; pair?: Pair; work?: Work };

const looks = {
  present: { line: 'ok-mark', fill: 'ok-wash', dashed: false },
  stale: { line: 'warn-mark', fill: 'warn-wash', dashed: true },
  offline: { line: 'line-strong', fill: 'surface', dashed: false },
} as const;

/** Agents by their looks: outline and fill by presence, size by how much they write and get. */
export function nodesOf({ agents, works }: Mesh, palette: Palette): Map<string, NodeLook> {
  const most = Math.max(1, ...agents.map((agent) => agent.sent + agent.received));
  const offers = groupBy(
    works.filter((work) => !work.to),
    (work) => work.from,
  );
  return new Map(
    agents.map((agent) => {
      const look = looks[agent.presence as keyof typeof looks] ?? looks.offline;
      return [
        agent.id,
        {
          size: 17 + 12 * Math.sqrt((agent.sent + agent.received) / most),
          color: palette[look.line],
          fill: palette[look.fill],
          dashed: look.dashed,
          round: agent.person,
          letters: letters(agent.id),
          agent,
          offers: offers.get(agent.id) ?? [],
        },
      ];
    }),
  );
}

/** Bonds by their looks: talk in the hue of who wrote most, as wide as they wrote much; work in the accent, beside it. */
export function edgesOf({ pairs, works }: Mesh, palette: Palette): Map<string, EdgeLook & { from: string; to: string }> {
  const edges = new Map<string, EdgeLook & { from: string; to: string }>();
  const most = Math.max(4, ...pairs.map((pair) => pair.count));
  for (const pair of pairs) {
    edges.set(`talk ${pair.key}`, {
      from: pair.a,
      to: pair.b,
      size: 1.1 + 4.6 * Math.sqrt(pair.count / most),
      color: palette.edge(pair.aToB >= pair.bToA ? pair.a : pair.b),
      bend: 0.16,
      dashed: false,
      zIndex: pair.quiet ? 0 : 1,
      pair,
    });
  }
  const beside = new Map<string, number>();
  for (const work of works) {
    if (!work.to) continue;
    const [a, b] = work.from < work.to ? [work.from, work.to] : [work.to, work.from];
    const nth = beside.get(`${a} ${b}`) ?? 0;
    beside.set(`${a} ${b}`, nth + 1);
    edges.set(`work ${work.key}`, {
      from: a,
      to: b,
      size: 1.6,
      color: palette.accent,
      bend: -0.3 - nth * 0.26,
      dashed: work.status === 'OPEN',
      zIndex: 2,
      work,
    });
  }
  return edges;
}
