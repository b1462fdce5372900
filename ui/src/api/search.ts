// Searching all that was written. What was found is asked for anew each time: an event does not reorder it under the pointer.

import { useQuery } from '@tanstack/react-query';
import { call, type Input, type Item } from './call';

export type Hit = Item<'search'>;

export function useSearch(input: Input<'search'>, options?: { enabled?: boolean }) {
  return useQuery({
    queryKey: ['search', input],
    queryFn: ({ signal }) => call('search', input, signal),
    staleTime: 0,
    ...options,
  });
}
