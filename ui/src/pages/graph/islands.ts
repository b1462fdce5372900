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
  const { wide, tall } = arrange(islands);
  const by = Math.min(1.7, (tall * screen) / wide);
  if (!(by > 1.05)) return;
  for (const one of islands) {
    for (const place of one.places.values()) place.x *= by;
    one.box = boxAround(one.places);
  }
}

/** Puts the islands side by side, and says where everybody is then. */
export function pack(islands: Island[]): Places {
  const { spots } = arrange(islands);
  const places: Places = new Map();
  for (const one of islands) {
    const spot = spots.get(one)!;
    const [dx, dy] = [spot.x - one.box.left, spot.y - one.box.top];
    for (const [id, place] of one.places) places.set(id, { x: place.x + dx, y: place.y + dy });
    one.box = { left: one.box.left + dx, right: one.box.right + dx, top: one.box.top + dy, bottom: one.box.bottom + dy };
  }
  return places;
}

const wideOf = ({ box }: Island) => box.right - box.left;
const tallOf = ({ box }: Island) => box.bottom - box.top;

/** Islands in columns, as many as make the whole most like a screen. */
function arrange(islands: Island[]): { spots: Map<Island, Place>; wide: number; tall: number } {
  const sorted = [...islands].sort((a, b) => wideOf(b) * tallOf(b) - wideOf(a) * tallOf(a));
  const ways = sorted.map((_, i) => inColumns(sorted, i + 1));
  const badness = ({ wide, tall }: { wide: number; tall: number }) => Math.max(wide / screen, tall);
  return ways.reduce((best, way) => (badness(way) < badness(best) ? way : best), inColumns(sorted, 1));
}

/** Islands in so many columns: each goes to the one that is shortest so far. */
function inColumns(islands: Island[], count: number) {
  const columns = Array.from({ length: count }, () => ({ tall: -lane, wide: 0, members: [] as Island[] }));
  for (const one of islands) {
    const column = columns.reduce((low, next) => (next.tall < low.tall ? next : low));
    column.members.push(one);
    column.tall += tallOf(one) + lane;
    column.wide = Math.max(column.wide, wideOf(one));
  }
  const tall = Math.max(0, ...columns.map((column) => column.tall));
  const spots = new Map<Island, Place>();
  let x = 0;
  for (const column of columns) {
    let y = (tall - column.tall) / 2;
    for (const one of column.members) {
      spots.set(one, { x: x + (column.wide - wideOf(one)) / 2, y });
      y += tallOf(one) + lane;
    }
    x += column.wide + lane;
  }
  return { spots, wide: x - lane, tall };
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
