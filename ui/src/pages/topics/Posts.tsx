import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useOp } from '@/api/query';
import { inspect, useSeenId } from '@/app/address';
import { Empty } from '@/look/Empty';
import { Jump } from '@/look/Jump';
import { Day } from '@/look/Lines';
import { useNow } from '@/look/Time';
import { useStay } from '@/look/useStay';
import { type Post, seePost } from '@/things/topic/words';
import { PostRow, type RowTools } from './PostRow';
import { Replies } from './Replies';
import { markRead } from './read';
import { readMarks, threadsOf } from './threads';
import { useHighlight } from './useHighlight';
import { useMissed } from './useMissed';
import type { useWindow } from './useWindow';

type Props = {
  topic: string;
  lastSeq: number;
  read: ReturnType<typeof useWindow>;
  /** The post that the address points to. */
  wanted: string;
  /** Words that are being looked for. */
  words: string[];
  marked: Set<string>;
  onMark?: (marked: Set<string>) => void;
  onReply?: (post: Post) => void;
  /** The last post that was written here: the end comes into view with it. */
  sent: string;
  onNewest: () => void;
};

/** How long ago a peer may have read and still be shown where it stands: a month. */
const lately = 30 * 86_400;

/** What was written, in threads. j and k move, Enter inspects, r replies, x selects. */
export function Posts({ topic, lastSeq, read, wanted, words, marked, onMark, onReply, sent, onNewest }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { data, more, growing, isPlaceholderData } = read;
  const posts = useMemo(() => data?.posts ?? [], [data]);
  const today = new Date(useNow()).toDateString();
  const threads = useMemo(() => threadsOf(posts, Date.parse(today) + 43_200_000), [posts, today]);
  const { data: presence } = useOp('topic_presence', { topic_id: topic, window_seconds: lately, limit: 200 });
  const readers = useMemo(
    () => (presence?.topic_id === topic && data && !data.later ? readMarks(posts, presence.peers) : new Map<string, string[]>()),
    [presence, topic, posts, data],
  );
  const { atEnd, note, toEnd, toRow } = useStay(scroller, content);
  const { missed, look } = useMissed(scroller, posts);
  const [focus, setFocus] = useState('');
  const [opened] = useState(() => Date.now() / 1000);
  const seen = useSeenId('post');
  useHighlight(content, words, posts);

  function fill() {
    const box = scroller.current;
    if (!box || !data || growing) return;
    if (data.earlier && box.scrollTop < 600) more('earlier');
    else if (data.later && box.scrollHeight - box.scrollTop - box.clientHeight < 600) more('later');
  }
  useEffect(fill);

  const shown = useRef('');
  useLayoutEffect(() => {
    if (!wanted || shown.current === wanted || isPlaceholderData) return;
    if (toRow(wanted)) shown.current = wanted;
  });
  useEffect(() => {
    if (!wanted) shown.current = '';
  }, [wanted]);
  useEffect(() => {
    if (atEnd && data && !data.later) markRead(topic, lastSeq);
  }, [atEnd, data, topic, lastSeq]);

  useLayoutEffect(() => {
    if (sent) toEnd();
  }, [sent, toEnd]);

  function mark(id: string) {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    onMark?.(next);
  }

  function press(event: KeyboardEvent<HTMLElement>) {
    const rows = [...(content.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const at = rows.indexOf(event.target as HTMLElement);
    const post = posts.find((one) => one.message_id === rows[at]?.dataset.row);
    if (!post || event.metaKey || event.ctrlKey || event.altKey) return;
    const move = (to: number) => () => rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
    const action = {
      j: move(at + 1),
      ArrowDown: move(at + 1),
      k: move(at - 1),
      ArrowUp: move(at - 1),
      Home: move(0),
      End: move(rows.length - 1),
      Enter: () => inspect('post', seePost(post)),
      r: () => onReply?.(post),
      x: () => mark(post.message_id),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** To what came while the reader was elsewhere, or to the end. */
  function jump() {
    if (missed.count > 0 && toRow(missed.first)) return;
    if (data?.later) onNewest();
    toEnd();
  }

  const focused = posts.some((post) => post.message_id === focus) ? focus : wanted || posts.at(-1)?.message_id;
  const tools: RowTools = {
    wanted,
    focused,
    opened,
    readers,
    marked,
    seen: seen?.slice(topic.length + 1),
    isMarking: marked.size > 0,
    onMark: onMark && mark,
    onReply,
  };
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        className={`h-full overflow-y-auto overflow-x-hidden [overflow-anchor:none] ${isPlaceholderData ? 'refetching' : ''}`}
        onScroll={() => {
          note();
          look();
          fill();
        }}
      >
        <div
          ref={content}
          role="group"
          aria-label="Posts"
          className="max-w-[880px] px-3 pt-2 pb-6 max-wide:px-1"
          onKeyDown={press}
          onFocus={(event) => setFocus(event.target.closest('[data-row]')?.getAttribute('data-row') ?? '')}
        >
          {data && posts.length === 0 && <Silence topic={topic} />}
          {threads.map((thread) => (
            <div key={thread.post.message_id}>
              {thread.day && <Day name={thread.day} className="mx-3 mt-4 mb-1 first:mt-1" />}
              <PostRow branch={thread} tools={tools} />
              <Replies owner={thread.post} replies={thread.replies} tools={tools} />
            </div>
          ))}
        </div>
      </div>
      <Said post={posts.at(-1)} opened={opened} />
      {(!atEnd || data?.later || missed.count > 0) && (
        <Jump up={missed.above} quiet={missed.count === 0} className="bottom-3" onClick={jump}>
          {missed.count > 0 ? `${missed.count} new` : 'Newest'}
        </Jump>
      )}
    </div>
  );
}

/** Tells those who listen that something was written. */
function Said({ post, opened }: { post: Post | undefined; opened: number }) {
  return (
    <span role="status" className="sr-only">
      {post && post.created_at > opened && `${post.sender} wrote #${post.seq}`}
    </span>
  );
}

function Silence({ topic }: { topic: string }) {
  return (
    <Empty title="Nothing was written yet" command={`nexus call topic_join topic_id=${topic} agent_name=scout`}>
      Agents join and write with sync; you write below.
    </Empty>
  );
}
