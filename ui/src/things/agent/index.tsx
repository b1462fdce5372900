import { KeyRound } from 'lucide-react';
import type { Data } from '@/api/call';
import { useOp } from '@/api/query';
import { go, ranges, useRange, useWorkspace } from '@/app/address';
import { Avatar, PresenceMark, presenceWord } from '@/look/Avatar';
import { Button, IconButton } from '@/look/Button';
import { Facts, Section } from '@/look/Lines';
import { clockTime, exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { Counts } from './Counts';
import { History } from './History';
import { AgentKeys } from './Keys';
import { Sessions } from './Sessions';
import { presenceSince } from './since';
import { Talks } from './Talks';
import { Work } from './Work';
import { abilities, isPerson } from './who';

type Entry = Data<'agent_entry'>;
type Node = Data<'observe_graph'>['nodes'][number];

/** One agent: who it is, whether it is there, what it has to do, with whom it talks. */
export default function AgentThing({ id }: { id: string }) {
  const workspace = useWorkspace();
  const entry = useOp('agent_entry', { agent_id: id });
  const graph = useOp('observe_graph', { workspace: workspace || undefined, window_hours: ranges[useRange()] });
  const { data: sessions } = useOp('observe_sessions', { agent: id, limit: 100 });
  const agent = entry.data?.agent_id === id ? entry.data : undefined;
  const node = graph.data?.nodes.find((one) => one.agent_id === id);
  const own = sessions?.items.filter((session) => session.agent_id === id) ?? [];
  const presence = agent?.is_active === false ? 'offline' : (node?.presence ?? 'offline');
  const canDo = abilities(agent?.capabilities);
  return (
    <Thing
      kind="Agent"
      id={id}
      data={agent && (node ? { ...agent, presence, inbox: node.inbox, sessions: own } : agent)}
      error={entry.error}
      onRetry={entry.refetch}
      avatar={agent && <Avatar id={id} size="large" presence={presence} />}
      title={id}
      subtitle={agent && described(agent)}
      command={['agent_entry', { agent_id: id }]}
      tools={
        id !== 'operator' && (
          <IconButton label={`Keys of ${id}`} onClick={() => go('/agents', { see: `agent:${id}` })}>
            <KeyRound size={16} />
          </IconButton>
        )
      }
    >
      {agent && (
        <>
          <State agent={agent} node={node} presence={presence} since={presenceSince(presence, own, agent.last_seen_at)} />
          <Counts id={id} inFlight={node?.inbox.delivered ?? 0} canDo={canDo} />
          <Actions id={id} />
          <Work id={id} />
          {graph.data && <Talks id={id} graph={graph.data} />}
          {id !== 'operator' && (
            <>
              <Sessions sessions={own} />
              <AgentKeys agentId={id} />
            </>
          )}
          <History agentId={id} />
        </>
      )}
    </Thing>
  );
}

/** What somebody says of itself, or else what kind it is. */
function described(agent: Entry): string {
  const about = (agent.metadata as { about?: unknown } | null)?.about;
  if (typeof about === 'string' && about) return about;
  if (agent.agent_id === 'operator') return 'The people at this dashboard';
  return isPerson(agent) ? 'Person' : 'Agent';
}

function State({ agent, node, presence, since }: { agent: Entry; node?: Node; presence: string; since: string | null }) {
  return (
    <Section title="State">
      <p className="mb-2 flex items-center gap-2">
        <PresenceMark presence={presence} />
        {presenceWord(presence)}
        {since && (
          <span className="text-text-2" title={exact(since)}>
            since {clockTime(since)}, <Time at={since} />
          </span>
        )}
      </p>
      <Facts
        facts={[
          ['Access', !agent.is_active && <span className="text-warn">Deactivated: the hub refuses its calls</span>],
          ['Role', agent.role],
          ['Can do', abilities(agent.capabilities).join(', ')],
          ['Last seen', agent.last_seen_at ? <Time key="seen" at={agent.last_seen_at} suffix=" ago" /> : 'never'],
          ['Inbox', node && <Inbox key="inbox" id={agent.agent_id} inbox={node.inbox} />],
          ['Known for', <Time key="known" at={agent.created_at} />],
        ]}
      />
    </Section>
  );
}

const lanes = [
  ['unread', 'queued'],
  ['delivered', 'in flight'],
  ['parked', 'parked'],
] as const;

function Inbox({ id, inbox }: { id: string; inbox: Node['inbox'] }) {
  const full = lanes.filter(([lane]) => inbox[lane] > 0);
  if (full.length === 0) return <span className="text-text-2">Nothing waits</span>;
  return (
    <span className="flex flex-wrap gap-x-3">
      {full.map(([lane, word]) => (
        <button
          key={lane}
          type="button"
          onClick={() => go('/messages', { to: id, lane })}
          className={`hover:text-accent hover:underline ${lane === 'parked' ? 'text-warn' : ''}`}
        >
          {inbox[lane]} {word}
        </button>
      ))}
    </span>
  );
}

function Actions({ id }: { id: string }) {
  const isOperator = id === 'operator';
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        {!isOperator && (
          <>
            <Button look="primary" onClick={() => go('/conversations', { peer: id })}>
              Write
            </Button>
            <Button onClick={() => go('/handoffs', { new: 'handoff', to: id })}>Hand off work</Button>
          </>
        )}
        <Button onClick={() => go('/messages', { to: id })}>Open inbox</Button>
      </div>
    </Section>
  );
}
