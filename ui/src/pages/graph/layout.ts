// Where everybody stands. Each workspace is laid out by itself, so that its members are together; then the workspaces are put side
// by side, and who belongs to none stands in the lanes between them. One unit is one pixel at the natural size; y grows downwards.

import Graph from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import { groupBy } from './group';
import { type Bond, boxOf, type Island, island, type Place, type Places, pack, stretch, turn } from './islands';

export type Body = { id: string; home?: string };

/** How near two agents may be. */
export const nearest = 104;

const iterations = 320;
const slice = 40;

/** Lays everybody out, in steps: whoever runs it may draw in between. */
export function* layout(bodies: Body[], bonds: Bond[]): Generator<void, Places> {
  const { groups, loose } = grouped(bodies);
  const islands: Island[] = [];
  for (const members of groups) {
    const inside = new Set(members);
    const places: Places = yield* spread(
      members,
      bonds.filter((bond) => inside.has(bond.a) && inside.has(bond.b)),
    );
    islands.push(island(places));
  }
  stretch(islands);
  const places = pack(islands);
  yield;
  turn(places, islands, bonds);
  between(places, islands, loose, bonds);
  return places;
}

/** Runs a layout, giving way to the page whenever it has worked for so many milliseconds. */
export async function run<T>(steps: Generator<void, T>, isGone: () => boolean, busyFor = 10): Promise<T | undefined> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < busyFor) continue;
    await new Promise((resume) => setTimeout(resume));
    if (isGone()) return undefined;
    began = performance.now();
  }
}

/** Members by workspace. Few who belong nowhere are loose; many are a group of their own. */
function grouped(bodies: Body[]) {
  const homes = groupBy(bodies, (body) => body.home ?? '');
  const homeless = (homes.get('') ?? []).map((body) => body.id).sort();
  homes.delete('');
  const groups = [...homes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members.map((body) => body.id).sort());
  const isCrowd = groups.length === 0 || homeless.length > 16;
  if (isCrowd && homeless.length > 0) groups.push(homeless);
  return { groups, loose: isCrowd ? [] : homeless };
}

/** Those who are bound together by force, those who are alone in rows below. */
function* spread(members: string[], bonds: Bond[]): Generator<void, Places> {
  const bound = new Set(bonds.flatMap(({ a, b }) => [a, b]));
  const places: Places = new Map();
  const busy = members.filter((id) => bound.has(id));
  if (busy.length > 0) {
    const graph = new Graph({ type: 'undirected' });
    busy.forEach((id, i) => {
      const angle = i * 2.399963; // the golden angle: no two on one spot, the same every time
      graph.addNode(id, { x: Math.sqrt(i + 1) * Math.cos(angle) * 40, y: Math.sqrt(i + 1) * Math.sin(angle) * 40 });
    });
    for (const { a, b, weight } of bonds) if (!graph.hasEdge(a, b)) graph.addEdge(a, b, { weight });
    const settings = {
      ...forceAtlas2.inferSettings(busy.length),
      linLogMode: busy.length > 60,
      ...(busy.length > 60 ? {} : { gravity: 0.6, strongGravityMode: false }),
      edgeWeightInfluence: 0.5,
      barnesHutOptimize: busy.length > 150,
    };
    for (let done = 0; done < iterations; done += slice) {
      forceAtlas2.assign(graph, { iterations: slice, settings });
      yield;
    }
    graph.forEachNode((id, { x, y }) => {
      places.set(id, { x, y });
    });
    widen(places);
    yield;
    yield* part(places);
  }
  rows(
    places,
    members.filter((id) => !bound.has(id)),
  );
  return places;
}

/** Scales to the natural size: everybody has about so much room, whatever the force left. */
function widen(places: Places) {
  const all = [...places.values()];
  if (all.length < 2) return;
  const { left, right, top, bottom } = boxOf(all);
  const step = nearest * (all.length > 60 ? 1.25 : all.length > 24 ? 1.5 : 1.8);
  const [wide, tall] = [Math.max(right - left, 1), Math.max(bottom - top, 1)];
  const scale = Math.max(
    Math.sqrt((all.length * step * step) / (wide * tall)) *
      Math.min(1, Math.sqrt(Math.min(wide, tall) / Math.max(wide, tall)) * 1.5),
    step / Math.max(wide, tall),
  );
  for (const place of all) {
    place.x *= scale;
    place.y *= scale;
  }
}

/** Moves apart who stands too near. */
function* part(places: Places): Generator<void> {
  const all = [...places.values()];
  for (let pass = 0; pass < 120; pass++) {
    if (!partOnce(all)) return;
    if (pass % 8 === 7) yield;
  }
}

