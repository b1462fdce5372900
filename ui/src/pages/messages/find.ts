// Which messages the page shows: all that match the filters of the address, or those that have the words.

import { useQueries } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { useSearch } from 'wouter';
import { call, type Input } from '@/api/call';
import { useOp, usePages } from '@/api/query';
import { ranges, useRange, useWorkspace } from '@/app/address';
import { deliveryTo, type Message } from '@/things/message/words';

export type Filters = {
  q: string;
  from: string;
  to: string;
  channel: string;
  lane: string;
  undelivered: boolean;
  since: string;
  until: string;
};

/** What the address asks for. The range of the top bar counts from when the page was opened or the range changed. */
export function useFilters(): Filters {
  const params = new URLSearchParams(useSearch());
  const range = useRange();
  const start = useMemo(
    () => new Date(Math.floor(Date.now() / 60_000) * 60_000 - ranges[range] * 3_600_000).toISOString(),
    [range],
  );
  const get = (name: string) => params.get(name) ?? '';
  return {
    q: get('q').trim(),
    from: get('from'),
    to: get('to'),
    channel: get('channel'),
    lane: get('lane'),
    undelivered: get('undelivered') !== '',
    since: get('since') || start,
    until: get('until'),
  };
}

/** The filters as the hub takes them. */
export function asInput(filters: Filters, workspace: string): Input<'observe_messages'> {
  return {
    workspace: workspace || undefined,
    from_agent: filters.from || undefined,
    to_agent: filters.to || undefined,
    channel: filters.channel || undefined,
    lane: filters.lane || undefined,
    undelivered: filters.undelivered || undefined,
    since: filters.since,
    until: filters.until || undefined,
  };
}

/** Whether a message that was found by its words also matches the other filters. */
export function matches(message: Message, filters: Filters): boolean {
  const { from, to, channel, lane, undelivered, since, until } = filters;
  const deliveries = to ? [deliveryTo(message, to)].filter((delivery) => !!delivery) : message.deliveries;
  return (
    (!from || message.from_agent_id === from) &&
    (!to || deliveries.length > 0) &&
    (!channel || message.channel_id === channel) &&
    (!lane || deliveries.some((delivery) => delivery.status === lane)) &&
    (!undelivered || message.deliveries.length === 0) &&
    Date.parse(message.created_at) >= Date.parse(since) &&
    (!until || Date.parse(message.created_at) < Date.parse(until))
  );
}

/** How many messages are looked up for words. */
const mostFound = 50;

export function useMessages(filters: Filters) {
  const workspace = useWorkspace();
  const asked = useDeferredValue(filters.q);
  const searching = filters.q.length > 1;
  const pages = usePages('observe_messages', { ...asInput(filters, workspace), page_size: 100 }, { enabled: !searching });
  const search = useOp(
    'observe_search',
    { q: asked, k: mostFound, workspace: workspace || undefined },
    { enabled: asked.length > 1 },
  );
  const found = useQueries({
    queries: (searching ? (search.data?.items ?? []) : []).map(({ message_id }) => ({
      queryKey: ['observe_message', { message_id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('observe_message', { message_id }, signal),
    })),
    combine: (results) => results.flatMap(({ data }) => (data ? [data as Message] : [])),
  });
  const listed = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const first = pages.data?.pages[0];
  return searching
    ? {
        rows: found.filter((message) => matches(message, filters)).sort((a, b) => b.message_id.localeCompare(a.message_id)),
        count: search.data?.truncated ? 'The newest messages were looked through, not all' : undefined,
        loading: search.isLoading,
        dim: search.isFetching,
        error: search.error,
        retry: search.refetch,
        more: undefined,
      }
    : {
        rows: listed,
        count: first?.total != null ? counted(first.total, first.total_is_estimate) : undefined,
        loading: pages.isLoading,
        dim: pages.isPlaceholderData,
        error: pages.error,
        retry: pages.refetch,
        more: pages.hasNextPage && !pages.isFetching ? pages.fetchNextPage : undefined,
      };
}

const numbers = new Intl.NumberFormat();

/** 1 message, 1,204 messages, 10,000 or more. */
export function counted(total: number, estimate: boolean): string {
  if (estimate) return `${numbers.format(total)} or more`;
  return total === 1 ? '1 message' : `${numbers.format(total)} messages`;
}
