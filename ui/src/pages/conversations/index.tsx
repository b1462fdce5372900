import { useMemo } from 'react';
import { go } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { useShortcuts } from '@/app/keys';
import { Button } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { People } from './People';
import { isOpen, type Place, placeKey, usePlace } from './place';
import { Talk } from './Talk';

/** Everything that was said, by who said it to whom. */
export default function Conversations() {
  const place = usePlace();
  useViewCommand('observe_messages', { agent: place.as, peer: place.peer, include_body: true });
  useShortcuts(
    useMemo(
      () => [{ keys: 'n', does: 'Write to somebody', group: 'Actions', run: () => go('/conversations', { new: '1' }) }],
      [],
    ),
  );
  const shows = isOpen(place) || place.tab === 'nobody';
  return (
    <div className="flex h-full min-h-0">
      <People place={place} />
      <div className={`flex min-w-0 flex-1 ${isOpen(place) ? '' : 'max-wide:hidden'}`}>
        {shows ? <Talk key={`${place.as} ${placeKey(place)}`} place={place} /> : <Choose place={place} />}
      </div>
    </div>
  );
}

function Choose({ place }: { place: Place }) {
  return (
    <div className="m-auto">
      <Empty
        title="Choose a conversation"
        command="nexus call message_create project_root=. from_agent_id=operator subject=Hello body='Who is there?'"
        action={<Button onClick={() => go('/conversations', { new: '1' })}>Write to somebody</Button>}
      >
        {place.tab === 'groups'
          ? 'What was written to roles, capabilities, channels and everybody is on the left.'
          : `With whom ${place.as === 'operator' ? 'you' : place.as} talked is on the left; the newest is on top.`}
      </Empty>
    </div>
  );
}
