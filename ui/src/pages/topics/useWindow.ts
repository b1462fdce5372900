// The posts that are read of a topic: a stretch without holes that grows at both ends. An event makes it old; then the same
// stretch is read again, so that what was deleted or renamed shows without a jump.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '@/api/call';
import { cache } from '@/api/query';
import type { Post } from '@/things/topic/words';

export type Window = { posts: Post[]; earlier: boolean; later: boolean };

const page = 50;
const most = 200;
/** How many pages are read again at once; what lies behind them is read when it is scrolled to. */
const patience = 20;

/** `focus` is the post to begin around; without one it begins at the end. */
export function useWindow(topic: string, focus: string) {
  const key = ['topic_posts', topic, focus];
  const read = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => again(topic, focus, cache.getQueryData<Window>(key), signal),
    placeholderData: (before, query) => (query?.queryKey[1] === topic ? before : undefined),
  });

  const grow = useMutation({
    mutationFn: async (way: 'earlier' | 'later') => {
      const known = cache.getQueryData<Window>(key);
      const [first, last] = [known?.posts[0], known?.posts.at(-1)];
      if (!first || !last) return;
      const answer = await call('topic_read', {
        topic_id: topic,
        limit: page,
        ...(way === 'earlier' ? { before_seq: first.seq } : { after_seq: last.seq }),
      });
      const isReading = cache.isFetching({ queryKey: key }) > 0;
      await cache.cancelQueries({ queryKey: key, exact: true }); // it would bring back the shorter stretch
      cache.setQueryData<Window>(key, (now) => now && grown(now, way, answer.messages, answer.has_more));
      if (isReading) void cache.invalidateQueries({ queryKey: key, exact: true });
    },
  });

  const { mutate, isPending } = grow;
  const more = useCallback(
    (way: 'earlier' | 'later') => {
      if (!isPending && !read.isPlaceholderData) mutate(way);
    },
    [mutate, isPending, read.isPlaceholderData],
  );
  /** Puts in a post that was just written here; the event about it comes a moment later. */
  const add = useCallback(
    (post: Post) =>
      cache.setQueryData<Window>(
        ['topic_posts', topic, focus],
        (now) => now && (now.later ? now : grown(now, 'later', [post], false)),
      ),
    [topic, focus],
  );
  return { ...read, more, add, growing: isPending, growError: grow.error };
}

async function again(topic: string, focus: string, known: Window | undefined, signal: AbortSignal): Promise<Window> {
  const first = known?.posts[0];
  if (!known || !first) return begin(topic, focus, signal);
  const end = known.later ? known.posts.at(-1)!.seq : Number.POSITIVE_INFINITY;
  const posts: Post[] = [];
  let more = true;
  for (let pages = 0; more && pages < patience && (posts.at(-1)?.seq ?? 0) < end; pages++) {
    const after = posts.at(-1)?.seq ?? first.seq - 1;
    const answer = await call('topic_read', { topic_id: topic, after_seq: after, limit: most }, signal);
    posts.push(...answer.messages);
    more = answer.has_more;
  }
  const kept = posts.filter((post) => post.seq <= end);
  if (kept.length === 0) return begin(topic, focus, signal);
  return { posts: kept, earlier: known.earlier, later: more || kept.length < posts.length };
}

/** The first stretch. The latest posts come with what the head of the page asks for anyway. */
async function begin(topic: string, focus: string, signal: AbortSignal): Promise<Window> {
  const input = { topic_id: topic, ...(focus && { focus }) };
  const look = focus
    ? await call('topic_look', input, signal)
    : await cache.fetchQuery({ queryKey: ['topic_look', input], queryFn: () => call('topic_look', input) });
  return { posts: look.messages, earlier: look.has_earlier, later: look.has_later };
}

/** A stretch with a page more at one end. */
export function grown(now: Window, way: 'earlier' | 'later', posts: Post[], more: boolean): Window {
  const known = new Set(now.posts.map((post) => post.message_id));
  const fresh = posts.filter((post) => !known.has(post.message_id));
  return way === 'earlier'
    ? { ...now, posts: [...fresh, ...now.posts], earlier: more }
    : { ...now, posts: [...now.posts, ...fresh], later: more };
}
