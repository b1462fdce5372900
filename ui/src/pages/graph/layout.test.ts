import { expect, test } from 'vitest';
import { type Bond, boxOf, type Places } from './islands';
import { type Body, isNewCrowd, layout, nearest, run, settle } from './layout';

function all(bodies: Body[], bonds: Bond[]): Places {
  const steps = layout(bodies, bonds);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const bond = (a: string, b: string, weight = 1) => ({ a, b, weight });

function crowd(count: number, homes: number, pairs: number) {
  const bodies = Array.from({ length: count }, (_, i) => ({ id: `a${i}`, home: `w${i % homes}` }));
  const bonds = Array.from({ length: pairs }, (_, i) => bond(`a${(i * 7) % count}`, `a${(i * 12 + (i % 5)) % count}`)).filter(
    ({ a, b }) => a !== b,
  );
  return { bodies, bonds };
}

function closest(places: Places): number {
  const spots = [...places.values()];
  let least = Number.POSITIVE_INFINITY;
  spots.forEach((one, i) => {
    for (const other of spots.slice(i + 1)) least = Math.min(least, Math.hypot(one.x - other.x, one.y - other.y));
  });
  return least;
}

test('everybody has a place, nobody stands on another', () => {
  const { bodies, bonds } = crowd(40, 3, 80);
  const places = all([...bodies, { id: 'ines' }], [...bonds, bond('ines', 'a1'), bond('ines', 'a2')]);
  expect(places.size).toBe(41);
  expect(closest(places)).toBeGreaterThan(nearest * 0.75);
});

test('a workspace stands together, and its field is its own', () => {
  const { bodies, bonds } = crowd(30, 3, 60);
  const places = all(bodies, bonds);
  const boxes = ['w0', 'w1', 'w2'].map((home) =>
    boxOf(bodies.filter((body) => body.home === home).map((body) => places.get(body.id)!)),
  );
  boxes.forEach((one, i) => {
    for (const other of boxes.slice(i + 1)) {
      const isApart = one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top;
      expect(isApart).toBe(true);
    }
  });
});

test('those who write only over the lanes stand in rows', () => {
  const bodies = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) => ({ id, home: `w${i % 2}` }));
  const places = all(bodies, [bond('a', 'b'), bond('c', 'd'), bond('e', 'f')]);
  expect(closest(places)).toBeGreaterThanOrEqual(nearest - 1);
});

test('the same mesh is laid out the same way', () => {
  const { bodies, bonds } = crowd(20, 2, 30);
  expect([...all(bodies, bonds)]).toEqual([...all(bodies, bonds)]);
});

test.each([
  ['nobody', [], 0],
  ['one', [{ id: 'a' }], 1],
  ['several without a word', [{ id: 'a' }, { id: 'b' }, { id: 'c', home: 'w' }], 3],
])('%s', (_, bodies, count) => {
  const places = all(bodies, []);
  expect(places.size).toBe(count);
  for (const { x, y } of places.values()) expect(Number.isFinite(x + y)).toBe(true);
});

test('who is new finds a place, everybody else stays', () => {
  const { bodies, bonds } = crowd(12, 2, 20);
  const places = all(bodies, bonds);
  const next = settle(places, [...bodies, { id: 'new', home: 'w1' }, { id: 'loose' }], [...bonds, bond('loose', 'a3')]);
  for (const [id, place] of places) expect(next.get(id)).toEqual(place);
  expect(next.size).toBe(14);
  expect(closest(next)).toBeGreaterThan(nearest * 0.75);
  expect(settle(next, bodies, bonds)).toBe(next);
});

test('a crowd of strangers is laid out anew, a newcomer is not', () => {
  const known: Places = new Map([['a', { x: 0, y: 0 }]]);
  expect(isNewCrowd(known, [{ id: 'a' }, { id: 'b' }])).toBe(false);
  expect(isNewCrowd(known, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])).toBe(true);
});

test('a layout that nobody waits for any more ends', async () => {
  const { bodies, bonds } = crowd(100, 2, 300);
  expect(await run(layout(bodies, bonds), () => true, 0)).toBeUndefined();
  expect((await run(layout(bodies.slice(0, 5), []), () => false))?.size).toBe(5);
});
