import { expect, test } from 'vitest';
import { sample, sampleDelivery as to } from '@/things/message/sample';
import { groupsIn, groupWords, isUnread, membersOf } from './groups';

const role = { target: { strategy: 'role', role: 'builder' } };
const channel = { channel_id: 'chn_1', workspace_id: 'w1', name: 'releases', created_at: '' };
const channels = new Map([
  ['chn_1', channel],
  ['chn_2', { ...channel, channel_id: 'chn_2', workspace_id: 'w2', name: 'design' }],
]);

const mail = [
  sample('m5', 'ines', 'operator', { parent_message_id: 'm4' }),
  sample('m4', 'mica', 'operator', { parent_message_id: 'm2' }),
  sample('m3', 'ines', 'operator'),
  sample('m2', 'ines', 'x', { ...role, deliveries: [to('operator')] }),
  sample('m1', 'operator', 'x', { ...role, deliveries: [] }),
];

test('groups are found in what was written, and quiet channels follow', () => {
  const groups = groupsIn(mail, channels, 'operator');
  expect(groups.map(({ key, last, unread }) => [key, last?.message_id, unread])).toEqual([
    ['role:builder', 'm2', 1],
    ['channel:chn_1', undefined, 0],
    ['channel:chn_2', undefined, 0],
  ]);
  expect(groupsIn([], channels, 'operator', 'w2').map(({ words }) => words)).toEqual(['#design']);
});

test('answers belong to the group, whomever they were for', () => {
  expect(membersOf(mail, 'role:builder').map(({ message_id }) => message_id)).toEqual(['m5', 'm4', 'm2', 'm1']);
});

test.each([
  ['everybody', 'Everybody'],
  ['role:a:b', 'role a:b'],
  ['capability:go,css', 'capability go or css'],
  ['channel:chn_1', '#releases'],
  ['channel:gone', '#gone'],
  ['several:role a, ines', 'role a, ines'],
])('%s is called %s', (key, words) => {
  expect(groupWords(key, channels)).toBe(words);
});

test('what was taken but not acknowledged is unread still', () => {
  const status = (lane: string) => isUnread(sample('m', 'a', 'b', { deliveries: [to('operator', lane)] }), 'operator');
  expect(['unread', 'delivered', 'read', 'parked'].map(status)).toEqual([true, true, false, false]);
});
