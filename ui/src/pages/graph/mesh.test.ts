import { expect, test } from 'vitest';
import { meshOf, otherOf, pairsWith } from './mesh';
import { edge, entry, graph, handoff, node, session } from './sample';

const trio = [node('a'), node('b'), node('c')];
const byId = (mesh: ReturnType<typeof meshOf>, id: string) => mesh.agents.find((agent) => agent.id === id)!;

test('both directions are one pair, and each agent knows what it sent and got', () => {
  const mesh = meshOf({ graph: graph(trio, [edge('b', 'a', 3, 1), edge('a', 'b', 5, 0, 2, '2026-05-20T11:00:00Z')]) });
  expect(mesh.pairs).toHaveLength(1);
  expect(mesh.pairs[0]).toMatchObject({
    a: 'a',
    b: 'b',
    aToB: 5,
    bToA: 3,
    count: 8,
    inFlight: 3,
    lastAt: '2026-05-20T11:00:00Z',
  });
  expect([byId(mesh, 'a').sent, byId(mesh, 'a').received]).toEqual([5, 3]);
  expect([byId(mesh, 'b').sent, byId(mesh, 'b').received]).toEqual([3, 5]);
});

test('a pair is quiet with few messages, but not while one is on its way', () => {
  const mesh = meshOf({ graph: graph(trio, [edge('a', 'b', 2), edge('a', 'c', 1, 1), edge('b', 'c', 3)]) });
  expect(mesh.pairs.map((pair) => [pair.key, pair.quiet])).toEqual([
    ['a b', true],
    ['a c', false],
    ['b c', false],
  ]);
});

test('what somebody writes to itself, or to one who is gone, is no pair', () => {
  expect(meshOf({ graph: graph(trio, [edge('a', 'a', 2), edge('a', 'gone', 9)]) }).pairs).toEqual([]);
});

test('work is between its creator and who holds it, or whom it is directed to', () => {
  const target = (value: object) => value as never;
  const mesh = meshOf({
    graph: graph(
      trio,
      [],
      [
        handoff('a', 'CLAIMED', { handoff_id: '1', claimed_by: 'b' }),
        handoff('a', 'CLAIMED', { handoff_id: '2', claimed_by: 'b' }),
        handoff('a', 'OPEN', { handoff_id: '3', target: target({ strategy: 'direct_with_fallback', agent_id: 'c' }) }),
        handoff('a', 'OPEN', { handoff_id: '4', target: target({ strategy: 'capability', capability: 'go' }) }),
        handoff('b', 'CLAIMED', { handoff_id: '5', claimed_by: 'b' }),
        handoff('a', 'CLAIMED', { handoff_id: '6', claimed_by: 'gone' }),
      ],
    ),
    verifying: [handoff('a', 'VERIFYING', { handoff_id: '7', claimed_by: 'c' })],
  });
  expect(mesh.works.map(({ from, to, status, ids }) => [status, from, to, ids.join()])).toEqual([
    ['CLAIMED', 'a', 'b', '1,2'],
    ['OPEN', 'a', 'c', '3'],
    ['OPEN', 'a', undefined, '4'],
    ['CLAIMED', 'b', undefined, '5'],
    ['CLAIMED', 'a', undefined, '6'],
    ['VERIFYING', 'a', 'c', '7'],
  ]);
  expect(byId(mesh, 'a')).toMatchObject({ open: 2, claimed: 3, verifying: 1 });
  expect(byId(mesh, 'b')).toMatchObject({ open: 0, claimed: 3 });
});

test('who says so is a person, and the operator is one; who is deactivated is offline', () => {
  const mesh = meshOf({
    graph: graph([node('a'), node('ines'), node('operator'), node('off', { is_active: false })]),
    directory: [entry('ines', { metadata: { person: true } }), entry('a', { metadata: { person: 'yes' } })],
  });
  expect(mesh.agents.filter((agent) => agent.person).map((agent) => agent.id)).toEqual(['ines', 'operator']);
  expect(byId(mesh, 'off').presence).toBe('offline');
});

test('home is the oldest open session, or the last one that was', () => {
  const mesh = meshOf({
    graph: graph(trio),
    directory: [entry('c', { metadata: { person: true } })],
    sessions: [
      session('a', 'new', { started_at: '2026-05-20T09:00:00Z' }),
      session('a', 'old'),
      session('b', 'first', { status: 'closed', last_heartbeat_at: '2026-05-18T09:00:00Z' }),
      session('b', 'last', { status: 'closed', last_heartbeat_at: '2026-05-19T09:00:00Z' }),
      session('c', 'one'),
      session('c', 'two'),
    ],
  });
  expect(mesh.agents.map((agent) => agent.home)).toEqual(['old', 'last', undefined]); // a person in two places is in none
});

test('in a workspace are those who are in it, write or work there', () => {
  const mesh = meshOf({
    graph: graph([...trio, node('d'), node('e')], [edge('b', 'c', 1)], [handoff('d', 'OPEN')]),
    sessions: [session('a', 'w1'), session('e', 'w2')],
    workspace: 'w1',
  });
  expect(mesh.agents.map((agent) => agent.id)).toEqual(['a', 'b', 'c', 'd']);
});

test('abilities come as a list or as an object', () => {
  const mesh = meshOf({
    graph: graph([node('a', { capabilities: ['go', 7] }), node('b', { capabilities: { go: true, sql: false } }), node('c')]),
  });
  expect(mesh.agents.map((agent) => agent.canDo)).toEqual([['go'], ['go'], []]);
});

test('the pairs of one agent, the busiest first', () => {
  const { pairs } = meshOf({ graph: graph(trio, [edge('a', 'b', 1), edge('c', 'a', 4), edge('b', 'c', 9)]) });
  expect(pairsWith(pairs, 'a').map((pair) => otherOf(pair, 'a'))).toEqual(['c', 'b']);
});
