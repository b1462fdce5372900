// From one agent to the next with the arrows.

import type { Places } from '../islands';

export type Way = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

const ways: Record<Way, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The next one that way: of those bound to it if there is one, or else of all. Straight ahead is nearer than aside. */
export function stepFrom(id: string, way: Way, places: Places, near: Set<string>): string | undefined {
  return closest(id, way, places, (other) => near.has(other)) ?? closest(id, way, places, () => true);
}

function closest(id: string, way: Way, places: Places, isWanted: (id: string) => boolean): string | undefined {
  const from = places.get(id);
  if (!from) return undefined;
  const [dx, dy] = ways[way];
  let best: { id: string; far: number } | undefined;
  for (const [other, at] of places) {
    if (other === id || !isWanted(other)) continue;
    const ahead = (at.x - from.x) * dx + (at.y - from.y) * dy;
    const aside = Math.abs((at.x - from.x) * dy) + Math.abs((at.y - from.y) * dx);
    if (ahead <= 0 || aside > ahead * 1.2) continue;
    const far = ahead + aside * 1.5;
    if (!best || far < best.far) best = { id: other, far };
  }
  return best?.id;
}
