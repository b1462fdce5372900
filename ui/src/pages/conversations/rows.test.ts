import { expect, test } from 'vitest';
import { sample } from '@/things/message/sample';
import { rowsOf } from './rows';

const now = Date.parse('2026-11-15T12:00:00');
const at = (time: string) => ({ created_at: new Date(`2026-11-${time}`).toISOString() });

test('the newest is the last, and each day begins once', () => {
  const rows = rowsOf(
    [
      sample('c', 'ines', 'operator', at('15T09:00')),
      sample('b', 'ines', 'operator', at('15T08:00')),
      sample('a', 'ines', 'operator', at('14T08:00')),
    ],
    'operator',
    now,
  );
  expect(rows.map(({ message, day }) => [message.message_id, day])).toEqual([
    ['a', 'Yesterday'],
    ['b', 'Today'],
    ['c', undefined],
  ]);
});

test('who goes on is not named again, until a while has passed or somebody else spoke', () => {
  const rows = rowsOf(
    [
      sample('d', 'ines', 'operator', at('15T09:10')),
      sample('c', 'operator', 'ines', at('15T09:09')),
      sample('b', 'operator', 'ines', at('15T09:01')),
      sample('a', 'operator', 'ines', at('15T09:00')),
    ],
    'operator',
    now,
  );
  expect(rows.map(({ mine, head }) => [mine, head])).toEqual([
    [true, true],
    [true, false],
    [true, true],
    [false, true],
  ]);
});

test('an answer is joined to what stands above, and quotes what stands elsewhere', () => {
  const rows = rowsOf(
    [
      sample('e', 'ines', 'x', { parent_message_id: 'a' }),
      sample('d', 'mica', 'x'),
      sample('c', 'mica', 'x', { parent_message_id: 'a' }),
      sample('b', 'ines', 'x', { parent_message_id: 'a' }),
      sample('a', 'hazel', 'x'),
    ],
    'operator',
    now,
  );
  expect(rows.map(({ answers }) => answers)).toEqual([undefined, 'joined', 'joined', undefined, 'quoted']);
});
