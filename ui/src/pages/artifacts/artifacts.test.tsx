import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
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

let sent: Record<string, unknown>[];

/** A hub whose artifacts come in pages. */
function hub(...pages: object[][]) {
  sent = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (!String(url).endsWith('/observe_artifacts')) return Response.json({ ok: true, data: { items: [] } });
    const input = JSON.parse(String(init?.body));
    sent.push(input);
    const at = Number(input.cursor ?? 0);
    return Response.json({
      ok: true,
      data: { items: pages[at] ?? [], next_cursor: at + 1 < pages.length ? String(at + 1) : null },
    });
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Artifacts />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  history.replaceState(null, '', '/artifacts');
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(640);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000);
});

test('a row leads to its artifact', async () => {
  hub([row(1), row(2, { name: null, path: '/p/shots/tiles.png', artifact_type: 'file' })]);
  await userEvent.click(await screen.findByText('tiles.png'));
  expect(location.search).toBe('?see=artifact%3Aart_2');
  expect(screen.getByText('2 artifacts')).toBeTruthy();
});

test('the type is in the address and narrows at the hub', async () => {
  hub([row(1)]);
  await screen.findByText('note 1');
  await userEvent.click(screen.getByRole('radio', { name: 'JSON' }));
  expect(location.search).toBe('?type=json');
  await vi.waitFor(() => expect(sent.at(-1)).toMatchObject({ type: 'json' }));
});

test('a name is looked for further back', async () => {
  history.replaceState(null, '', '/artifacts?q=deep');
  hub([row(1)], [row(2)], [row(3, { name: 'deep water' })]);
  expect(await screen.findByText('deep water')).toBeTruthy();
  expect(screen.queryByText('note 1')).toBeNull();
});

test('nothing says what appears here, and how', async () => {
  hub([]);
  expect(await screen.findByText('No artifacts yet')).toBeTruthy();
  expect(screen.getByText(/nexus call artifact_put/)).toBeTruthy();
});

test('nothing that fits is another thing', async () => {
  history.replaceState(null, '', '/artifacts?q=none');
  hub([row(1)]);
  expect(await screen.findByText('No artifact fits')).toBeTruthy();
  expect(screen.queryByText(/nexus call/)).toBeNull();
});
