import { expect, test } from 'vitest';
import { blank, inputOf, payloadOf, targetOf } from './draft';

test('what is left blank stays out', () => {
  const sent = JSON.parse(JSON.stringify(inputOf({ ...blank, workspace: 'w1', payload: 'Do it' })));
  expect(sent).toEqual({
    project_root: 'w1',
    from_agent_id: 'operator',
    target: { strategy: 'broadcast' },
    visibility: 'public',
    payload: 'Do it',
  });
});

test('everything that is filled in is sent', () => {
  const sent = inputOf({
    ...blank,
    workspace: 'w1',
    payload: 'Do it',
    priority: '-5',
    expires: '2026-05-20T12:00',
    dependsOn: ['hof_1'],
    criteria: [' it builds ', ''],
    verify: 'capability',
    verifier: ' review ',
    maxAttempts: '3',
    task: 'tsk_1',
  });
  expect(sent).toMatchObject({
    priority: -5,
    expires_at: new Date('2026-05-20T12:00').toISOString(),
    depends_on: ['hof_1'],
    acceptance_criteria: ['it builds'],
    verify_by: { kind: 'capability', capability: 'review' },
    max_attempts: 3,
    task_id: 'tsk_1',
  });
});

test.each([
  [
    { strategy: 'direct', word: ' cobalt ' },
    { strategy: 'direct', agent_id: 'cobalt' },
  ],
  [
    { strategy: 'role', word: 'tester' },
    { strategy: 'role', role: 'tester' },
  ],
  [
    { strategy: 'capability', word: 'go' },
    { strategy: 'capability', capability: 'go' },
  ],
  [
    {
      strategy: 'mixed',
      rules: [
        { strategy: 'role', word: 'a' },
        { strategy: 'direct', word: 'b' },
      ],
    },
    {
      strategy: 'mixed',
      rules: [
        { strategy: 'role', role: 'a' },
        { strategy: 'direct', agent_id: 'b' },
      ],
    },
  ],
  [
    { strategy: 'direct_with_fallback', word: 'cobalt', fallbackAfter: '60' },
    { strategy: 'direct_with_fallback', agent_id: 'cobalt', fallback_after_seconds: 60, fallback: { strategy: 'broadcast' } },
  ],
] as const)('%j is the target %j', (part, target) => {
  expect(targetOf({ ...blank, ...(part as object) })).toEqual(target);
});

test.each([
  ['{"title":"x"}', { title: 'x' }],
  ['[1]', [1]],
  ['{broken', '{broken'],
  ['12', '12'],
  ['"quoted"', '"quoted"'],
])('%s is sent as it is meant', (text, value) => {
  expect(payloadOf(text)).toEqual(value);
});
