import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { refusal, show, stubHub } from '@/testing/hub';
import { sample, sampleDelivery as to } from '@/things/message/sample';
import Conversations from '.';

const hub = {
  observe_workspaces: { items: [{ workspace_id: 'w9', root_realpath: '/w9' }] },
  observe_peers: {
    items: [{ peer: 'ines', count: 2, last_at: '2026-11-15T10:00:00Z', unread: 0, last_message: null }],
    failed_count: 0,
  },
  observe_messages: { items: [sample('m1', 'ines', 'operator')], next_cursor: null },
  observe_message: sample('m1', 'ines', 'operator'),
};
const sent = { message_id: 'm2', recipients: ['ines'], delivered_count: 1, target: null, channel_id: null };

/** What comes into view, as the browser would tell. */
let seeing: ((id: string) => void) | undefined;

beforeEach(() => {
  localStorage.clear();
  seeing = undefined;
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: unknown[]) => void) {
        seeing = (id) => {
          const target = document.querySelector(`[data-row="${id}"]`);
          tell([{ target, isIntersecting: true, intersectionRatio: 1, intersectionRect: { height: 10 } }]);
        };
      }
      observe() {}
      disconnect() {}
    },
  );
});

const body = () => screen.findByRole('textbox', { name: 'Message' });

test('Ctrl-Enter sends to the peer, where the talk was last; Enter makes a new line', async () => {
  const asked = stubHub({ ...hub, message_create: sent });
  show(<Conversations />, '/conversations?peer=ines');
  await screen.findByText('Text of m1');
  await userEvent.type(await body(), 'First line{Enter}second{Control>}{Enter}{/Control}');
  await waitFor(() => expect(asked.of('message_create')).toHaveLength(1));
  expect(asked.of('message_create')[0]).toMatchObject({
    project_root: 'w1',
    from_agent_id: 'operator',
    subject: 'First line',
    body: 'First line\nsecond',
    target: { strategy: 'direct', agent_id: 'ines' },
  });
  await waitFor(async () => expect(((await body()) as HTMLTextAreaElement).value).toBe(''));
  expect(localStorage.getItem('nexus.draft.peer:ines')).toBeNull();
});

test('a reader whose key may not write as the operator is told so', async () => {
  stubHub({ ...hub, me: { is_admin: false, scopes: ['read'] } });
  show(<Conversations />, '/conversations?peer=ines');
  expect((await screen.findByText(/^Writing as the operator is for whoever runs the hub/)).textContent).toContain('admin');
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
});

test('what could not be sent stays, and trying again cannot send it twice', async () => {
  const asked = stubHub({ ...hub, message_create: refusal('RATE_LIMITED', 'Wait a moment.', { status: 429 }) });
  show(<Conversations />, '/conversations?peer=ines');
  await userEvent.type(await body(), 'Keep me');
  await userEvent.click(screen.getByRole('button', { name: /^Send/ }));
  expect((await screen.findByRole('alert')).textContent).toContain('Wait a moment.');
  expect(((await body()) as HTMLTextAreaElement).value).toBe('Keep me');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(asked.of('message_create')).toHaveLength(2));
  const [first, second] = asked.of('message_create');
  expect(first!.idempotency_key).toBe(second!.idempotency_key);
});

test('each conversation keeps its draft', async () => {
  stubHub(hub);
  show(<Conversations />, '/conversations?peer=ines');
  await userEvent.type(await body(), 'For ines');
  act(() => history.pushState(null, '', '/conversations?peer=hazel'));
  await waitFor(async () => expect(((await body()) as HTMLTextAreaElement).value).toBe(''));
  act(() => history.pushState(null, '', '/conversations?peer=ines'));
  await waitFor(async () => expect(((await body()) as HTMLTextAreaElement).value).toBe('For ines'));
});

test('an answer names what it answers and stays in its workspace', async () => {
  const asked = stubHub({ ...hub, message_create: sent, observe_messages: { items: [], next_cursor: null } });
  show(<Conversations />, '/conversations?peer=ines&ws=w7&reply=m1');
  expect(await screen.findByText(/Answers ines/)).toBeTruthy();
  expect(location.search).not.toContain('reply');
  await userEvent.type(await body(), 'Yes{Meta>}{Enter}{/Meta}');
  await waitFor(() => expect(asked.of('message_create')[0]).toMatchObject({ parent_message_id: 'm1', project_root: 'w1' }));
});

