import { readOn, usePages } from '@/api/query';
import { inspect, useParam, useSeenId, useWorkspace } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { WorkGlyph } from '@/look/Glyph';
import { type Column, Grid } from '@/look/Grid';
import { Time } from '@/look/Time';
import { type Handoff, statusWord } from '@/things/handoff/moves';
import { handoffTitle } from '@/things/title';
import { handoffFits, useFilters } from './filters';
import { LeaseLeft, Priority, Target } from './Marks';
import { NoneFit, TableProblem, Wrapped } from './parts';

const columns: Column<Handoff>[] = [
  {
    title: 'Status',
    width: 'var(--state)',
    cell: ({ status }) => (
      <span className="flex items-center gap-2">
        <WorkGlyph status={status} />
        <span className="max-wide:sr-only">{statusWord(status)}</span>
      </span>
    ),
  },
  { title: 'What', width: 'minmax(120px,3fr)', cell: (row) => <Wrapped text={handoffTitle(row)} /> },
  { title: 'From', width: 'minmax(80px,1fr)', wideOnly: true, cell: (row) => <AgentName id={row.from_agent_id} /> },
  {
    title: 'Claimed by',
    width: 'minmax(80px,1fr)',
    wideOnly: true,
    cell: (row) => row.claimed_by && <AgentName id={row.claimed_by} />,
  },
  { title: 'For', width: 'minmax(80px,1fr)', wideOnly: true, cell: (row) => <Target target={row.target} /> },
  { title: 'Attempt', width: '64px', align: 'right', wideOnly: true, cell: ({ attempt }) => attempt || '' },
  { title: 'Priority', width: '56px', align: 'right', wideOnly: true, cell: (row) => <Priority value={row.priority} /> },
  { title: 'Ends', width: '64px', align: 'right', wideOnly: true, cell: ends },
  { title: 'Updated', width: '64px', align: 'right', cell: (row) => <Time at={row.updated_at} /> },
];

/** When the claim ends, or when nobody wants it any more. */
function ends({ status, lease_expires_at: lease, expires_at: deadline }: Handoff) {
  if (status === 'CLAIMED' && lease) return <LeaseLeft until={lease} />;
  return status === 'OPEN' && deadline ? <LeaseLeft until={deadline} /> : '';
}

/** Hand-offs as rows, newest first. */
export function HandoffTable() {
  const filters = useFilters();
  const [status] = useParam('status');
  const workspace = useWorkspace() || undefined;
  const seen = useSeenId('handoff');
  const pages = usePages('observe_handoffs', {
    workspace,
    status: status || undefined,
    agent: filters.agent || undefined,
    limit: 100,
  });
  const more = () => readOn(pages);
  const rows = pages.data?.pages.flatMap((page) => page.items).filter((row) => handoffFits(row, filters));
  if (!rows) return pages.error ? <TableProblem error={pages.error} onRetry={pages.refetch} /> : null;
  return (
    <Grid
      label="Hand-offs"
      rows={rows}
      columns={columns}
      keyOf={(row) => row.handoff_id}
      onOpen={(row) => inspect('handoff', row.handoff_id)}
      selected={seen}
      onEnd={more}
      dim={pages.isPlaceholderData}
      empty={<NoneFit more={pages.hasNextPage} onMore={more} />}
    />
  );
}
