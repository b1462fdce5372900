import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cache } from '@/api/query';
import { Cached, stubHub } from '@/testing/hub';
import { samplePost, sampleTopic } from './sample';
import { grown, useWindow } from './useWindow';

/** A topic of a hundred posts, read as the hub lets it be read. */
let all = Array.from({ length: 100 }, (_, i) => samplePost(i + 1));
const answers = {
  topic_look: ({ focus }: { focus?: string }) => {
    const at = all.findIndex((post) => post.message_id === focus);
    const from = at < 0 ? all.length - 10 : at - 5;
    return {
      topic: sampleTopic(),
      messages: all.slice(from, from + 10),
      has_earlier: from > 0,
      has_later: from + 10 < all.length,
    };
  },
  topic_read: ({ after_seq, before_seq, limit }: { after_seq?: number; before_seq?: number; limit: number }) => {
    const fitting = all.filter((post) => (before_seq ? post.seq < before_seq : post.seq > after_seq!));
    return { messages: before_seq ? fitting.slice(-limit) : fitting.slice(0, limit), has_more: fitting.length > limit };
  },
};

const read = (focus = '') => renderHook(() => useWindow('t1', focus), { wrapper: Cached }).result;
const numbers = (now: ReturnType<typeof read>) => [now.current.data?.posts[0]?.seq, now.current.data?.posts.at(-1)?.seq];

test('it grows at both ends and says when there is no more', async () => {
  stubHub(answers);
  const now = read('p50');
  await waitFor(() => expect(numbers(now)).toEqual([45, 54]));
  act(() => now.current.more('earlier'));
  await waitFor(() => expect(numbers(now)).toEqual([1, 54]));
  expect(now.current.data?.earlier).toBe(false);
  act(() => now.current.more('later'));
  await waitFor(() => expect(numbers(now)).toEqual([1, 100]));
  expect(now.current.data?.later).toBe(false);
});

test('an event reads the same stretch again: at the end with what is new, in the middle without', async () => {
  stubHub(answers);
  const [end, middle] = [read(), read('p50')];
  await waitFor(() =>
    expect([numbers(end), numbers(middle)]).toEqual([
      [91, 100],
      [45, 54],
    ]),
  );
  all = [...all.filter((post) => post.seq !== 50), samplePost(101)];
  await act(() => cache.invalidateQueries());
  await waitFor(() => expect(numbers(end)).toEqual([91, 101]));
  expect(numbers(middle)).toEqual([45, 54]);
  expect(middle.current.data?.posts).toHaveLength(9);
  expect(middle.current.data?.later).toBe(true);
});

test('a page that overlaps doubles nothing', () => {
  const now = { posts: [samplePost(3), samplePost(4)], earlier: true, later: true };
  expect(grown(now, 'later', [samplePost(4), samplePost(5)], false)).toMatchObject({ posts: { length: 3 }, later: false });
  expect(grown(now, 'earlier', [samplePost(2), samplePost(3)], false)).toMatchObject({ posts: { length: 3 }, earlier: false });
});
