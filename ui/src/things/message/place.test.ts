import { expect, test } from 'vitest';
import { answerTo, conversationOf, groupOf } from './place';
import { sample, sampleDelivery } from './sample';

const role = { target: { strategy: 'role', role: 'builder' } };

test('a channel outranks whom a message was for', () => {
  expect(groupOf({ channel_id: 'chn_1', ...role } as never)).toBe('channel:chn_1');
  expect(groupOf({ channel_id: null, ...role } as never)).toBe('role:builder');
  expect(groupOf({ channel_id: null, target: null })).toBe('everybody');
  expect(groupOf(sample('m', 'a', 'b'))).toBeUndefined();
});

test('conversations are seen as the operator where it takes part', () => {
  expect(conversationOf(sample('m', 'ines', 'operator'))).toEqual({ as: undefined, peer: 'ines' });
  expect(conversationOf(sample('m', 'operator', 'ines'))).toEqual({ as: undefined, peer: 'ines' });
  expect(conversationOf(sample('m', 'ines', 'hazel'))).toEqual({ as: 'ines', peer: 'hazel' });
  expect(conversationOf(sample('m', 'ines', '', { ...role, deliveries: [sampleDelivery('hazel')] }))).toEqual({
    as: 'ines',
    tab: 'groups',
    group: 'role:builder',
  });
});

test('an answer goes to the sender, and one to oneself to where the message went', () => {
  expect(answerTo(sample('m', 'ines', 'hazel'))).toEqual({ peer: 'ines', reply: 'm' });
  expect(answerTo(sample('m', 'operator', 'hazel'))).toEqual({ peer: 'hazel', reply: 'm' });
  expect(answerTo(sample('m', 'operator', '', role))).toEqual({ tab: 'groups', group: 'role:builder', reply: 'm' });
});
