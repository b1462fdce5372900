import { act, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { show, stubHub } from '@/testing/hub';
import { sample, sampleDelivery as to } from '@/things/message/sample';
import Messages, { useStill } from '.';
import { counted, type Filters, matches } from './find';

const none: Filters = {
  q: '',
  from: '',
  to: '',
  channel: '',
  lane: '',
  undelivered: false,
  since: '2026-11-15T00:00:00Z',
  until: '',
};

test.each<[Partial<Filters>, boolean]>([
  [{}, true],
  [{ from: 'ines' }, true],
  [{ from: 'hazel' }, false],
  [{ to: 'hazel' }, true],
  [{ to: 'ines' }, false],
  [{ lane: 'read' }, true],
  [{ lane: 'unread', to: 'hazel' }, false],
  [{ undelivered: true }, false],
  [{ channel: 'chn_1' }, false],
  [{ until: '2026-11-15T10:00:00Z' }, false],
  [{ since: '2026-11-15T10:00:01Z' }, false],
])('%j matches: %s', (filters, is) => {
  const message = sample('m', 'ines', 'hazel', { deliveries: [to('hazel', 'read'), to('mica')] });
  expect(matches(message, { ...none, ...filters })).toBe(is);
});

test('counts in words', () => {
  expect([counted(1, false), counted(0, false), counted(1000, true)]).toEqual(['1 message', '0 messages', '1,000 or more']);
});

test('rows keep still while the reader is away from the top', () => {
  const [a, b, c] = ['m1', 'm2', 'm3'].map((id) => sample(id, 'a', 'b'));
  const { result, rerender } = renderHook(({ rows }) => useStill(rows), { initialProps: { rows: [b!, a!] } });
  act(() => result.current.onTop(false));
  rerender({ rows: [c!, b!, a!] });
  expect(result.current.fresh).toBe(1);
  expect(result.current.shown).toEqual([b, a]);
  act(() => result.current.release());
  expect(result.current.shown).toHaveLength(3);
});

test('the filters of the address are what the hub is asked for', async () => {
  const asked = stubHub({});
  show(<Messages />, '/messages?from=ines&lane=parked&ws=w1&range=1h');
  await waitFor(() => expect(asked.of('observe_messages')).not.toEqual([]));
  const input = asked.of('observe_messages')[0]!;
  expect(input).toMatchObject({ from_agent: 'ines', lane: 'parked', workspace: 'w1' });
  expect(Date.now() - Date.parse(String(input.since))).toBeLessThan(62 * 60_000);
  expect(await screen.findByText('No message matches')).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText('Lane'), 'nobody');
  expect(location.search).toContain('undelivered=1');
  expect(location.search).not.toContain('lane=');
});

test('words are searched for, and the other filters hold for what is found', async () => {
  const found = { m1: sample('m1', 'ines', 'x'), m2: sample('m2', 'hazel', 'x') };
  const asked = stubHub({
    observe_search: { items: [{ message_id: 'm1' }, { message_id: 'm2' }], truncated: true },
    observe_message: ({ message_id }: { message_id: 'm1' | 'm2' }) => found[message_id],
  });
  show(<Messages />, '/messages?q=text&from=hazel&since=2020-01-01T00:00:00Z');
  await waitFor(() => expect(asked.of('observe_message')).toHaveLength(2));
  expect(asked.of('observe_search')[0]).toMatchObject({ q: 'text' });
  expect(asked.of('observe_messages')).toEqual([]);
  expect(await screen.findByText(/not all/)).toBeTruthy();
});
