import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import { giveRoom } from '@/testing/room';
import Artifacts from '.';

const row = (n: number, more: object = {}) => ({
  artifact_id: `art_${n}`,
  workspace_id: 'w1',
  artifact_type: 'text',
  name: `note ${n}`,
  stored: 'inline',
  path: null,
  size_bytes: 133,
  metadata: null,
  created_at: new Date().toISOString(),
  ...more,
});

/** A hub whose artifacts come in pages. */
function showAll(pages: object[][], address = '/artifacts') {
  const asked = stubHub({
    observe_artifacts: ({ cursor }) => {
      const at = Number(cursor ?? 0);
      return { items: pages[at] ?? [], next_cursor: at + 1 < pages.length ? String(at + 1) : null };
    },
  });
  show(<Artifacts />, address);
  return asked;
}

beforeEach(() => giveRoom());

test('a row leads to its artifact', async () => {
  showAll([[row(1), row(2, { name: null, path: '/p/shots/tiles.png', artifact_type: 'file' })]]);
  await userEvent.click(await screen.findByText('tiles.png'));
  expect(location.search).toBe('?see=artifact%3Aart_2');
  expect(screen.getByText('2 artifacts')).toBeTruthy();
});

test('the type is in the address and narrows at the hub', async () => {
  const asked = showAll([[row(1)]]);
  await screen.findByText('note 1');
  await userEvent.click(screen.getByRole('radio', { name: 'JSON' }));
  expect(location.search).toBe('?type=json');
  await vi.waitFor(() => expect(asked.of('observe_artifacts').at(-1)).toMatchObject({ type: 'json' }));
});

test('a name is looked for further back', async () => {
  showAll([[row(1)], [row(2)], [row(3, { name: 'deep water' })]], '/artifacts?q=deep');
  expect(await screen.findByText('deep water')).toBeTruthy();
  expect(screen.queryByText('note 1')).toBeNull();
});

test('nothing says what appears here, and how', async () => {
  showAll([]);
  expect(await screen.findByText('No artifacts yet')).toBeTruthy();
  expect(screen.getByText(/nexus call artifact_put/)).toBeTruthy();
});

test('nothing that fits is another thing', async () => {
  showAll([[row(1)]], '/artifacts?q=none');
  expect(await screen.findByText('No artifact fits')).toBeTruthy();
  expect(screen.queryByText(/nexus call/)).toBeNull();
});
