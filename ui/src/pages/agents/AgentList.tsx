import { Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { inspect, useParam, useSeenId } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { Avatar } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { type Column, Grid } from '@/look/Grid';
import { Time } from '@/look/Time';
import { StandingMark, standingWord, usePresence } from '@/things/agent/access/FirstCall';
import { Bar } from './Bar';
import { CreateAgent } from './CreateAgent';
import { IssueKeys } from './IssueKeys';
import { type AgentRow, agentRows, keyless, shownRows } from './rows';

const columns: Column<AgentRow>[] = [
  {
    title: 'Agent',
    width: 'minmax(120px,1.3fr)',
    cell: (row) => (
      <span className="inline-flex min-w-0 max-w-full items-center gap-2 align-middle">
        <Avatar id={row.agent_id} size="small" />
        <span className="truncate">{row.agent_id}</span>
        {row.name !== row.agent_id && <span className="truncate text-text-3 max-wide:hidden">{row.name}</span>}
      </span>
    ),
  },
  { title: 'Role', width: 'minmax(80px,0.9fr)', cell: (row) => <Quiet>{row.role}</Quiet>, wideOnly: true },
  { title: 'Can do', width: 'minmax(100px,1.8fr)', cell: (row) => <Quiet>{row.words.join(', ')}</Quiet>, wideOnly: true },
  {
    title: 'May do',
    width: 'minmax(80px,0.9fr)',
    cell: (row) => <Quiet>{row.mayDo[0]?.toUpperCase() + row.mayDo.slice(1)}</Quiet>,
    wideOnly: true,
  },
  {
    title: 'Key',
    width: '56px',
    cell: (row) => <span className={keyless(row) ? 'text-bad' : 'text-text-2'}>{row.keyWord}</span>,
    wideOnly: true,
  },
  {
    title: 'State',
    width: '96px',
    cell: (row) => (
      <span className="inline-flex items-center gap-2">
        <StandingMark state={row.state} />
        {standingWord(row.state)}
      </span>
    ),
  },
  {
    title: 'Seen',
    width: '56px',
    align: 'right',
    cell: (row) => (row.state === 'waiting' ? <Quiet>never</Quiet> : <Time at={row.last_seen_at} />),
  },
];

function Quiet({ children }: { children: ReactNode }) {
  return <span className="text-text-2">{children}</span>;
}

/** Everybody the hub knows. */
export function AgentList({ tabs }: { tabs: ReactNode }) {
  const { data, error, refetch, isFetching } = useOp('agent_directory', {});
  const { data: presets } = useOp('preset_list', {});
  const presence = usePresence();
  const mayAdminister = useMayAdminister();
  const selected = useSeenId('agent');
  const [q, setQ] = useParam('q');
  const [show, setShow] = useParam('show');
  const [opened, setOpened] = useState<'create' | 'issue'>();
  useShortcuts(useMemo(() => [{ keys: 'c', does: 'Create agent', group: 'Actions', run: () => setOpened('create') }], []));
  const rows = agentRows(data?.items ?? [], presets?.items ?? [], presence);
  const without = rows.filter(keyless).length;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Bar
        tabs={tabs}
        aside={
          <>
            <Counts all={rows.length} without={without} show={show} onShow={setShow} />
            {without > 0 && mayAdminister && <Button onClick={() => setOpened('issue')}>Issue keys</Button>}
            <Button
              look="primary"
              icon={<Plus size={14} aria-hidden="true" />}
              disabled={!mayAdminister}
              onClick={() => setOpened('create')}
            >
              Create agent
            </Button>
          </>
        }
      >
        <Filter value={q} onChange={setQ} />
      </Bar>
      {!mayAdminister && (
        <div className="px-6 pb-3 max-wide:px-4">
          <Closed what="Creating agents and giving keys" />
        </div>
      )}
      {error && (
        <div className="px-6 pb-3 max-wide:px-4">
          <Refused error={error} what="The list of agents" onRetry={refetch} />
        </div>
      )}
      <div className="min-h-0 flex-1">
        {data && (
          <Grid
            label="Agents"
            rows={shownRows(rows, q, show)}
            columns={columns}
            keyOf={(row) => row.agent_id}
            rowHeight={40}
            selected={selected}
            onOpen={(row) => inspect('agent', row.agent_id)}
            dim={isFetching && !data}
            empty={<NoAgents narrowed={rows.length > 0} allHaveKeys={show === 'keyless' && !q} />}
          />
        )}
      </div>
      {opened === 'create' && <CreateAgent onClose={() => setOpened(undefined)} />}
      {opened === 'issue' && (
        <IssueKeys agents={rows.filter(keyless).map((row) => row.agent_id)} onClose={() => setOpened(undefined)} />
      )}
    </div>
  );
}

type CountsProps = { all: number; without: number; show: string; onShow: (show: string) => void };

function Counts({ all, without, show, onShow }: CountsProps) {
  const look = (on: boolean) => `min-h-6 rounded-small hover:text-accent ${on ? 'font-strong text-text' : 'text-text-2'}`;
  return (
    <span className="flex gap-3">
      <button type="button" aria-pressed={!show} className={`${look(false)} max-wide:hidden`} onClick={() => onShow('')}>
        {all === 1 ? '1 agent' : `${all} agents`}
      </button>
      {(without > 0 || show === 'keyless') && (
        <button
          type="button"
          aria-pressed={show === 'keyless'}
          className={look(show === 'keyless')}
          onClick={() => onShow('keyless')}
        >
          {without} without a key
        </button>
      )}
    </span>
  );
}

function NoAgents({ narrowed, allHaveKeys }: { narrowed: boolean; allHaveKeys: boolean }) {
  if (allHaveKeys) return <Empty title="Everybody has a key" />;
  if (narrowed) return <Empty title="No agent fits">Clear the filter to see everybody.</Empty>;
  return (
    <Empty title="No agents yet" command="nexus connect claude-code --agent ada --write">
      Whoever connects or is created appears here, with what it can do and what it may do.
    </Empty>
  );
}
