// Looking for words in one topic: in the posts that are on the page, letter by letter, and in all others as the hub finds them.

import { useDeferredValue, useMemo, useState } from 'react';
import { useOp } from '@/api/query';
import { setParams, useParam } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import type { Post } from '@/things/topic/words';

const most = 200;

export type Find = ReturnType<typeof useFind>;
type Place = { message_id: string; seq: number };

export const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The same for the hub: quoted, so that none of the words may be missing. */
export const askFor = (words: string[]) =>
  words
    .map((word) => word.replaceAll('"', ''))
    .filter(Boolean)
    .map((word) => `"${word}"`)
    .join(' ');

/** Posts that have all the words, in their order: those that are here, and those that the hub has found. */
export function placesOf(posts: Post[], words: string[], found: Place[]): Place[] {
  if (words.length === 0) return [];
  const here = posts.filter((post) => {
    const text = post.content_markdown.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const all = new Map([...found, ...here].map(({ message_id, seq }) => [message_id, { message_id, seq }]));
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

export function useFind(topic: string, posts: Post[]) {
  const [text, setText] = useParam('find');
  const [isAsked, setAsked] = useState(false);
  const [at] = useParam('post');
  const words = useMemo(() => wordsOf(text), [text]);
  const query = useDeferredValue(askFor(words));
  const { data, isPlaceholderData } = useOp(
    'messages_search',
    { query, topic_id: topic, mode: 'fts', limit: most, include_content: false },
    { enabled: query.length > 3 },
  );
  const found = query.length > 3 && data && !isPlaceholderData ? data.results : undefined;
  const places = useMemo(() => placesOf(posts, words, found ?? []), [posts, words, found]);
  const index = places.findIndex((place) => place.message_id === at);

  /** Goes to the next place or the one before, around the ends. */
  function step(by: 1 | -1) {
    if (places.length === 0) return;
    const next = index < 0 ? (by > 0 ? 0 : places.length - 1) : (index + by + places.length) % places.length;
    setParams({ post: places[next]!.message_id });
  }
  function close() {
    setAsked(false);
    setParams({ find: undefined, post: undefined });
  }
  const open = () => setAsked(true);
  useShortcuts(useMemo(() => [{ keys: 'f', does: 'Find in this topic', group: 'Actions', run: () => setAsked(true) }], []));

  return {
    isOpen: isAsked || !!text,
    open,
    close,
    text,
    setText,
    words,
    places,
    index,
    step,
    atMost: (found?.length ?? 0) >= most,
  };
}
