// What an artifact is called, and how it is shown.

import type { Data } from '@/api/call';

export type Artifact = Data<'observe_artifact'>;

type Named = { artifact_id: string; name: string | null; path: string | null };

/** What an artifact is called: its name, or the file's. */
export function artifactName({ artifact_id, name, path }: Named): string {
  return name || path?.split('/').findLast(Boolean) || `Artifact ${artifact_id.slice(-6)}`;
}

const typeWords: Record<string, string> = { file: 'File', text: 'Text', json: 'JSON', markdown: 'Markdown' };

export const typeWord = (type: string) => typeWords[type] ?? type;

/** Where the bytes are. The hub sends them as pictures, as plain text or as a file to keep, never as something that runs. */
export const contentOf = (id: string) => `/api/v1/artifacts/${encodeURIComponent(id)}/content`;

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export type Shape =
  | { as: 'unavailable'; why: string }
  | { as: 'nothing' }
  | { as: 'picture' }
  | { as: 'markdown' | 'diff' | 'text'; text: string }
  | { as: 'json'; text: string; value: unknown }
  | { as: 'bytes' };

/** How an artifact is shown. What calls itself JSON and is not, is text. */
export function shapeOf(artifact: Artifact): Shape {
  if (artifact.unavailable) return { as: 'unavailable', why: artifact.unavailable };
  if (artifact.size_bytes === 0 || artifact.content === '') return { as: 'nothing' };
  if (pictures.includes(artifact.media_type ?? '')) return { as: 'picture' };
  const text = artifact.content;
  if (text === null) return { as: 'bytes' };
  const file = (artifact.path ?? artifact.name ?? '').toLowerCase();
  if (artifact.artifact_type === 'json' || file.endsWith('.json')) return asJson(text);
  if (artifact.artifact_type === 'markdown' || /\.(md|markdown)$/.test(file)) return { as: 'markdown', text };
  if (/\.(diff|patch)$/.test(file) || /^(diff --git |--- \S+.*\n\+\+\+ )/.test(text)) return { as: 'diff', text };
  return { as: 'text', text };
}

function asJson(text: string): Shape {
  try {
    return { as: 'json', text, value: JSON.parse(text) };
  } catch {
    return { as: 'text', text }; // cut, broken, or deeper than a parser goes
  }
}
