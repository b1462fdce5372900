import { Braces, File, FileText, Image } from 'lucide-react';
import { readOn } from '@/api/query';
import { inspect, useParam, useSeenId, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { useWorkspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Button, Segmented } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { type Column, Grid } from '@/look/Grid';
import { Path } from '@/look/Path';
import { Problem } from '@/look/Problem';
import { size } from '@/look/size';
import { Time } from '@/look/Time';
import { useMakers } from '@/things/artifact/maker';
import { artifactName, typeWord } from '@/things/artifact/shape';
import { type Row, useArtifacts } from './useArtifacts';

const types = ['markdown', 'text', 'json', 'file'];

export default function Artifacts() {
  const [text, setText] = useParam('q');
  const [asked, setType] = useParam('type');
  const type = types.includes(asked) ? asked : '';
  const makers = useMakers();
  const { rows, looked, read, searching } = useArtifacts(text.trim(), type, makers);
  const workspace = useWorkspace();
  const seen = useSeenId('artifact');
  useViewCommand('observe_artifacts', { workspace, type });

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-6 py-3 max-wide:px-4">
        <div className="flex w-56 max-wide:w-full">
          <Filter value={text} onChange={setText} label="Name, path or maker" wide />
        </div>
        <Segmented
          label="Type"
          value={type}
          onChange={setType}
          options={[['', 'All'], ...types.map((one): [string, string] => [one, one === 'file' ? 'Files' : typeWord(one)])]}
        />
        <span className="ml-auto text-text-2 max-wide:hidden" role="status">
          {read.data && countWords(rows.length, read.hasNextPage, searching)}
        </span>
      </div>
      <div className="px-6 max-wide:px-4">
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      </div>
      <div className="min-h-0 flex-1">
        <Grid
          label="Artifacts"
          rows={rows}
          columns={columns(makers, !workspace)}
          keyOf={(row) => row.artifact_id}
          selected={seen}
          rowHeight={40}
          onOpen={(row) => inspect('artifact', row.artifact_id)}
          onEnd={() => readOn(read)}
          under={(row) => underWords(row, makers.get(row.artifact_id))}
          dim={read.isPlaceholderData}
          empty={
            read.isPending || searching ? undefined : (
              <Nothing narrowed={!!text || !!type} looked={looked} more={read.hasNextPage} onMore={() => read.fetchNextPage()} />
            )
          }
        />
      </div>
    </div>
  );
}

function countWords(count: number, more: boolean, searching: boolean): string {
  if (searching) return 'Looking further back…';
  return `${count.toLocaleString()}${more ? '+' : ''} artifact${count === 1 && !more ? '' : 's'}`;
}

function underWords(row: Row, maker: string | undefined): string {
  return [typeWord(row.artifact_type), size(row.size_bytes), maker].filter(Boolean).join(' · ');
}

function columns(makers: Map<string, string>, allWorkspaces: boolean): Column<Row>[] {
  return [
    {
      title: 'Name',
      width: 'minmax(0, 1.2fr)',
      cell: (row) => (
        <span className="inline-flex max-w-full items-center gap-2.5">
          <TypeIcon row={row} />
          <span className="truncate">{artifactName(row)}</span>
        </span>
      ),
    },
    { title: 'Type', width: '88px', wideOnly: true, cell: (row) => typeWord(row.artifact_type) },
    {
      title: 'Path',
      width: 'minmax(0, 1fr)',
      wideOnly: true,
      cell: (row) => (row.path ? <Path path={row.path} /> : <span className="text-text-3">in the hub</span>),
    },
    {
      title: 'By',
      width: 'minmax(90px, 140px)',
      wideOnly: true,
      cell: (row) => makers.has(row.artifact_id) && <AgentName id={makers.get(row.artifact_id)!} />,
    },
    ...(allWorkspaces
      ? [
          {
            title: 'Workspace',
            width: 'minmax(80px, 140px)',
            wideOnly: true,
            cell: (row: Row) => <WorkspaceName id={row.workspace_id} />,
          },
        ]
      : []),
    { title: 'Size', width: '64px', align: 'right', wideOnly: true, cell: (row) => size(row.size_bytes) },
    {
      title: 'Made',
      width: '52px',
      align: 'right',
      cell: (row) => (
        <span className="text-text-2">
          <Time at={row.created_at} />
        </span>
      ),
    },
  ];
}

function WorkspaceName({ id }: { id: string }) {
  return <span className="text-text-2">{useWorkspaceName(id)}</span>;
}

function TypeIcon({ row }: { row: Row }) {
  const isPicture = /\.(png|jpe?g|gif|webp)$/i.test(row.path ?? row.name ?? '');
  const Icon = isPicture ? Image : ({ json: Braces, file: File }[row.artifact_type] ?? FileText);
  return <Icon size={16} aria-hidden="true" className="shrink-0 text-text-3" />;
}

function Nothing(props: { narrowed: boolean; looked: number; more: boolean; onMore: () => void }) {
  if (!props.narrowed) {
    return (
      <Empty
        title="No artifacts yet"
        command={`nexus call artifact_put project_root="$PWD" artifact_type=markdown name=notes.md content='# Notes'`}
      >
        What agents make and show to others appears here: notes, reports, patches, pictures. They keep it with:
      </Empty>
    );
  }
  return (
    <Empty title="No artifact fits" action={props.more && <Button onClick={props.onMore}>Look further back</Button>}>
      {props.more
        ? `None of the newest ${props.looked.toLocaleString()} has these words or this type.`
        : 'None has these words or this type.'}
    </Empty>
  );
}
