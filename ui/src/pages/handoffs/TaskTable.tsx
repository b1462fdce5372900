import { readOn, usePages } from '@/api/query';
import { inspect, useParam, useSeenId, useWorkspace } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { TaskGlyph } from '@/look/Glyph';
import { type Column, Grid } from '@/look/Grid';
import { Time } from '@/look/Time';
import { type Task, taskWord } from '@/things/task/moves';
import { taskFits, useFilters } from './filters';
import { Priority } from './Marks';
import { NoneFit, TableProblem, Wrapped } from './parts';

const columns: Column<Task>[] = [
  {
    title: 'State',
    width: 'var(--state)',
    cell: ({ status }) => (
      <span className="flex items-center gap-2">
        <TaskGlyph status={status} />
        <span className="max-wide:sr-only">{taskWord(status)}</span>
      </span>
    ),
  },
  { title: 'What', width: 'minmax(120px,3fr)', cell: (task) => <Wrapped text={task.title} /> },
  { title: 'Labels', width: 'minmax(80px,1fr)', wideOnly: true, cell: (task) => task.labels.join(', ') },
  {
    title: 'Assignee',
    width: 'minmax(80px,1fr)',
    wideOnly: true,
    cell: (task) => task.assignee && <AgentName id={task.assignee} />,
  },
  { title: 'Why', width: 'minmax(80px,1fr)', wideOnly: true, cell: (task) => task.reason ?? '' },
  { title: 'Priority', width: '56px', align: 'right', wideOnly: true, cell: (task) => <Priority value={task.priority} /> },
  { title: 'Created', width: '64px', align: 'right', wideOnly: true, cell: (task) => <Time at={task.created_at} /> },
  { title: 'Updated', width: '64px', align: 'right', cell: (task) => <Time at={task.updated_at} /> },
];

/** Tasks as rows, newest first. */
export function TaskTable() {
  const filters = useFilters();
  const [status] = useParam('status');
  const workspace = useWorkspace() || undefined;
  const seen = useSeenId('task');
  const pages = usePages('observe_tasks', {
    workspace,
    status: status || undefined,
    assignee: filters.agent || undefined,
    limit: 100,
  });
  const more = () => readOn(pages);
  const rows = pages.data?.pages.flatMap((page) => page.items).filter((task) => taskFits(task, filters));
  if (!rows) return pages.error ? <TableProblem error={pages.error} onRetry={pages.refetch} /> : null;
  return (
    <Grid
      label="Tasks"
      rows={rows}
      columns={columns}
      keyOf={(task) => task.task_id}
      onOpen={(task) => inspect('task', task.task_id)}
      selected={seen}
      onEnd={more}
      dim={pages.isPlaceholderData}
      empty={<NoneFit more={pages.hasNextPage} onMore={more} />}
    />
  );
}
