// Workspaces as islands: each laid out by itself, drawn out to the sides, put side by side and mirrored so that lines are short.

export type Place = { x: number; y: number };
export type Places = Map<string, Place>;
export type Bond = { a: string; b: string; weight: number };

/** How wide the lanes between islands are. */
const lane = 150;
/** From the middle of the outermost agents to the edge of their workspace. */
export const margin = 62;
/** How much wider than tall the place for the mesh usually is. */
const screen = 1.75;

type Box = { left: number; top: number; right: number; bottom: number };
export type Island = { places: Places; box: Box };

export function boxOf(places: Place[]): Box {
  if (places.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    -Number.POSITIVE_INFINITY,
    -Number.POSITIVE_INFINITY,
  ];
  for (const { x, y } of places) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
}

/** A group with its box; lying rather than standing, as screens are. */
export function island(places: Places): Island {
  const box = boxOf([...places.values()]);
  if (box.bottom - box.top > (box.right - box.left) * 1.15)
    for (const place of places.values()) [place.x, place.y] = [place.y, place.x];
  return { places, box: boxAround(places) };
}

function boxAround(places: Places): Box {
  const { left, top, right, bottom } = boxOf([...places.values()]);
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}

/** Draws the islands out to the sides where the whole would leave much of a screen empty. */
export function stretch(islands: Island[]) {
  const { wide, tall } = pack(islands);
  const by = Math.min(1.7, (tall * screen) / wide);
  if (!(by > 1.05)) return;
  for (const one of islands) {
    for (const place of one.places.values()) place.x *= by;
    one.box = boxAround(one.places);
  }
}

/** Puts the islands into columns, as many as make the whole most like a screen. */
export function pack(islands: Island[]): { places: Places; wide: number; tall: number } {
  const size = ({ box }: Island) => ({ wide: box.right - box.left, tall: box.bottom - box.top });
  const sorted = [...islands].sort((a, b) => size(b).wide * size(b).tall - size(a).wide * size(a).tall);
  let best: { spots: Place[]; badness: number; wide: number; tall: number } | undefined;
  for (let columns = 1; columns <= Math.max(1, sorted.length); columns++) {
    const stacks = Array.from({ length: columns }, () => ({ tall: 0, wide: 0, members: [] as number[] }));
    sorted.forEach((one, i) => {
      const stack = stacks.reduce((low, next) => (next.tall < low.tall ? next : low));
      stack.members.push(i);
      stack.tall += size(one).tall + lane;
      stack.wide = Math.max(stack.wide, size(one).wide);
    });
    const wide = stacks.reduce((sum, stack) => sum + stack.wide + lane, -lane);
    const tall = Math.max(...stacks.map((stack) => stack.tall)) - lane;
    const badness = Math.max(wide / screen, tall);
    if (best && best.badness <= badness) continue;
    const spots: Place[] = [];
    let x = 0;
    for (const stack of stacks) {
      let y = (tall + lane - stack.tall) / 2;
      for (const i of stack.members) {
        spots[i] = { x: x + (stack.wide - size(sorted[i]!).wide) / 2, y };
        y += size(sorted[i]!).tall + lane;
      }
      x += stack.wide + lane;
    }
    best = { spots, badness, wide, tall };
  }
  const places: Places = new Map();
  sorted.forEach((one, i) => {
    const [dx, dy] = [best!.spots[i]!.x - one.box.left, best!.spots[i]!.y - one.box.top];
    for (const [id, place] of one.places) places.set(id, { x: place.x + dx, y: place.y + dy });
    one.box = { left: one.box.left + dx, right: one.box.right + dx, top: one.box.top + dy, bottom: one.box.bottom + dy };
  });
  return { places, wide: best?.wide ?? 0, tall: best?.tall ?? 0 };
}

/** Mirrors islands so that who writes over the lanes is near to them. */
export function turn(places: Places, islands: Island[], bonds: Bond[]) {
  if (islands.length < 2) return;
  for (let pass = 0; pass < 2; pass++)
    for (const { places: members, box } of islands) {
      const across = bonds.filter(({ a, b }) => members.has(a) !== members.has(b) && places.has(a) && places.has(b));
      const sum = { x: box.left + box.right, y: box.top + box.bottom };
      const mirrored = (place: Place, x: boolean, y: boolean) => ({
        x: x ? sum.x - place.x : place.x,
        y: y ? sum.y - place.y : place.y,
      });
      const cost = (x: boolean, y: boolean) =>
        across.reduce((total, { a, b, weight }) => {
          const [inside, outside] = members.has(a) ? [a, b] : [b, a];
          const [from, to] = [mirrored(places.get(inside)!, x, y), places.get(outside)!];
          return total + weight * Math.hypot(from.x - to.x, from.y - to.y);
        }, 0);
      const best = [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ].reduce((low, next) => (cost(next[0]!, next[1]!) < cost(low[0]!, low[1]!) - 1 ? next : low));
      for (const id of members.keys()) places.set(id, mirrored(places.get(id)!, best[0]!, best[1]!));
    }
}