test('a new message needs somebody; chips come from suggestions', async () => {
  const asked = stubHub({
    ...hub,
    observe_graph: { nodes: [{ agent_id: 'hazel', role: 'builder', capabilities: {} }], channels: [] },
    message_create: { ...sent, target: { strategy: 'role', role: 'builder' } },
  });
  show(<Conversations />, '/conversations?new=1');
  await userEvent.type(await body(), 'Hello');
  expect((screen.getByRole('button', { name: /^Send/ }) as HTMLButtonElement).disabled).toBe(true);
  await userEvent.type(screen.getByRole('combobox', { name: /^To/ }), 'role');
  await userEvent.keyboard('{Enter}');
  await userEvent.click(screen.getByRole('button', { name: /^Send/ }));
  await waitFor(() =>
    expect(asked.of('message_create')[0]).toMatchObject({ project_root: 'w9', target: { strategy: 'role', role: 'builder' } }),
  );
  await waitFor(() => expect(location.search).toContain('group=role%3Abuilder'));
});

test('what is in view is acknowledged once, and nothing else', async () => {
  const unread = [
    sample('m3', 'ines', 'operator'),
    sample('m2', 'ines', 'operator'),
    sample('m1', 'ines', 'operator', { deliveries: [to('operator', 'read')] }),
  ];
  const asked = stubHub({ ...hub, observe_messages: { items: unread, next_cursor: null }, inbox_ack: { acknowledged: 1 } });
  show(<Conversations />, '/conversations?peer=ines');
  await screen.findByText('Text of m3');
  act(() => seeing!('m3'));
  await waitFor(() => expect(asked.of('inbox_ack')).toHaveLength(1), { timeout: 2_000 });
  expect(asked.of('inbox_ack')[0]).toEqual({ agent_id: 'operator', message_ids: ['m3'] });
});

test('who looks as an agent neither writes nor reads for it', async () => {
  const items = [sample('m2', 'hazel', 'operator'), sample('m1', 'operator', 'hazel')];
  const asked = stubHub({ ...hub, observe_messages: { items, next_cursor: null } });
  show(<Conversations />, '/conversations?as=hazel&peer=operator');
  expect(await screen.findByText(/You look as hazel/)).toBeTruthy();
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
  await screen.findByText('Text of m2');
  expect(seeing).toBeUndefined(); // nobody watches what comes into view
  expect(asked.of('inbox_ack')).toEqual([]);
});

test('j and k move between messages, Enter inspects, r replies', async () => {
  stubHub({
    ...hub,
    observe_messages: { items: [sample('m2', 'ines', 'operator'), sample('m1', 'ines', 'operator')], next_cursor: null },
  });
  show(<Conversations />, '/conversations?peer=ines');
  await screen.findByText('Text of m2');
  document.querySelector<HTMLElement>('[data-row="m2"]')!.focus();
  await userEvent.keyboard('k{Enter}');
  expect(location.search).toContain('see=message%3Am1');
  await userEvent.keyboard('r');
  expect(await screen.findByText(/^Answers/)).toBeTruthy();
  expect(document.activeElement).toBe(await body());
});

test('whoever was never written to is found by name', async () => {
  stubHub({ ...hub, observe_graph: { nodes: [{ agent_id: 'zora', role: 'x', capabilities: {} }], channels: [] } });
  show(<Conversations />, '/conversations');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Type to filter' }), 'zo');
  expect(await screen.findByRole('link', { name: /zora/ })).toBeTruthy();
  expect(screen.queryByRole('link', { name: /ines/ })).toBeNull();
});

test('what is filed under a channel is written where the channel is', async () => {
  const channel = { channel_id: 'chn_1', workspace_id: 'w5', name: 'releases', created_at: '' };
  const asked = stubHub({
    ...hub,
    observe_graph: { nodes: [], channels: [channel] },
    observe_messages: { items: [], next_cursor: null },
    message_create: sent,
  });
  show(<Conversations />, '/conversations?group=channel:chn_1');
  await screen.findByRole('heading', { name: '#releases' });
  await userEvent.type(await body(), 'Out{Control>}{Enter}{/Control}');
  await waitFor(() => expect(asked.of('message_create')[0]).toMatchObject({ project_root: 'w5', channel_id: 'chn_1' }));
  expect(asked.of('message_create')[0]).not.toHaveProperty('target');
});