function partOnce(all: Place[]): boolean {
  let moved = false;
  const cells = groupBy(all, ({ x, y }) => cellOf(Math.floor(x / nearest), Math.floor(y / nearest)));
  for (const one of all) {
    const [cx, cy] = [Math.floor(one.x / nearest), Math.floor(one.y / nearest)];
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (const other of cells.get(cellOf(cx + dx, cy + dy)) ?? []) if (other !== one && repel(one, other)) moved = true;
  }
  return moved;
}

const cellOf = (x: number, y: number) => x * 65_536 + y;

function repel(one: Place, other: Place): boolean {
  const [wx, wy] = [one.x - other.x, one.y - other.y];
  const away = Math.hypot(wx, wy);
  if (away >= nearest - 1) return false;
  const push = (nearest - away) / 2;
  const [ux, uy] = away > 0.01 ? [wx / away, wy / away] : [1, 0];
  one.x += ux * push;
  one.y += uy * push;
  other.x -= ux * push;
  other.y -= uy * push;
  return true;
}

/** Puts those who are alone in rows below the others. */
function rows(places: Places, alone: string[]) {
  if (alone.length === 0) return;
  const box = boxOf([...places.values()]);
  const isEmpty = places.size === 0;
  const wide = Math.max(isEmpty ? 0 : box.right - box.left, Math.ceil(Math.sqrt(alone.length * 1.6) - 1) * nearest);
  const columns = Math.max(1, Math.floor(wide / nearest + 1.001));
  const left = (isEmpty ? 0 : (box.left + box.right) / 2) - ((Math.min(columns, alone.length) - 1) * nearest) / 2;
  const top = isEmpty ? 0 : box.bottom + nearest * 1.1;
  alone.forEach((id, i) => {
    places.set(id, { x: left + (i % columns) * nearest, y: top + Math.floor(i / columns) * nearest });
  });
}

/** Puts the loose ones into the lanes, each as near as can be to those it writes to. */
function between(places: Places, islands: Island[], loose: string[], bonds: Bond[]) {
  const isOpen = ({ x, y }: Place) =>
    islands.every(({ box }) => x < box.left - 40 || x > box.right + 40 || y < box.top - 40 || y > box.bottom + 40);
  for (const id of loose) {
    places.set(id, freeSpot(places, pull(places, id, bonds) ?? middle(places), isOpen));
  }
}

function middle(places: Places): Place {
  const box = boxOf([...places.values()]);
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
}

/** The middle of those that somebody writes to. */
function pull(places: Places, id: string, bonds: Bond[]): Place | undefined {
  let [x, y, sum] = [0, 0, 0];
  for (const { a, b, weight } of bonds) {
    const other = a === id ? places.get(b) : b === id ? places.get(a) : undefined;
    if (!other) continue;
    x += other.x * weight;
    y += other.y * weight;
    sum += weight;
  }
  return sum > 0 ? { x: x / sum, y: y / sum } : undefined;
}

/** The nearest place where nobody stands, found in growing rings. */
function freeSpot(places: Places, wish: Place, isOpen: (place: Place) => boolean = () => true): Place {
  const taken = [...places.values()];
  for (let ring = 0; ring < 400; ring++) {
    const spots = ring === 0 ? 1 : Math.max(8, ring * 4);
    for (let i = 0; i < spots; i++) {
      const angle = (i / spots) * 2 * Math.PI;
      const spot = { x: wish.x + Math.cos(angle) * ring * 36, y: wish.y + Math.sin(angle) * ring * 36 };
      if (isOpen(spot) && taken.every(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) >= nearest)) return spot;
    }
  }
  return wish;
}

/** Keeps everybody in place and finds one for who is new: near its workspace or near those it writes to. */
export function settle(places: Places, bodies: Body[], bonds: Bond[]): Places {
  const fresh = bodies.filter(({ id }) => !places.has(id));
  if (fresh.length === 0) return places;
  const next = new Map(places);
  for (const { id, home } of fresh) {
    const kin = bodies.filter((body) => home && body.home === home && next.has(body.id)).map((body) => next.get(body.id)!);
    const wish =
      kin.length > 0 ? middle(new Map(kin.map((place, i) => [String(i), place]))) : (pull(next, id, bonds) ?? middle(next));
    next.set(id, freeSpot(next, wish));
  }
  return next;
}

/** Whether so few are known that it is better to begin anew. */
export function isNewCrowd(places: Places, bodies: Body[]): boolean {
  return bodies.filter(({ id }) => !places.has(id)).length > bodies.length / 2;
}
