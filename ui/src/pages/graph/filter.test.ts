import { expect, test } from 'vitest';
import { bestMatch, countEntries, filtered, formatHidden, matching, parseHidden, toggled } from './filter';
import { meshOf } from './mesh';
import { edge, graph, handoff, node } from './sample';

const mesh = meshOf({
  graph: graph(
    [
      node('ash', { role: 'builder', capabilities: ['go'] }),
      node('birch', { presence: 'stale', role: 'reviewer' }),
      node('cedar', { presence: 'offline' }),
      node('operator', { presence: 'offline' }),
    ],
    [edge('ash', 'birch', 10, 2), edge('ash', 'cedar', 1), edge('operator', 'ash', 4)],
    [handoff('ash', 'OPEN'), handoff('ash', 'CLAIMED', { claimed_by: 'birch' })],
  ),
});

const left = (...hidden: string[]) => filtered(mesh, parseHidden(hidden.join()));

test('the address holds what is struck out, in one order, and nothing that is unknown', () => {
  expect(formatHidden(parseHidden('quiet,nonsense,present'))).toBe('present,quiet');
  expect(formatHidden(toggled(parseHidden('quiet'), 'quiet'))).toBe('');
  expect(formatHidden(toggled(parseHidden(''), 'open'))).toBe('open');
});

test('counts are of everything', () => {
  expect(countEntries(mesh)).toEqual({
    present: 1,
    stale: 1,
    offline: 2,
    agent: 3,
    person: 1,
    messages: 15,
    mail: 2,
    quiet: 1,
    open: 1,
    claimed: 1,
    verifying: 0,
  });
});

test('with somebody go the pairs and the work', () => {
  expect(left('stale').agents.map((agent) => agent.id)).toEqual(['ash', 'cedar', 'operator']);
  expect(left('stale').pairs.map((pair) => pair.key)).toEqual(['ash cedar', 'ash operator']);
  expect(left('stale').works.map((work) => work.status)).toEqual(['OPEN']);
  expect(left('person').agents).toHaveLength(3);
});

test('without messages, mail on its way is still shown; without mail, only the pill goes', () => {
  expect(left('messages').pairs.map((pair) => pair.key)).toEqual(['ash birch']);
  expect(left('messages', 'mail').pairs).toEqual([]);
  expect(left('mail').pairs.map((pair) => pair.inFlight)).toEqual([0, 0, 0]);
  expect(left('quiet').pairs).toHaveLength(2);
});

test('states of work', () => {
  expect(left('open').works.map((work) => work.status)).toEqual(['CLAIMED']);
  expect(left('open', 'claimed').works).toEqual([]);
});

test('search looks at names, roles and abilities', () => {
  expect(matching(mesh.agents, 'build go').map((agent) => agent.id)).toEqual(['ash']);
  expect(matching(mesh.agents, ' ')).toHaveLength(4);
  expect(bestMatch(mesh.agents, 'Birch')?.id).toBe('birch');
  expect(bestMatch(mesh.agents, 'r')?.id).toBe('birch');
  expect(bestMatch(mesh.agents, 'ce')?.id).toBe('cedar');
  expect(bestMatch(mesh.agents, '')).toBeUndefined();
});
