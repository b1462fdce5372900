// What is said of topics and posts, wherever they show.

import type { Data, Item } from '@/api/call';
import { href } from '@/app/address';

export type Topic = Item<'topic_browse'>;
export type Post = Data<'topic_look'>['messages'][number];
export type Peer = Data<'topic_presence'>['peers'][number];

/** Topics tell time in seconds since 1970; the rest of the page in text. */
export const momentOf = (seconds: number) => new Date(seconds * 1000).toISOString();

const numbers = new Intl.NumberFormat();

/** So many of something, in words. */
export const several = (count: number, one: string, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;

/** The first words of a text, without its Markdown. */
export function gist(markdown: string, most = 120): string {
  const plain = markdown
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[#>\s*-]+/gm, '')
    .replace(/[*`~|]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/** Posts are inspected by both ids: the hub finds them in their topic only. */
export const seePost = (post: { topic_id: string; message_id: string }) => `${post.topic_id}:${post.message_id}`;

export function seenPost(id: string): { topic: string; post: string } {
  const at = id.indexOf(':');
  return { topic: id.slice(0, Math.max(at, 0)), post: id.slice(at + 1) };
}

export const topicHref = (topic: string, post?: string) => href('/topics', { topic, post });

/** How far a peer has read. */
export function readWords(peer: Peer, lastSeq: number): string {
  if (peer.last_seq >= lastSeq) return 'has read everything';
  if (peer.last_seq <= 0) return 'has read nothing yet';
  return `has read up to #${peer.last_seq} of ${lastSeq}`;
}

/** Hands the file of a topic to the browser. */
export function exportTopic(topic: string, format: 'markdown' | 'json') {
  const link = document.createElement('a');
  link.href = `/api/v1/topics/${encodeURIComponent(topic)}/export?format=${format}&include_metadata=true`;
  link.download = '';
  link.click();
}
