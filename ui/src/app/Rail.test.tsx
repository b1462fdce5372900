import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { cache } from '@/api/query';
import { Rail } from './Rail';

const show = () =>
  render(
    <QueryClientProvider client={cache}>
      <Rail />
    </QueryClientProvider>,
  );

beforeEach(() => {
  cache.clear();
  localStorage.clear();
  history.replaceState(null, '', '/events?ws=w1');
  vi.stubGlobal('fetch', async () =>
    Response.json({ ok: true, data: { items: [], total: { mail_unread: 2, mail_parked: 1, verify: 0 }, truncated: false } }),
  );
});

test('the page that is open is marked, and workspace goes along', () => {
  show();
  expect(screen.getByRole('link', { name: 'Events' }).getAttribute('aria-current')).toBe('page');
  expect(screen.getByRole('link', { name: 'Graph' }).getAttribute('href')).toBe('/graph?ws=w1');
});

test('counts stand only where somebody must act', async () => {
  show();
  expect((await screen.findByRole('link', { name: /Conversations/ })).textContent).toContain('Conversations');
  expect(await screen.findByText('3')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Hand-offs' })).toBeTruthy();
});

test('without names it keeps them for those who do not see it, and remembers', async () => {
  const first = show();
  await userEvent.click(screen.getByRole('button', { name: 'Names of the pages' }));
  expect(screen.getByRole('navigation').dataset.folded).toBe('true');
  expect(screen.getByRole('link', { name: 'Graph' }).title).toBe('Graph');
  first.unmount();
  show();
  expect(screen.getByRole('navigation').dataset.folded).toBe('true');
});
