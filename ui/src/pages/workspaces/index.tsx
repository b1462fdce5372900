import { Funnel } from 'lucide-react';
import { useMemo } from 'react';
import { useOp } from '@/api/query';
import { inspect, useParam, useSeenId, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { workspaceName } from '@/app/TopBar';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { type Column, Grid } from '@/look/Grid';
import { Path } from '@/look/Path';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { amount, type Counted, follow, type Workspace } from '@/things/workspace/counts';

export default function Workspaces() {
  const [text, setText] = useParam('q');
  const { data, error, refetch, isPending } = useOp('observe_workspaces', { limit: 1_000 });
  useViewCommand('observe_workspaces', { limit: 1_000 });
  const narrowedTo = useWorkspace();
  const seen = useSeenId('workspace');
  const asked = text.trim();
  const rows = useMemo(() => (data?.items ?? []).filter((row) => fits(row, asked)), [data, asked]);
  const columns = useMemo(() => columnsOf(narrowedTo, data?.counted_to ?? 1_000), [narrowedTo, data?.counted_to]);

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-6 py-3 max-wide:px-4">
        <Filter value={text} onChange={setText} label="Name or path" />
        <span className="ml-auto text-text-2 max-wide:hidden" role="status">
          {data && countWords(rows.length, data.truncated)}
        </span>
      </div>
      <div className="px-6 max-wide:px-4">
        <Problem error={error} onRetry={() => void refetch()} />
      </div>
      <div className="min-h-0 flex-1">
        <Grid
          label="Workspaces"
          rows={rows}
          columns={columns}
          keyOf={(row) => row.workspace_id}
          selected={seen}
          rowHeight={40}
          onOpen={(row) => inspect('workspace', row.workspace_id)}
          under={underWords}
          empty={isPending || error ? undefined : <Nothing narrowed={!!asked} />}
        />
      </div>
    </div>
  );
}

/** Whether a workspace has all these words in its name, path or id. */
export function fits(row: Workspace, text: string): boolean {
  const words = `${workspaceName(row)} ${row.root_realpath} ${row.workspace_id}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function countWords(count: number, more: boolean): string {
  return `${count.toLocaleString()}${more ? '+' : ''} ${count === 1 && !more ? 'workspace' : 'workspaces'}`;
}

function underWords(row: Workspace): string {
  const work = row.handoffs_open + row.handoffs_claimed;
  return [
    `${row.agents} ${row.agents === 1 ? 'agent' : 'agents'}`,
    `${row.messages.toLocaleString()} ${row.messages === 1 ? 'message' : 'messages'}`,
    work > 0 && `${work} ${work === 1 ? 'hand-off' : 'hand-offs'}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const numbers: [Counted, title: string, width: string][] = [
  ['agents', 'Agents', '64px'],
  ['sessions', 'Sessions', '72px'],
  ['messages', 'Messages', '80px'],
  ['handoffs_open', 'Open work', '80px'],
  ['handoffs_claimed', 'Claimed', '72px'],
  ['tasks_open', 'Tasks', '56px'],
];

function columnsOf(narrowedTo: string, countedTo: number): Column<Workspace>[] {
  return [
    {
      title: 'Name',
      width: 'minmax(120px, 1fr)',
      cell: (row) => (
        <span className="inline-flex max-w-full items-center gap-2">
          <span className="truncate font-strong">{workspaceName(row)}</span>
          {row.workspace_id === narrowedTo && (
            <span title="Everything is narrowed to it" className="shrink-0 text-accent">
              <Funnel size={14} aria-hidden="true" />
              <span className="sr-only">narrowed to it</span>
            </span>
          )}
        </span>
      ),
    },
    {
      title: 'Path',
      width: 'minmax(0, 2fr)',
      wideOnly: true,
      cell: (row) => <Path path={row.root_realpath} />,
    },
    ...numbers.map(
      ([what, title, width]): Column<Workspace> => ({
        title,
        width,
        align: 'right',
        wideOnly: true,
        cell: (row) => <Amount row={row} what={what} title={title} countedTo={countedTo} />,
      }),
    ),
    {
      title: 'Used',
      width: '52px',
      align: 'right',
      cell: (row) => (
        <span className="text-text-2">
          <Time at={row.last_seen_at} />
        </span>
      ),
    },
  ];
}

/** A number that leads to what it counts. With the keyboard the same numbers are in the inspector. */
function Amount({ row, what, title, countedTo }: { row: Workspace; what: Counted; title: string; countedTo: number }) {
  if (row[what] === 0) return <span className="text-text-3">0</span>;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`${title} of ${workspaceName(row)}: ${amount(row[what], countedTo)}`}
      onClick={(event) => {
        event.stopPropagation();
        follow(what, row.workspace_id);
      }}
      className="min-h-6 min-w-6 rounded-small text-right hover:text-accent hover:underline"
    >
      {amount(row[what], countedTo)}
    </button>
  );
}

function Nothing({ narrowed }: { narrowed: boolean }) {
  if (narrowed) return <Empty title="No workspace fits">None has these words in its name or path.</Empty>;
  return (
    <Empty title="No workspaces yet" command='nexus call workspace_resolve project_root="$PWD"'>
      A workspace is a project that agents work in, known by its directory. One appears when the first agent begins there, or
      with:
    </Empty>
  );
}
