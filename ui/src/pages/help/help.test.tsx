import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, stubHub, visitor } from '@/testing/hub';
import Help from '.';
import { browserFacts } from './facts';

const answers = {
  info: { service: 'nexus', package_version: '1.2.3', schema_version: 4, trust_mode: 'strict' },
  connect: {
    items: [
      {
        id: 'codex',
        title: 'Codex',
        file: '~/.codex/config.toml',
        transport: 'http',
        command: 'NEXUS_API_KEY={{k}} nexus connect codex --write',
        next: 'Start codex anew.',
      },
      {
        id: 'desktop',
        title: 'Desktop',
        file: null,
        transport: 'stdio',
        command: 'nexus connect desktop --write',
        next: 'Quit it.',
      },
      { id: 'rest', title: 'REST', file: null, transport: 'http', command: null, next: '' },
    ],
    key_placeholder: '{{k}}',
  },
  license: () => new Response('Apache License'),
  'sign-out': { signed_out: true },
};
let asked: ReturnType<typeof stubHub>;

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  asked = stubHub(answers);
});

test('a chapter has an address, and is gone to', async () => {
  show(<Help />, '/help?at=mail');
  expect(Element.prototype.scrollIntoView).toHaveBeenCalledOnce();
  const chapters = screen.getByRole('navigation', { name: 'Chapters' });
  expect(within(chapters).getByRole('link', { current: 'location' }).textContent).toBe('Where a message is');
  await userEvent.click(within(chapters).getByRole('link', { name: 'Hand-offs' }));
  expect(location.search).toBe('?at=handoffs');
  expect(document.activeElement?.textContent).toBe('Hand-offs and their states');
});

test('headings are in order, and every chapter has one', () => {
  show(<Help />, '/help');
  const links = within(screen.getByRole('navigation', { name: 'Chapters' })).getAllByRole('link');
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(links.length);
});

test('the commands are those of the host', async () => {
  show(<Help />, '/help');
  expect(await screen.findByText('nexus connect codex --write')).toBeTruthy();
  expect(screen.getByText('NEXUS_API_KEY=nxs_… nexus connect codex --write')).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText('Host'), 'desktop');
  expect(location.search).toBe('?host=desktop');
  expect(screen.getByText('nexus connect desktop --check')).toBeTruthy();
  expect(screen.queryByText(/On any other machine/)).toBeNull();
  expect(screen.queryByRole('option', { name: 'REST' })).toBeNull();
});

test('about tells version, trust and who asks; nobody signs out who did not sign in', async () => {
  show(<Help />, '/help');
  expect(await screen.findByText('1.2.3')).toBeTruthy();
  expect(screen.getByText(/^strict:/)).toBeTruthy();
  expect(await screen.findByText('the operator of this hub')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull();
});

test('signing out', async () => {
  asked = stubHub({ ...answers, me: { ...visitor, sign_in_id: 's1' } });
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  show(<Help />, '/help');
  expect(await screen.findByText('wren')).toBeTruthy();
  await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }));
  expect(asked.of('sign-out')).toHaveLength(1);
  expect(reload).toHaveBeenCalledOnce();
});

test('licences come when they are wanted', async () => {
  const { container } = show(<Help />, '/help');
  expect(asked.of('license')).toEqual([]);
  const [own, others] = container.querySelectorAll('details');
  for (const fold of [own!, others!]) {
    fold.open = true;
    fold.dispatchEvent(new Event('toggle'));
  }
  expect(await screen.findByText('Apache License')).toBeTruthy();
  expect(await screen.findAllByText(/react-dom/)).not.toHaveLength(0);
});

test('a report holds no names', () => {
  history.replaceState(null, '', '/conversations?peer=secret-agent&ws=w1');
  const text = browserFacts({ service: 'nexus', package_version: '1', schema_version: 4, trust_mode: 'open' }, 'live', 'dark');
  expect(text).toContain('Nexus 1, schema 4, trust open');
  expect(text).toContain(navigator.userAgent);
  expect(text).not.toMatch(/secret-agent|w1/);
});
