import { ChevronDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMesh } from '@/api/mesh';
import { useOp } from '@/api/query';
import { go, useSeen, useWorkspace } from '@/app/address';
import { AgentName, Avatar } from '@/look/Avatar';
import { IconButton } from '@/look/Button';
import { Filter } from '@/look/Filter';
import { Menu } from '@/look/Menu';
import { operator } from '@/things/message/place';
import { GroupList } from './GroupList';
import { NobodyList } from './NobodyList';
import { PeerList } from './PeerList';
import { isOpen, type Place, placeHref, type Tab } from './place';

/** The left side: as whom one looks, and all conversations. */
export function People({ place }: { place: Place }) {
  const [text, setText] = useState('');
  const filter = text.trim().toLowerCase();
  const seen = useSeen();
  const List = { peers: PeerList, groups: GroupList, nobody: NobodyList }[place.tab];
  return (
    <section
      aria-label="All conversations"
      className={`flex w-[300px] shrink-0 flex-col border-r max-full:w-[272px] max-wide:w-full max-wide:border-r-0 ${!isOpen(place) ? '' : seen ? 'max-full:hidden' : 'max-wide:hidden'}`}
    >
      <div className="flex h-12 shrink-0 items-center gap-1 pr-4 pl-6 max-full:pl-4">
        <AsMenu place={place} />
        <span className="flex-1" />
        <IconButton label="Write to somebody" onClick={() => go('/conversations', { new: '1' })}>
          <Plus size={18} />
        </IconButton>
      </div>
      <Tabs place={place} />
      <div className="flex shrink-0 border-line-soft border-b px-6 py-2 max-full:px-4">
        <Filter wide value={text} onChange={setText} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <List place={place} filter={filter} />
      </div>
    </section>
  );
}

/** Any agent's mail can be looked at; only the operator can write. */
function AsMenu({ place }: { place: Place }) {
  const { agents } = useMesh();
  const names = [operator, ...[...agents.keys()].filter((name) => name !== operator).sort()];
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          title="Look as somebody else"
          className="-ml-2 flex h-8 min-w-0 items-center gap-2 rounded px-2 hover:bg-hover max-wide:h-9"
        >
          <span className="text-text-2">As</span>
          <Avatar id={place.as} size="small" />
          <span className="truncate font-strong">{place.as}</span>
          <ChevronDown size={14} aria-hidden="true" className="shrink-0 text-text-2" />
        </button>
      }
      items={names.map((name) => ({
        label: <AgentName id={name} />,
        checked: name === place.as,
        onSelect: () => go('/conversations', { as: name === operator ? undefined : name }),
      }))}
    />
  );
}

const tabs: [Tab, string][] = [
  ['peers', 'Peers'],
  ['groups', 'Groups'],
  ['nobody', 'Reached nobody'],
];

function Tabs({ place }: { place: Place }) {
  const workspace = useWorkspace();
  const { data } = useOp('observe_peers', { agent: place.as, workspace: workspace || undefined });
  const failed = data?.failed_count ?? 0;
  return (
    <nav
      aria-label="Kinds of conversation"
      className="flex h-9 shrink-0 gap-4 overflow-x-auto border-b px-6 max-full:gap-3 max-full:px-4"
    >
      {tabs.map(([tab, word]) => (
        <Link
          key={tab}
          href={placeHref(place, { tab })}
          aria-current={tab === place.tab ? 'true' : undefined}
          className={`flex items-center gap-1.5 whitespace-nowrap outline-offset-[-2px] ${tab === place.tab ? 'font-strong shadow-[inset_0_-2px_0_var(--accent)]' : 'text-text-2 hover:text-text'}`}
        >
          {word}
          {tab === 'nobody' && failed > 0 && <span>{failed}</span>}
        </Link>
      ))}
    </nav>
  );
}
