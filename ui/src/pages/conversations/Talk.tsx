import { useEffect, useMemo, useRef } from 'react';
import { useMe } from '@/api/me';
import { go, setParams, useParam } from '@/app/address';
import { Button } from '@/look/Button';
import { Closed } from '@/look/Closed';
import { Empty } from '@/look/Empty';
import { Problem } from '@/look/Problem';
import { groupOf, operator } from '@/things/message/place';
import { targetOf } from '@/things/message/words';
import { Composer } from './Composer';
import { useDraft } from './Composer/draft';
import { recipientsOfGroup } from './Composer/recipient';
import { isOpen, type Place, placeKey } from './place';
import { TalkHead } from './TalkHead';
import { Thread } from './Thread';
import { useTalk } from './useTalk';

/** One conversation: who, what was said, and where one writes. Its key is the place. */
export function Talk({ place }: { place: Place }) {
  const { messages, loading, error, retry, older, flows } = useTalk(place);
  const me = useMe().data;
  const writes = !!me?.is_admin && place.as === operator && isOpen(place);
  const hold = useDraft(placeKey(place));
  const field = useRef<HTMLTextAreaElement>(null);
  const { change } = hold;
  const last = messages[0];
  const group = messages.find((message) => groupOf(message) === place.group);
  const usual = useMemo(() => {
    if (place.fresh) return [];
    return place.peer ? [{ kind: 'agent' as const, id: place.peer }] : recipientsOfGroup(place.group, group);
  }, [place.fresh, place.peer, place.group, group]);

  function answer(id: string) {
    change({ reply: id });
    field.current?.focus();
  }
  const [asked] = useParam('reply');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address asks once, then the draft has it
  useEffect(() => {
    if (!asked || !writes) return;
    answer(asked);
    setParams({ reply: undefined });
  }, [asked, writes]);

  return (
    <section aria-label={place.peer || 'Conversation'} className="flex min-w-0 flex-1 flex-col">
      <TalkHead place={place} />
      {error && (
        <div className="px-6 pt-3 max-wide:px-4">
          <Problem error={error} onRetry={() => retry()} />
        </div>
      )}
      <Thread
        id={placeKey(place) + place.as}
        messages={messages}
        as={place.as}
        onReply={writes ? (message) => answer(message.message_id) : undefined}
        older={older}
        flows={flows}
        loading={loading || !!error}
        empty={<Silence place={place} />}
      />
      {writes && (
        <Composer
          hold={hold}
          usual={usual}
          lastWorkspace={last?.workspace_id}
          field={field}
          onSent={(sent) => {
            if (!place.fresh) return;
            const key = groupOf(sent);
            if (sent.delivered_count === 0) go('/conversations', { tab: 'nobody', see: `message:${sent.message_id}` });
            else go('/conversations', key ? { tab: 'groups', group: key } : { peer: targetOf(sent).agent_id });
          }}
        />
      )}
      {place.as !== operator && <OnlyLooking place={place} />}
      {place.as === operator && me && !me.is_admin && isOpen(place) && (
        <div className="px-6 pb-4 max-wide:px-3">
          <Closed what="Writing as the operator" />
        </div>
      )}
    </section>
  );
}

function Silence({ place }: { place: Place }) {
  if (place.fresh) return null;
  if (place.peer)
    return (
      <Empty title="Nothing was said yet">
        What {place.as === operator ? 'you' : place.as} and {place.peer} write to each other appears here.
      </Empty>
    );
  if (place.group.startsWith('channel:'))
    return (
      <Empty title="Nothing is filed here yet">A message that is written to this channel appears here, whoever it is from.</Empty>
    );
  if (place.group)
    return <Empty title="Nothing was written here lately">Look further back in the list, or write the first message.</Empty>;
  return <Empty title="Everything reached somebody">A message that nobody matched would be kept here.</Empty>;
}

function OnlyLooking({ place }: { place: Place }) {
  const back = place.peer && place.peer !== operator ? place.peer : place.as;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t px-6 py-2.5 text-text-2 max-wide:px-4">
      <span className="min-w-0 flex-1">
        You look as {place.as}. Only {place.as} writes here, and nothing is marked as read.
      </span>
      <Button onClick={() => go('/conversations', { peer: back })}>Write to {back} yourself</Button>
    </p>
  );
}
