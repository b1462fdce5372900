import { expect, test } from 'vitest';
import { gist, momentOf, readWords, seenPost, seePost, several } from './words';

test('a gist has no Markdown in it', () => {
  expect(gist('# Title\n\n- **bold** and `code`\n> [a link](https://example.org)')).toBe('Title bold and code a link');
  expect(gist('_so_ `lease_lapsed`')).toBe('so lease_lapsed');
  expect(gist('x'.repeat(300))).toHaveLength(120);
  expect(gist('```go\nfunc main() {}\n```')).toBe('func main() {}');
});

test('a post is found by both ids', () => {
  expect(seenPost(seePost({ topic_id: 'top_1', message_id: 'post_2' }))).toEqual({ topic: 'top_1', post: 'post_2' });
  expect(seenPost('nonsense')).toEqual({ topic: '', post: 'nonsense' });
});

test('how far somebody has read', () => {
  const peer = { agent_name: 'hazel', last_seq: 0, updated_at: 0, age_seconds: 0 };
  expect(readWords(peer, 5)).toBe('has read nothing yet');
  expect(readWords({ ...peer, last_seq: 3 }, 5)).toBe('has read up to #3 of 5');
  expect(readWords({ ...peer, last_seq: 9 }, 5)).toBe('has read everything');
});

test('numbers and moments', () => {
  expect([several(0, 'post'), several(1, 'reply', 'replies'), several(2, 'reply', 'replies')]).toEqual([
    '0 posts',
    '1 reply',
    '2 replies',
  ]);
  expect(momentOf(1_700_000_000.5)).toBe('2023-11-14T22:13:20.500Z');
});
