import { ArrowLeft, Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { asCommand } from '@/api/call';
import { useMesh } from '@/api/mesh';
import { go, inspect, useWorkspace } from '@/app/address';
import { Avatar, presenceWord } from '@/look/Avatar';
import { Button, IconButton } from '@/look/Button';
import { copyText } from '@/look/Copy';
import { Menu, type MenuItem } from '@/look/Menu';
import { operator } from '@/things/message/place';
import { GroupPicture } from './GroupList';
import { groupWords } from './groups';
import { closeTalk, type Place } from './place';

/** With whom one talks, and what else can be done with them. */
export function TalkHead({ place }: { place: Place }) {
  const workspace = useWorkspace();
  const { agents, channels } = useMesh();
  if (place.fresh) return <Head title="New message" about="Whom it is for is chosen below" />;
  if (place.group)
    return (
      <Head picture={<GroupPicture group={place.group} />} title={groupWords(place.group, channels)} about={groupAbout(place)} />
    );
  if (!place.peer)
    return <Head title="Reached nobody" about={`What ${place.as === operator ? 'you' : place.as} wrote that is in no inbox`} />;
  const agent = agents.get(place.peer);
  const about = [presenceWord(agent?.presence ?? 'offline'), agent?.role, place.as !== operator && `with ${place.as}`];
  return (
    <Head
      picture={<Avatar id={place.peer} presence={agent?.presence ?? 'offline'} size="medium" />}
      title={place.peer}
      about={about.filter(Boolean).join(' · ')}
      items={[
        { label: 'Inspect the agent', onSelect: () => inspect('agent', place.peer) },
        { label: 'All messages from it', onSelect: () => go('/messages', { from: place.peer }) },
        { label: 'All messages to it', onSelect: () => go('/messages', { to: place.peer }) },
        {
          label: 'Copy as command',
          onSelect: () =>
            void copyText(asCommand('observe_messages', { agent: place.as, peer: place.peer, workspace, include_body: true })),
        },
      ]}
    >
      {place.as === operator && (
        <Button className="max-wide:hidden" onClick={() => go('/handoffs', { new: 'handoff', to: place.peer })}>
          Hand off work
        </Button>
      )}
    </Head>
  );
}

function groupAbout({ group, as }: Place): string {
  if (group.startsWith('channel:')) return 'Everything that is filed under this channel';
  return `What ${as === operator ? 'you' : as} wrote or got this way, and the answers`;
}

function Head({
  picture,
  title,
  about,
  items,
  children,
}: {
  picture?: ReactNode;
  title: string;
  about: string;
  items?: MenuItem[];
  children?: ReactNode;
}) {
  return (
    <header className="flex h-14 shrink-0 items-center gap-3 border-b px-6 max-wide:px-4">
      <IconButton label="Back to all conversations" onClick={closeTalk} className="-ml-2 wide:hidden">
        <ArrowLeft size={18} />
      </IconButton>
      {picture}
      <div className="min-w-0 flex-1">
        <h2 className="truncate font-strong">{title}</h2>
        <p className="truncate text-small text-text-2">{about}</p>
      </div>
      {children}
      {items && (
        <Menu
          trigger={
            <IconButton label="More">
              <Ellipsis size={16} />
            </IconButton>
          }
          items={items}
        />
      )}
    </header>
  );
}
