// The query cache: one entry for each operation and its input.

import { keepPreviousData, QueryClient, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { call, type Data, HubError, type Input, type Op } from './call';

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // a hub on this machine answers also where there is no network
      staleTime: Number.POSITIVE_INFINITY, // the event stream says what is stale
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => count < 3 && !(error instanceof HubError && error.status >= 400 && error.status < 500),
      placeholderData: keepPreviousData,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** `fresh`: no event tells when the answer changes, so it is fetched whenever it comes into view. */
type Asking = { enabled?: boolean; fresh?: boolean };

const asked = ({ enabled, fresh }: Asking = {}) => ({ enabled, refetchOnMount: fresh ? ('always' as const) : true });

/** What an operation answers, kept until an event says that it changed. */
export function useOp<N extends Op>(name: N, input: Input<N>, options?: Asking) {
  return useQuery({ queryKey: [name, input], queryFn: ({ signal }) => call(name, input, signal), ...asked(options) });
}

/** A list in pages: `more` reads the next one. Holds for operations with items and next_cursor. */
export function usePages<N extends Op>(name: N, input: Input<N>, options?: Asking) {
  return useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(name, { ...(input as object), ...(pageParam ? { cursor: pageParam } : {}) } as Input<N>, signal),
    initialPageParam: '',
    getNextPageParam: (page) => (page as { next_cursor?: string | null }).next_cursor || undefined,
    ...asked(options),
  });
}

/** Reads the next page, unless there is none, it is on its way, or the hub would not give it. */
export function readOn(
  pages: Pick<ReturnType<typeof usePages>, 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'>,
) {
  if (pages.hasNextPage && !pages.isFetchingNextPage && !pages.isFetchNextPageError) void pages.fetchNextPage();
}

/** Reads answers of an operation again. */
export const again = (name: Op) => cache.invalidateQueries({ predicate: (query) => query.queryKey[0] === name });

/** Changes something. What it changed comes back over the event stream. */
export function useAct<N extends Op>(name: N, options?: { onSuccess?: (data: Data<N>, input: Input<N>) => void }) {
  return useMutation<Data<N>, HubError, Input<N>>({ mutationFn: (input) => call(name, input), ...options });
}
