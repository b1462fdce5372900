import { useState } from 'react';
import { useOp } from '@/api/query';
import { go } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { Button } from '@/look/Button';
import { TaskGlyph, WorkGlyph } from '@/look/Glyph';
import { Facts, Section, Tag } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { Time } from '@/look/Time';
import { statusWord } from '../handoff/moves';
import { MoveButtons } from '../MoveButtons';
import { Thing } from '../Thing';
import { AgentLink, ThingLink } from '../ThingLink';
import { handoffTitle } from '../title';
import { useMoves } from '../useMoves';
import { History } from './History';
import { moveTask, type Task, taskMoves, taskWord } from './moves';
import { TaskForm } from './TaskForm';
import { TaskLink } from './TaskLink';
import { useTask } from './useTask';

export default function TaskThing({ id }: { id: string }) {
  const { data: task, error, refetch } = useTask(id);
  return (
    <Thing
      kind="Task"
      id={id}
      data={task}
      error={error}
      onRetry={refetch}
      title={task?.title}
      command={['task_get', { task_id: id, project_root: task?.workspace_id, agent_id: 'operator' }]}
    >
      {task && (
        <>
          <State task={task} />
          <Next task={task} />
          {task.description && (
            <Section title="What is to be done">
              <Markdown text={task.description} />
            </Section>
          )}
          <Parts task={task} />
          <Handoffs task={task} />
          <History task={task} />
        </>
      )}
    </Thing>
  );
}

function State({ task }: { task: Task }) {
  const workspace = useWorkspaceName(task.workspace_id);
  return (
    <Section title="State">
      <p className="mb-3 flex items-center gap-2">
        <TaskGlyph status={task.status} />
        {taskWord(task.status)}
        <span className="text-text-2">
          changed <Time at={task.updated_at} suffix=" ago" />
        </span>
      </p>
      <Facts
        facts={[
          [task.status === 'blocked' ? 'Waits for' : 'Because', task.reason],
          ['Assignee', task.assignee && <AgentLink key="assignee" id={task.assignee} />],
          ['Noted by', task.created_by && <AgentLink key="by" id={task.created_by} />],
          ['Priority', task.priority !== 0 && String(task.priority)],
          ['Labels', task.labels.length > 0 && <Labels key="labels" labels={task.labels} />],
          ['Workspace', workspace],
          ['Part of', task.parent_id && <TaskLink key="parent" id={task.parent_id} workspace={task.workspace_id} />],
          ['After', task.depends_on.length > 0 && <Needs key="needs" task={task} />],
        ]}
      />
    </Section>
  );
}

function Labels({ labels }: { labels: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {labels.map((label) => (
        <button
          key={label}
          type="button"
          onClick={() => go('/handoffs', { of: 'tasks', q: label })}
          className="inline-flex min-h-6 items-center rounded-small hover:text-accent"
        >
          <Tag>{label}</Tag>
        </button>
      ))}
    </span>
  );
}

function Needs({ task }: { task: Task }) {
  return (
    <span className="flex flex-col items-start">
      {task.depends_on.map((id) => (
        <TaskLink key={id} id={id} workspace={task.workspace_id} />
      ))}
    </span>
  );
}

function Next({ task }: { task: Task }) {
  const moves = useMoves<Task>((thing) => thing.task_id, moveTask, ['task_get', 'observe_tasks']);
  const [changing, setChanging] = useState(false);
  return (
    <>
      <MoveButtons thing={task} list={taskMoves(task)} moves={moves}>
        <Button onClick={() => go('/handoffs', { new: 'handoff', task: task.task_id, ws: task.workspace_id })}>Hand off</Button>
        <Button onClick={() => setChanging(true)}>Change</Button>
      </MoveButtons>
      {changing && (
        <TaskForm
          task={task}
          workspace={task.workspace_id}
          onClose={() => setChanging(false)}
          onDone={() => setChanging(false)}
        />
      )}
    </>
  );
}

/** Tasks that are parts of this one. */
function Parts({ task }: { task: Task }) {
  const { data } = useOp('task_list', {
    project_root: task.workspace_id,
    agent_id: 'operator',
    parent_id: task.task_id,
    limit: 200,
  });
  const parts = (data?.tasks ?? []).filter((part) => part.parent_id === task.task_id);
  if (parts.length === 0) return null;
  const done = parts.filter((part) => part.status === 'done').length;
  return (
    <Section title="Parts" aside={`${done} of ${parts.length} done`}>
      <ul className="flex flex-col items-start gap-1">
        {parts.map((part) => (
          <li key={part.task_id}>
            <ThingLink kind="task" id={part.task_id} glyph={<TaskGlyph status={part.status} />}>
              {part.title}
            </ThingLink>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The work that gets it done. */
function Handoffs({ task }: { task: Task }) {
  const { data } = useOp('observe_handoffs', { workspace: task.workspace_id, limit: 500 });
  const handoffs = (data?.items ?? []).filter((handoff) => handoff.task_id === task.task_id);
  if (handoffs.length === 0) return null;
  return (
    <Section title="Hand-offs">
      <ul className="flex flex-col gap-1">
        {handoffs.map((handoff) => (
          <li key={handoff.handoff_id} className="flex items-start justify-between gap-3">
            <ThingLink kind="handoff" id={handoff.handoff_id} glyph={<WorkGlyph status={handoff.status} />}>
              {handoffTitle(handoff)}
            </ThingLink>
            <span className="shrink-0 text-text-2">{statusWord(handoff.status)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
