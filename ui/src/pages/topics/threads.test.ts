import { expect, test } from 'vitest';
import type { Post } from '@/things/topic/words';
import { type Branch, folded, readMarks, sizeOf, threadsOf, withReplies } from './threads';

const now = new Date(2026, 4, 20, 12).getTime();
let made = 0;
const post = (id: string, reply_to: string | null = null, more: Partial<Post> = {}): Post => ({
  message_id: id,
  topic_id: 't',
  seq: ++made,
  sender: 'hazel',
  message_type: 'message',
  reply_to,
  content_markdown: id,
  metadata: null,
  client_message_id: null,
  created_at: now / 1000,
  ...more,
});

const drawn = (branches: Branch[]): unknown[] =>
  branches.map(({ post, to, replies }) => {
    const name = post.message_id + (to ? `>${to.message_id}` : '');
    return replies.length > 0 ? [name, drawn(replies)] : name;
  });
const draw = (posts: Post[]) => drawn(threadsOf(posts, now));

test('replies hang from what they answer', () => {
  expect(draw([post('a'), post('b'), post('c', 'a'), post('d', 'a')])).toEqual([['a', ['c', 'd']], 'b']);
});

test('a talk of two stays in one row, and says who is answered', () => {
  expect(draw([post('a'), post('b', 'a'), post('c', 'b'), post('d', 'c')])).toEqual([['a', ['b', 'c>b', 'd>c']]]);
});

test('a thread that parts is indented again, but not without end', () => {
  const posts = [
    post('a'),
    post('b', 'a'),
    post('c', 'b'),
    post('d', 'b'),
    post('e', 'd'),
    post('f', 'd'),
    post('g', 'f'),
    post('h', 'e'),
  ];
  expect(draw(posts)).toEqual([['a', [['b', ['c', ['d', ['e', 'f', 'g>f', 'h>e']]]]]]]);
});

test('what answers something that is not here begins a thread', () => {
  const [root] = threadsOf([post('b', 'gone')], now);
  expect(root).toMatchObject({ elsewhere: 'gone', replies: [] });
});

test('a post that claims to answer a later one does not make a circle', () => {
  const a = post('a', 'b');
  expect(draw([a, post('b', 'a')])).toEqual([['a', ['b']]]);
});

test('days, and who goes on', () => {
  const early = now / 1000 - 86_400;
  const roots = threadsOf(
    [
      post('a', null, { created_at: early }),
      post('b', null, { created_at: early + 60 }),
      post('c', null, { created_at: early + 90, sender: 'heron' }),
      post('d'),
      post('e', 'd'),
      post('f'),
    ],
    now,
  );
  expect(roots.map(({ day }) => day)).toEqual(['Yesterday', undefined, undefined, 'Today', undefined]);
  expect(roots.map(({ goesOn }) => goesOn)).toEqual([false, true, false, false, false]);
});

test('a long row keeps its beginning and its end', () => {
  const row = threadsOf([post('a'), ...[...'bcdefghi'].map((id) => post(id, 'a'))], now)[0]!.replies;
  const { first, hidden, last } = folded(row);
  expect([drawn(first), sizeOf(hidden), drawn(last)]).toEqual([['b'], 4, ['g', 'h', 'i']]);
  expect(folded(row.slice(0, 6)).hidden).toEqual([]);
});

test('deleting takes replies along, and replies to those', () => {
  const posts = [post('a'), post('b', 'a'), post('c', 'b'), post('d')];
  expect([...withReplies(posts, new Set(['a']))]).toEqual(['a', 'b', 'c']);
});

test('a peer stands at the last post it has read', () => {
  const posts = [post('a', null, { seq: 4 }), post('b', null, { seq: 7 })];
  const marks = readMarks(posts, [
    { agent_name: 'early', last_seq: 3 },
    { agent_name: 'mid', last_seq: 6 },
    { agent_name: 'end', last_seq: 9 },
    { agent_name: 'hazel', last_seq: 9 }, // wrote it
  ]);
  expect([...marks]).toEqual([
    ['a', ['mid']],
    ['b', ['end']],
  ]);
});
