import { useMemo } from 'react';
import { go, inspect, useSeenId } from '@/app/address';
import { Avatar, PresenceMark, presenceWord } from '@/look/Avatar';
import { Empty } from '@/look/Empty';
import { MailGlyph, WorkGlyph } from '@/look/Glyph';
import { type Column, Grid } from '@/look/Grid';
import { Time } from '@/look/Time';
import type { Agent, Mesh } from '../mesh';
import { Figure } from './Figure';
import { Pairs } from './Pairs';

/** The mesh in words: the same facts, agent by agent, and the pairs of the one that is chosen. */
export function List({ agents, all, isNarrowed, dim }: { agents: Agent[]; all: Mesh; isNarrowed: boolean; dim?: boolean }) {
  const selected = useSeenId('agent');
  const chosen = selected && all.agents.some((agent) => agent.id === selected) ? selected : undefined;
  const sorted = useMemo(() => [...agents].sort(byActivity), [agents]);
  return (
    <div className="flex h-full min-h-0 flex-col border-t">
      <div className="min-h-0 flex-1">
        <Grid
          label="Agents"
          rows={sorted}
          columns={columns}
          keyOf={(agent) => agent.id}
          onOpen={(agent) => inspect('agent', agent.id)}
          selected={selected}
          dim={dim}
          empty={
            isNarrowed ? <Empty title="Nobody fits">Clear the search or the filter to see everybody again.</Empty> : <NoAgents />
          }
        />
      </div>
      {chosen && (
        <div className="h-2/5 min-h-0 border-t max-wide:hidden">
          <Pairs of={chosen} pairs={all.pairs} />
        </div>
      )}
    </div>
  );
}

/** What an empty mesh says. */
export function NoAgents() {
  return (
    <Empty title="No agents yet" command="nexus call agent_register agent_id=cobalt role=builder">
      Agents appear here when they register, and a line between two of them when one writes to the other.
    </Empty>
  );
}

const byActivity = (a: Agent, b: Agent) => b.sent + b.received - (a.sent + a.received) || (a.id < b.id ? -1 : 1);

const columns: Column<Agent>[] = [
  {
    title: 'Agent',
    width: 'minmax(88px,1.3fr)',
    cell: (agent) => (
      <span className="inline-flex min-w-0 items-center gap-2">
        <Avatar id={agent.id} size="small" />
        <span className="truncate">{agent.id}</span>
      </span>
    ),
  },
  {
    title: 'Presence',
    width: '76px',
    cell: (agent) => (
      <span className="inline-flex items-center gap-2">
        <PresenceMark presence={agent.presence} />
        {presenceWord(agent.presence)}
      </span>
    ),
  },
  { title: 'Role', width: 'minmax(72px,.8fr)', wideOnly: true, cell: (agent) => agent.role || <Nothing /> },
  {
    title: 'Can do',
    width: 'minmax(80px,1.6fr)',
    wideOnly: true,
    cell: ({ canDo }) => (canDo.length > 0 ? <span title={canDo.join(', ')}>{canDo.join(', ')}</span> : <Nothing />),
  },
  {
    title: 'Sent',
    width: '44px',
    align: 'right',
    wideOnly: true,
    cell: ({ id, sent }) => (
      <Figure value={sent} label="sent" hint="each recipient counted" onClick={() => go('/messages', { from: id })} />
    ),
  },
  {
    title: 'Received',
    width: '60px',
    align: 'right',
    wideOnly: true,
    cell: ({ id, received }) => <Figure value={received} label="received" onClick={() => go('/messages', { to: id })} />,
  },
  { title: 'Inbox', width: '126px', cell: (agent) => <Inbox agent={agent} /> },
  { title: 'Work', width: '126px', wideOnly: true, cell: (agent) => <Work agent={agent} /> },
  { title: 'Seen', width: '44px', align: 'right', wideOnly: true, cell: (agent) => <Time at={agent.lastSeen} /> },
];

const slots = 'grid w-[126px] grid-cols-3';

/** What waits in an inbox: queued, in flight, parked. */
function Inbox({ agent: { id, unread, inFlight, parked } }: { agent: Agent }) {
  const open = (lane: string) => () => go('/messages', { to: id, lane });
  return (
    <span className={slots}>
      <Figure glyph={<MailGlyph lane="unread" />} value={unread} label="queued" onClick={open('unread')} />
      <Figure glyph={<MailGlyph lane="delivered" />} value={inFlight} label="in flight" onClick={open('delivered')} />
      <Figure glyph={<MailGlyph lane="parked" />} value={parked} label="parked" onClick={open('parked')} />
    </span>
  );
}

/** Hand-offs that an agent offered or holds: open, claimed, to be verified. */
function Work({ agent: { id, open, claimed, verifying } }: { agent: Agent }) {
  const list = (status: string) => () => go('/handoffs', { view: 'table', agent: id, status });
  return (
    <span className={slots}>
      <Figure glyph={<WorkGlyph status="OPEN" />} value={open} label="hand-offs open" onClick={list('OPEN')} />
      <Figure glyph={<WorkGlyph status="CLAIMED" />} value={claimed} label="hand-offs claimed" onClick={list('CLAIMED')} />
      <Figure
        glyph={<WorkGlyph status="VERIFYING" />}
        value={verifying}
        label="hand-offs to verify"
        onClick={list('VERIFYING')}
      />
    </span>
  );
}

const Nothing = () => <span className="text-text-3">–</span>;
