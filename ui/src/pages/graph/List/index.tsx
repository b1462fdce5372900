import { useMemo } from 'react';
import { go, inspect, useSeenId } from '@/app/address';
import { Avatar, PresenceMark, presenceWord } from '@/look/Avatar';
import { Empty } from '@/look/Empty';
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
    width: 'minmax(120px,1.3fr)',
    cell: (agent) => (
      <span className="inline-flex min-w-0 items-center gap-2">
        <Avatar id={agent.id} size="small" person={agent.person} />
        <span className="truncate">{agent.id}</span>
      </span>
    ),
  },
  {
    title: 'Presence',
    width: '84px',
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
  number(
    'Sent',
    '52px',
    (agent) => agent.sent,
    'sent',
    (agent) => go('/messages', { from: agent.id }),
  ),
  number(
    'Received',
    '64px',
    (agent) => agent.received,
    'received',
    (agent) => go('/messages', { to: agent.id }),
    true,
  ),
  number(
    'Queued',
    '56px',
    (agent) => agent.unread,
    'queued',
    (agent) => go('/messages', { to: agent.id, lane: 'unread' }),
  ),
  number(
    'In flight',
    '60px',
    (agent) => agent.inFlight,
    'in flight',
    (agent) => go('/messages', { to: agent.id, lane: 'delivered' }),
    true,
  ),
  number(
    'Parked',
    '52px',
    (agent) => agent.parked,
    'parked',
    (agent) => go('/messages', { to: agent.id, lane: 'parked' }),
    true,
  ),
  number(
    'Open',
    '44px',
    (agent) => agent.open,
    'open hand-offs',
    (agent) => go('/handoffs', { view: 'table', agent: agent.id, status: 'OPEN' }),
    true,
  ),
  number(
    'Claimed',
    '56px',
    (agent) => agent.claimed,
    'claimed hand-offs',
    (agent) => go('/handoffs', { view: 'table', agent: agent.id, status: 'CLAIMED' }),
    true,
  ),
  number(
    'Verifying',
    '64px',
    (agent) => agent.verifying,
    'hand-offs to verify',
    (agent) => go('/handoffs', { view: 'table', agent: agent.id, status: 'VERIFYING' }),
    true,
  ),
  { title: 'Seen', width: '52px', align: 'right', wideOnly: true, cell: (agent) => <Time at={agent.lastSeen} /> },
];

function number(
  title: string,
  width: string,
  value: (agent: Agent) => number,
  label: string,
  open: (agent: Agent) => void,
  wideOnly?: boolean,
): Column<Agent> {
  return {
    title,
    width,
    align: 'right',
    wideOnly,
    cell: (agent) => <Figure value={value(agent)} label={label} onClick={() => open(agent)} />,
  };
}

const Nothing = () => <span className="text-text-3">–</span>;
