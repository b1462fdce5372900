import { asCommand } from '@/api/call';
import { go } from '@/app/address';
import { copyText } from '@/look/Copy';
import { Tag } from '@/look/Lines';
import type { MenuItem } from '@/look/Menu';
import { Time } from '@/look/Time';
import type { Move } from '@/things/moves';
import { type Task, taskMoves } from '@/things/task/moves';
import { Card } from '../Board/Card';
import { Nobody, Priority, Somebody } from '../Marks';

export function TaskCard({
  task,
  selected,
  waiting,
  onDrag,
  onMove,
}: {
  task: Task;
  selected?: boolean;
  waiting?: boolean;
  onDrag: (up: boolean) => void;
  onMove: (move: Move) => void;
}) {
  const over = task.status === 'done' || task.status === 'cancelled';
  return (
    <Card
      kind="task"
      id={task.task_id}
      title={task.title}
      quiet={over}
      selected={selected}
      waiting={waiting}
      since={task.updated_at}
      actions={actions(task, onMove)}
      onDrag={onDrag}
    >
      {task.reason && <p className="mt-1 line-clamp-2 break-words text-small text-text-2">{task.reason}</p>}
      {task.labels.length > 0 && (
        <p className="mt-1.5 flex flex-wrap gap-1">
          {task.labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </p>
      )}
      <div className="mt-1.5 flex flex-wrap items-center gap-x-2 text-text-2">
        {task.assignee ? <Somebody id={task.assignee} /> : <Nobody words="nobody" />}
        <span className="ml-auto flex shrink-0 items-center gap-2">
          <Priority value={task.priority} />
          <Time at={task.updated_at} />
        </span>
      </div>
    </Card>
  );
}

function actions(task: Task, onMove: (move: Move) => void): (MenuItem | 'line')[] {
  return [
    ...taskMoves(task).map((move) => ({
      label: move.ask ? `${move.verb}…` : move.verb,
      danger: move.danger,
      onSelect: () => onMove(move),
    })),
    'line',
    { label: 'Hand off…', onSelect: () => go('/handoffs', { new: 'handoff', task: task.task_id, ws: task.workspace_id }) },
    {
      label: 'Copy as command',
      onSelect: () =>
        void copyText(asCommand('task_get', { task_id: task.task_id, project_root: task.workspace_id, agent_id: 'operator' })),
    },
  ];
}
