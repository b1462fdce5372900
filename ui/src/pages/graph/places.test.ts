import { beforeEach, expect, test } from 'vitest';
import { forgetPlaces, keepPlaces, keptPlaces } from './places';

beforeEach(() => localStorage.clear());

test('places are kept by workspace, in memory and in the browser', () => {
  keepPlaces('w', new Map([['a', { x: 1.6, y: -2 }]]));
  expect(keptPlaces('w').get('a')).toEqual({ x: 1.6, y: -2 });
  expect(keptPlaces('')).toEqual(new Map());
  expect(JSON.parse(localStorage.getItem('nexus.graph.places.w')!)).toEqual({ a: [2, -2] });
  forgetPlaces('w');
  expect(keptPlaces('w').size).toBe(0);
});

test('what the browser kept is not trusted', () => {
  localStorage.setItem('nexus.graph.places.all', '{"a":[1,2],"b":["x",null],"c":7}');
  expect([...keptPlaces('')]).toEqual([['a', { x: 1, y: 2 }]]);
  localStorage.setItem('nexus.graph.places.all', 'null');
  expect(keptPlaces('').size).toBe(0);
});
