import { expect, test } from 'vitest';
import { type Artifact, artifactName, contentOf, shapeOf } from './shape';

const artifact = (more: Partial<Artifact>): Artifact => ({
  artifact_id: 'art_0123456789',
  workspace_id: 'w',
  artifact_type: 'text',
  name: null,
  stored: 'inline',
  path: null,
  size_bytes: 10,
  metadata: null,
  created_at: '2026-01-01T00:00:00Z',
  media_type: 'text/plain; charset=utf-8',
  content: 'words',
  content_truncated: false,
  unavailable: null,
  ...more,
});

test.each([
  ['a name', { name: 'Notes', path: '/a/b.md' }, 'Notes'],
  ['a path', { path: '/a/b.md' }, 'b.md'],
  ['neither', {}, 'Artifact 456789'],
])('it is called by %s', (_, more, name) => {
  expect(artifactName(artifact(more))).toBe(name);
});

test.each<[string, Partial<Artifact>, string]>([
  ['text', {}, 'text'],
  ['Markdown by type', { artifact_type: 'markdown' }, 'markdown'],
  ['Markdown by its file', { artifact_type: 'file', path: '/a/README.MD' }, 'markdown'],
  ['JSON', { artifact_type: 'json', content: '{"a":1}' }, 'json'],
  ['JSON that is none', { artifact_type: 'json', content: '{"a":' }, 'text'],
  ['a patch by its file', { name: 'claim.patch' }, 'diff'],
  ['a patch by how it begins', { content: '--- a/x\n+++ b/x\n' }, 'diff'],
  ['a picture', { media_type: 'image/png', content: null }, 'picture'],
  ['a picture that could run', { media_type: 'image/svg+xml', content: null }, 'bytes'],
  ['bytes', { media_type: 'application/octet-stream', content: null }, 'bytes'],
  ['nothing', { size_bytes: 0, content: '' }, 'nothing'],
  ['what is gone', { unavailable: 'The file is not there any more.', media_type: null, content: null }, 'unavailable'],
])('%s', (_, more, as) => {
  expect(shapeOf(artifact(more)).as).toBe(as);
});

test('an id cannot lead elsewhere', () => {
  expect(contentOf('../../me?x#')).toBe('/api/v1/artifacts/..%2F..%2Fme%3Fx%23/content');
});
