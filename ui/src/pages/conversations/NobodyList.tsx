import { useMemo } from 'react';
import { usePages } from '@/api/query';
import { href, useSeenId, useWorkspace } from '@/app/address';
import { Button } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { LookGlyph } from '@/look/Glyph';
import { operator } from '@/things/message/place';
import { messageTitle, toWords } from '@/things/message/words';
import type { Place } from './place';
import { Roll, RollLine } from './Roll';

/** What somebody wrote that is in no inbox. */
export function useUndelivered(as: string, enabled = true) {
  const workspace = useWorkspace();
  const pages = usePages(
    'observe_messages',
    { from_agent: as, undelivered: true, include_body: true, workspace: workspace || undefined },
    { enabled },
  );
  const messages = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  return { ...pages, messages };
}

export function NobodyList({ place, filter }: { place: Place; filter: string }) {
  const { messages, isLoading, hasNextPage, fetchNextPage, isFetchingNextPage } = useUndelivered(place.as);
  const seen = useSeenId('message');
  const shown = messages.filter((message) => `${toWords(message)} ${message.subject}`.toLowerCase().includes(filter));
  if (isLoading) return null;
  if (shown.length === 0)
    return filter ? (
      <p className="px-6 py-8 text-center text-text-3">No such message.</p>
    ) : (
      <Empty title="Everything reached somebody">A message that nobody matched would be kept here.</Empty>
    );
  return (
    <>
      <Roll label="Reached nobody">
        {shown.map((message) => (
          <RollLine
            key={message.message_id}
            href={href('/conversations', {
              as: place.as === operator ? undefined : place.as,
              tab: 'nobody',
              see: `message:${message.message_id}`,
            })}
            current={message.message_id === seen}
            picture={
              <span className="flex size-7 shrink-0 items-center justify-center">
                <LookGlyph />
              </span>
            }
            name={`To ${toWords(message)}`}
            words={messageTitle(message)}
            at={message.created_at}
          />
        ))}
      </Roll>
      {hasNextPage && (
        <Button look="quiet" className="mx-4 my-2" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </>
  );
}
