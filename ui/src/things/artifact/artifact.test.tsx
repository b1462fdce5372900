import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import ArtifactThing from '.';
import { lookOf } from './Diff';

const usual = {
  artifact_id: 'art_1',
  workspace_id: 'w1',
  artifact_type: 'text',
  name: 'crash.log',
  stored: 'inline',
  path: null,
  size_bytes: 1450,
  metadata: null,
  created_at: '2026-01-01T00:00:00.000Z',
  media_type: 'text/plain; charset=utf-8',
  content: 'panic: no such seed',
  content_truncated: false,
  unavailable: null,
};

/** An artifact that differs from the usual one. */
function showThing(artifact: object) {
  stubHub({
    observe_artifact: { ...usual, ...artifact },
    observe_events: { items: [{ type: 'artifact.created', actor_agent_id: 'hazel', payload: { artifact_id: 'art_1' } }] },
    observe_messages: {
      items: [
        { message_id: 'm1', subject: 'Figures', from_agent_id: 'hazel', artifacts: ['art_1'], created_at: usual.created_at },
        { message_id: 'm2', subject: 'Other', from_agent_id: 'hazel', artifacts: [], created_at: usual.created_at },
      ],
    },
    observe_workspaces: { items: [{ workspace_id: 'w1', display_name: 'atlas', root_realpath: '/p/atlas' }] },
  });
  show(<ArtifactThing id="art_1" />, '/artifacts');
}

test('what it is, who made it, what it was sent with, and how to get it', async () => {
  showThing({});
  expect(await screen.findByRole('heading', { name: 'crash.log' })).toBeTruthy();
  expect(screen.getByText('Text, 1.4 KB')).toBeTruthy();
  expect(screen.getByText('panic: no such seed')).toBeTruthy();
  const download = screen.getByRole('link', { name: 'Download' });
  expect(download.getAttribute('href')).toBe('/api/v1/artifacts/art_1/content');
  expect(download.getAttribute('download')).toBe('crash.log');
  expect(await screen.findByText('hazel')).toBeTruthy();
  expect(await screen.findByRole('button', { name: 'Figures' })).toBeTruthy();
  expect(screen.queryByText('Other')).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'atlas' }));
  expect(location.search).toBe('?see=workspace%3Aw1');
});

test('Markdown is drawn, or shown as it was written', async () => {
  showThing({ artifact_type: 'markdown', content: '# Draft\n<img src=x onerror=alert(1)>' });
  expect(await screen.findByText('Draft')).toBeTruthy();
  expect(document.querySelector('img')).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'As written' }));
  expect(screen.getByText(/^# Draft/)).toBeTruthy();
});

test('a picture comes from the hub; one that cannot be drawn says so', async () => {
  showThing({ media_type: 'image/png', content: null, name: 'Tiles' });
  const picture = await screen.findByRole('img', { name: 'Tiles' });
  expect(picture.getAttribute('src')).toBe('/api/v1/artifacts/art_1/content');
  picture.dispatchEvent(new Event('error'));
  expect(await screen.findByText(/cannot be drawn/)).toBeTruthy();
});

test('what cannot be had says why and offers nothing to download', async () => {
  showThing({ unavailable: 'The file "x" is not there any more.', media_type: null, content: null });
  expect(await screen.findByText(/^The file "x" is not there any more/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Download' })).toBeNull();
});

test('what is cut says so', async () => {
  showThing({ content_truncated: true, size_bytes: 5_242_880 });
  expect(await screen.findByText(/all of its 5 MB/)).toBeTruthy();
});

test('a patch is told by its signs', () => {
  expect([lookOf('+++ b/x'), lookOf('+added'), lookOf('-gone'), lookOf('@@ -1 @@'), lookOf(' same')]).toEqual([
    'font-strong',
    'bg-ok-wash text-ok',
    'bg-bad-wash text-bad',
    'text-info',
    'text-text-2',
  ]);
});
