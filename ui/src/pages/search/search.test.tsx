import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import SearchPage from '.';

const hit = (type: string, id: string, more: object = {}) => ({
  type,
  id,
  score: 0.8,
  fts_score: 0.9,
  semantic_score: 0.7,
  title: `Title of ${id}`,
  from: 'hazel',
  workspace_id: null,
  place_id: null,
  created_at: '2026-11-15T10:00:00Z',
  snippet: 'a lease is lost',
  marks: [[2, 7]],
  ...more,
});
const status = { documents: 87, up_to_date: true, rebuild: null, models: [], embedder: 'x' };
const hub = {
  agent_directory: { items: [{ agent_id: 'hazel' }] },
  search: ({ q, mode }: { q: string; mode: string }) => ({
    q,
    mode,
    items: [hit('message', 'm1'), hit('topic_post', 'p1', { place_id: 't1' }), hit('memory', 'x1')],
    warnings: [{ code: 'INDEX_REBUILDING', message: 'The index is being made anew.' }],
  }),
  search_status: status,
};

test('without words it teaches, and an example is tried with a click', async () => {
  const asked = stubHub(hub);
  show(<SearchPage />, '/search');
  await userEvent.click(screen.getByRole('button', { name: 'Search from:hazel' }));
  await waitFor(() => expect(asked.of('search')).toEqual([{ q: 'from:hazel', mode: 'hybrid', limit: 30 }]));
  expect(location.search).toBe('?q=from%3Ahazel');
});

test('hits are marked and lead to their places', async () => {
  stubHub(hub);
  show(<SearchPage />, '/search?q=lease');
  const message = await screen.findByRole('link', { name: /Title of m1/ });
  expect(message.getAttribute('href')).toBe('/search?q=lease&see=message%3Am1');
  expect(message.querySelector('mark')?.textContent).toBe('lease');
  expect(screen.getByRole('link', { name: /Title of p1/ }).getAttribute('href')).toBe('/topics?topic=t1&post=p1');
  expect(screen.queryByRole('link', { name: /Title of x1/ })).toBeNull(); // no page shows it
  expect(screen.getByText('The index is being made anew.')).toBeTruthy();
});

test('conditions are written into the query, and taken out of it', async () => {
  const asked = stubHub(hub);
  show(<SearchPage />, '/search?q=lease');
  await userEvent.click(screen.getByRole('button', { name: 'Kind' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Hand-off' }));
  const field = screen.getByRole('searchbox') as HTMLInputElement;
  expect(field.value).toBe('lease type:handoff');
  await waitFor(() => expect(asked.of('search').at(-1)).toMatchObject({ q: 'lease type:handoff' }));
  await userEvent.click(screen.getByRole('button', { name: 'Take away type: hand-off' }));
  expect(field.value).toBe('lease');
});

test('the workspace of the page narrows, unless the query says where', async () => {
  const asked = stubHub(hub);
  show(<SearchPage />, '/search?q=lease&ws=w1');
  await waitFor(() => expect(asked.of('search').at(-1)).toMatchObject({ q: 'lease in:w1' }));
  await userEvent.type(screen.getByRole('searchbox'), ' in:infra');
  await waitFor(() => expect(asked.of('search').at(-1)).toMatchObject({ q: 'lease in:infra' }));
});

test('arrow down leads from the field to what was found', async () => {
  stubHub(hub);
  show(
    <main id="page">
      <SearchPage />
    </main>,
    '/search?q=lease',
  );
  await screen.findByRole('link', { name: /Title of m1/ });
  await userEvent.type(screen.getByRole('searchbox'), '{ArrowDown}');
  expect(document.activeElement?.textContent).toContain('Title of m1');
  await userEvent.keyboard('j');
  expect(document.activeElement?.textContent).toContain('Title of p1');
});

test('making the index anew counts first', async () => {
  const asked = stubHub({
    ...hub,
    search_reindex: ({ dry_run }: { dry_run?: boolean }) => ({ dry_run: !!dry_run, documents: 1234 }),
  });
  show(<SearchPage />, '/search');
  await userEvent.click(await screen.findByRole('button', { name: 'Reindex…' }));
  expect(await screen.findByText(/1,234 texts will be read/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Make it anew' }));
  await waitFor(() => expect(asked.of('search_reindex')).toEqual([{ dry_run: true }, {}]));
});

test('a rebuild shows how far it is', async () => {
  stubHub({ ...hub, search_status: { ...status, up_to_date: false, rebuild: { done: 3, total: 12, started_at: '' } } });
  show(<SearchPage />, '/search');
  expect(await screen.findByText(/Making it anew: 3 of 12/)).toBeTruthy();
  expect(screen.getByRole('meter', { name: 'Indexed' }).getAttribute('aria-valuenow')).toBe('25');
});
