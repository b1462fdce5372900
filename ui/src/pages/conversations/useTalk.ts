import { useMemo } from 'react';
import { usePages } from '@/api/query';
import { useWorkspace } from '@/app/address';
import { membersOf, useMail } from './groups';
import { useUndelivered } from './NobodyList';
import type { Place } from './place';

/** The messages of a conversation, newest first, and the way to older ones. Those of another conversation never stand in. */
export function useTalk(place: Place) {
  const workspace = useWorkspace() || undefined;
  const channel = place.group.startsWith('channel:') ? place.group.slice('channel:'.length) : undefined;
  const isGroup = place.group !== '' && !channel;
  const isNobody = place.tab === 'nobody' && !place.peer && !place.group && !place.fresh;
  const listed = place.peer !== '' || !!channel;
  const pages = usePages(
    'observe_messages',
    {
      ...(channel ? { channel } : { agent: place.as, peer: place.peer, workspace }),
      include_body: true,
      page_size: 50,
    },
    { enabled: listed },
  );
  const mail = useMail(place.as, workspace ?? '', isGroup);
  const lost = useUndelivered(place.as, isNobody);
  const source = isGroup ? mail : isNobody ? lost : pages;
  const data = listed || isGroup || isNobody ? source.data : undefined;
  const messages = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.items) ?? [];
    return isGroup ? membersOf(all, place.group) : all;
  }, [data, isGroup, place.group]);
  return {
    messages: source.isPlaceholderData ? [] : messages,
    loading: source.isLoading || source.isPlaceholderData,
    error: source.error,
    retry: source.refetch,
    older: source.hasNextPage && !source.isFetching ? () => void source.fetchNextPage() : undefined,
    flows: !isGroup,
  };
}
