import { expect, test } from 'vitest';
import { asTarget, everybody, type Recipient, recipientsOf, recipientsOfGroup, suggestions, withRecipient } from './recipient';

const ines: Recipient = { kind: 'agent', id: 'ines' };
const builder: Recipient = { kind: 'role', id: 'builder' };
const releases: Recipient = { kind: 'channel', id: 'chn_1' };

test.each<[Recipient[], unknown]>([
  [[ines], { target: { strategy: 'direct', agent_id: 'ines' } }],
  [[builder], { target: { strategy: 'role', role: 'builder' } }],
  [[everybody], {}],
  [[releases], { channel_id: 'chn_1' }],
  [[releases, ines], { channel_id: 'chn_1', target: { strategy: 'direct', agent_id: 'ines' } }],
  [
    [ines, builder],
    {
      target: {
        strategy: 'mixed',
        rules: [
          { strategy: 'direct', agent_id: 'ines' },
          { strategy: 'role', role: 'builder' },
        ],
      },
    },
  ],
])('%j is sent as %j', (chips, sent) => {
  expect(JSON.parse(JSON.stringify(asTarget(chips)))).toEqual(sent);
});

test('everybody stands alone, but for a channel', () => {
  expect(withRecipient([ines, releases], everybody)).toEqual([releases, everybody]);
  expect(withRecipient([releases, everybody], ines)).toEqual([releases, ines]);
  expect(withRecipient([ines, releases], { kind: 'channel', id: 'chn_2' })).toEqual([ines, { kind: 'channel', id: 'chn_2' }]);
  expect(withRecipient([ines], ines)).toEqual([ines]);
});

test('groups of the address become chips', () => {
  expect(recipientsOfGroup('role:a:b')).toEqual([{ kind: 'role', id: 'a:b' }]);
  expect(recipientsOfGroup('capability:go,css')).toHaveLength(2);
  expect(recipientsOfGroup('everybody')).toEqual([everybody]);
  const target = asTarget([ines, builder]).target;
  expect(recipientsOfGroup('several:whoever', { target })).toEqual([ines, builder]);
  expect(recipientsOf(target as never)).toEqual([ines, builder]);
});

test('suggests agents, what they are and can do, and the channels of the workspace', () => {
  const node = { agent_id: 'ines', role: 'lead', capabilities: { go: true, css: false } };
  const channel = (channel_id: string, workspace_id: string) =>
    [channel_id, { channel_id, workspace_id, name: 'x', created_at: '' }] as const;
  const mesh = { agents: new Map([['ines', node]]), channels: new Map([channel('c1', 'w1'), channel('c2', 'w2')]) };
  expect(suggestions(mesh as never, 'w1').map(({ kind, id }) => `${kind}:${id}`)).toEqual([
    'agent:ines',
    'everybody:',
    'role:lead',
    'capability:go',
    'channel:c1',
  ]);
});
