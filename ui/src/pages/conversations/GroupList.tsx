import { Hash, Megaphone, Users } from 'lucide-react';
import { useMesh } from '@/api/mesh';
import { useWorkspace } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { Button } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { MailGlyph } from '@/look/Glyph';
import { operator } from '@/things/message/place';
import { messageTitle, stage } from '@/things/message/words';
import { type Group, groupsIn, useMail } from './groups';
import { type Place, placeHref } from './place';
import { Roll, RollLine } from './Roll';

/** What was sent to roles, capabilities, everybody and channels. */
export function GroupList({ place, filter }: { place: Place; filter: string }) {
  const workspace = useWorkspace();
  const { channels } = useMesh();
  const mail = useMail(place.as, workspace, true);
  const groups = groupsIn(mail.messages, channels, place.as, workspace).filter((group) =>
    group.words.toLowerCase().includes(filter),
  );
  if (mail.isLoading) return null;
  if (groups.length === 0)
    return filter ? (
      <p className="px-6 py-8 text-center text-text-3">No group is called so.</p>
    ) : (
      <Empty title="No groups yet" command={`nexus call channel_create project_root=. name=releases`}>
        What is written to a role, a capability, a channel or everybody appears here.
      </Empty>
    );
  return (
    <>
      <Roll label="Groups">
        {groups.map((group) => (
          <GroupLine key={group.key} group={group} place={place} />
        ))}
      </Roll>
      {mail.hasNextPage && (
        <Button look="quiet" className="mx-4 my-2" busy={mail.isFetchingNextPage} onClick={() => mail.fetchNextPage()}>
          Look further back
        </Button>
      )}
    </>
  );
}

function GroupLine({ group, place }: { group: Group; place: Place }) {
  const { last } = group;
  const mine = last?.from_agent_id === place.as;
  return (
    <RollLine
      href={placeHref(place, { tab: 'groups', group: group.key })}
      current={group.key === place.group}
      picture={<GroupPicture group={group.key} />}
      name={group.words}
      words={
        last ? (
          `${last.from_agent_id === operator ? 'You' : last.from_agent_id}: ${messageTitle(last)}`
        ) : (
          <ChannelPlace group={group.key} />
        )
      }
      at={last?.created_at}
      unread={group.unread}
      quiet={place.as !== operator}
      mark={mine && last && <MailGlyph lane={stage(last) ?? 'parked'} />}
    />
  );
}

/** Where a channel is; what others file under it shows when it is opened. */
function ChannelPlace({ group }: { group: string }) {
  const { channels } = useMesh();
  const name = useWorkspaceName(channels.get(group.slice('channel:'.length))?.workspace_id);
  return <>Channel in {name}</>;
}

/** A group: a dashed square, because nobody in particular is in it. */
export function GroupPicture({ group }: { group: string }) {
  const Icon = group.startsWith('channel:') ? Hash : group === 'everybody' ? Megaphone : Users;
  return (
    <span
      aria-hidden="true"
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-small border border-line-strong border-dashed text-text-2"
    >
      <Icon size={14} />
    </span>
  );
}
