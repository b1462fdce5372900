import { useMemo } from 'react';
import type { Item } from '@/api/call';
import { useMesh } from '@/api/mesh';
import { useOp } from '@/api/query';
import { useWorkspace } from '@/app/address';
import { Avatar } from '@/look/Avatar';
import { Empty } from '@/look/Empty';
import { MailGlyph } from '@/look/Glyph';
import { Problem } from '@/look/Problem';
import { operator } from '@/things/message/place';
import { previewWords } from '@/things/message/words';
import { type Place, placeHref } from './place';
import { Roll, RollLine } from './Roll';

export type Peer = Item<'observe_peers'>;

/** With whom somebody exchanged messages, the latest first; whoever matches the filter but was never written to comes after. */
export function PeerList({ place, filter }: { place: Place; filter: string }) {
  const workspace = useWorkspace();
  const { data, error, refetch, isPlaceholderData } = useOp('observe_peers', {
    agent: place.as,
    workspace: workspace || undefined,
  });
  const { agents } = useMesh();
  const peers = data?.items ?? [];
  const shown = peers.filter((peer) => peer.peer.toLowerCase().includes(filter));
  const others = useMemo(() => {
    const known = new Set([place.as, ...peers.map((peer) => peer.peer)]);
    return [...agents.keys()].filter((name) => !known.has(name) && name.toLowerCase().includes(filter)).sort();
  }, [agents, peers, place.as, filter]);
  if (error && !data) return <div className="p-4">{<Problem error={error} onRetry={() => refetch()} />}</div>;
  if (!data) return null;
  const offer = filter !== '' || peers.length === 0 ? others : others.slice(0, 5);
  return (
    <div className={isPlaceholderData ? 'refetching' : ''}>
      {shown.length > 0 && (
        <Roll label="Peers">
          {shown.map((peer) => (
            <PeerLine key={peer.peer} peer={peer} place={place} presence={agents.get(peer.peer)?.presence} />
          ))}
        </Roll>
      )}
      {offer.length > 0 && (
        <>
          <h2 className="px-6 pt-4 pb-1 text-small text-text-3 max-full:px-4">No messages yet</h2>
          <Roll label="No messages yet">
            {offer.map((name) => (
              <RollLine
                key={name}
                href={placeHref(place, { peer: name })}
                current={name === place.peer}
                picture={<Avatar id={name} size="medium" presence={agents.get(name)?.presence} />}
                name={name}
                words={agents.get(name)?.role ?? ''}
              />
            ))}
          </Roll>
        </>
      )}
      {shown.length + offer.length === 0 && <Nobody filter={filter} />}
    </div>
  );
}

function PeerLine({ peer, place, presence }: { peer: Peer; place: Place; presence?: string }) {
  const { words, lane, unread } = glimpse(peer, place.as);
  return (
    <RollLine
      href={placeHref(place, { peer: peer.peer })}
      current={peer.peer === place.peer}
      picture={<Avatar id={peer.peer} size="medium" presence={presence ?? 'offline'} />}
      name={peer.peer}
      words={words}
      at={peer.last_at}
      unread={unread}
      quiet={place.as !== operator}
      mark={lane && <MailGlyph lane={lane} />}
    />
  );
}

/** What a peer's line says: the last words, where they stand if they were one's own, and how much is unread. */
export function glimpse(
  { last_message: last, unread, count }: Peer,
  as: string,
): { words: string; lane?: string; unread: number } {
  if (!last) return { words: count === 1 ? '1 message' : `${count} messages`, unread };
  const mine = last.from_agent_id === as;
  const words = previewWords(last.preview);
  return { words: mine ? `${as === operator ? 'You' : as}: ${words}` : words, lane: mine ? last.status : undefined, unread };
}

function Nobody({ filter }: { filter: string }) {
  if (filter) return <p className="px-6 py-8 text-center text-text-3">Nobody is called so.</p>;
  return (
    <Empty title="No agents yet" command="nexus call agent_register agent_id=scout role=builder">
      Everybody who can be written to appears here.
    </Empty>
  );
}
