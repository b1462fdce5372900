// What the search finds, and where it leads.

import type { ReactNode } from 'react';
import type { Hit } from '@/api/search';
import { MailGlyph, PaperGlyph, TopicGlyph, WorkGlyph } from '@/look/Glyph';

const words: Record<string, string> = {
  message: 'Message',
  handoff: 'Hand-off',
  artifact: 'Artifact',
  topic_post: 'Post',
  memory: 'Memory',
  thread: 'Thread',
};

/** Kinds that there is something of to find. */
export const kinds = ['message', 'handoff', 'artifact', 'topic_post'];

export const kindWord = (kind: string) => words[kind] ?? kind;

export function HitGlyph({ kind }: { kind: string }) {
  if (kind === 'message') return <MailGlyph lane="sent" />;
  if (kind === 'handoff') return <WorkGlyph status="OPEN" />;
  if (kind === 'topic_post') return <TopicGlyph />;
  return <PaperGlyph />;
}

const pages: Record<string, string> = { message: '/messages', handoff: '/handoffs', artifact: '/artifacts' };

type Found = Pick<Hit, 'type' | 'id' | 'place_id'>;

/** The page that a hit is on; nothing where no page shows such things. A post is shown in its place in the topic. */
export function hitPlace(hit: Found): { path: string; params: Record<string, string> } | undefined {
  if (hit.type === 'topic_post')
    return hit.place_id ? { path: '/topics', params: { topic: hit.place_id, post: hit.id } } : undefined;
  const path = pages[hit.type];
  return path ? { path, params: { see: `${hit.type}:${hit.id}` } } : undefined;
}

/** A text with the words that were looked for marked. The places are counted in characters, not in UTF-16. */
export function Marked({ text, marks }: { text: string; marks: number[][] }) {
  const letters = [...text];
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [from = 0, to = 0] of marks) {
    if (from < at || to <= from) continue;
    parts.push(letters.slice(at, from).join(''), <mark key={from}>{letters.slice(from, to).join('')}</mark>);
    at = to;
  }
  parts.push(letters.slice(at).join(''));
  return <>{parts}</>;
}
