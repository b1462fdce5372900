// How posts hang together: threads by what answers what. Pure, so that it can be checked.

import { dayName } from '@/look/moment';
import { momentOf, type Post } from '@/things/topic/words';

export type Branch = {
  post: Post;
  replies: Branch[];
  /** Whom it answers, where that is not the post the thread hangs from. */
  to?: Post;
};

export type Root = Branch & {
  /** The name of the day, where a new one begins. */
  day?: string;
  /** What it answers is not here. */
  elsewhere?: string;
  /** The same sender goes on: who and when are not said again. */
  goesOn: boolean;
};

/** Deeper than this, replies stand in a row. */
const deepest = 2;

/** Who goes on within this time, in seconds, is not named again. */
const breath = 300;

/** Threads in the order of their first posts. Posts come in order; what answers one that is not among them begins a thread. */
export function threadsOf(posts: Post[], now = Date.now()): Root[] {
  const known = new Map(posts.map((post) => [post.message_id, post]));
  const answers = new Map<string, Post[]>();
  const roots: Post[] = [];
  for (const post of posts) {
    const parent = post.reply_to ? known.get(post.reply_to) : undefined;
    if (parent && parent.seq < post.seq) answers.set(parent.message_id, [...(answers.get(parent.message_id) ?? []), post]);
    else roots.push(post);
  }
  const repliesTo = (post: Post) => answers.get(post.message_id) ?? [];

  function hang(owner: Post, depth: number): Branch[] {
    const row: Branch[] = [];
    const to = (post: Post) => (post.reply_to === owner.message_id ? undefined : known.get(post.reply_to!));
    function add(post: Post) {
      const next = repliesTo(post);
      // An answer to an answer goes on in the same row: only where a thread parts it is indented again.
      if (next.length > 1) row.push({ post, to: to(post), replies: hang(post, depth + 1) });
      else {
        row.push({ post, to: to(post), replies: [] });
        next.forEach(add);
      }
    }
    if (depth >= deepest) return below(owner).map((post) => ({ post, to: to(post), replies: [] }));
    repliesTo(owner).forEach(add);
    return row;
  }

  function below(post: Post): Post[] {
    return repliesTo(post)
      .flatMap((reply) => [reply, ...below(reply)])
      .sort((a, b) => a.seq - b.seq);
  }

  const threads: Root[] = [];
  for (const post of roots) {
    const before = threads.at(-1);
    const day = dayName(momentOf(post.created_at), now);
    const sameDay = before !== undefined && dayName(momentOf(before.post.created_at), now) === day;
    threads.push({
      post,
      replies: hang(post, 0),
      day: sameDay ? undefined : day,
      elsewhere: post.reply_to ?? undefined,
      goesOn: sameDay && !post.reply_to && isOneBreath(before, post),
    });
  }
  return threads;
}

function isOneBreath(before: Root, post: Post): boolean {
  return before.replies.length === 0 && before.post.sender === post.sender && post.created_at - before.post.created_at < breath;
}

/** How many posts there are in branches. */
export const sizeOf = (branches: Branch[]): number => branches.reduce((sum, branch) => sum + 1 + sizeOf(branch.replies), 0);

export const holds = (branches: Branch[], id: string): boolean =>
  branches.some((branch) => branch.post.message_id === id || holds(branch.replies, id));

/** More replies than this are folded: the first and the last few stay. */
const unfolded = 6;

/** A row of replies with its middle folded, if it is long. */
export function folded(replies: Branch[]): { first: Branch[]; hidden: Branch[]; last: Branch[] } {
  if (replies.length <= unfolded) return { first: replies, hidden: [], last: [] };
  return { first: replies.slice(0, 1), hidden: replies.slice(1, -3), last: replies.slice(-3) };
}

/** Posts and all that answers them, as far as it is known. */
export function withReplies(posts: Post[], ids: Set<string>): Set<string> {
  const all = new Set(ids);
  for (const post of posts) if (post.reply_to && all.has(post.reply_to)) all.add(post.message_id);
  return all;
}

/** For every peer, the last of these posts that it has read; what it wrote itself tells nothing. */
export function readMarks(posts: Post[], peers: { agent_name: string; last_seq: number }[]): Map<string, string[]> {
  const marks = new Map<string, string[]>();
  for (const peer of peers) {
    const post = posts.findLast((one) => one.seq <= peer.last_seq);
    if (post && post.sender !== peer.agent_name)
      marks.set(post.message_id, [...(marks.get(post.message_id) ?? []), peer.agent_name]);
  }
  return marks;
}
