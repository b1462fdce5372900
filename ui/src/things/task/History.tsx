import { useEffect } from 'react';
import { type LogEvent, useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { TaskGlyph } from '@/look/Glyph';
import { type Knot, Section, Thread } from '@/look/Lines';
import { Time } from '@/look/Time';
import { eventKnot } from '../event/knot';
import { type Task, taskWord } from './moves';

type Payload = { task_id?: string; status?: string; reason?: string | null };

const payloadOf = (event: LogEvent) => (event.payload ?? {}) as Payload;

/** What the log says of a task, newest first: each change of its state, and that other things of it changed. */
export function stepsOf(events: LogEvent[], id: string): { event: LogEvent; what: string; why?: string; status: string }[] {
  const own = events.filter((event) => payloadOf(event).task_id === id).sort((a, b) => a.event_id - b.event_id);
  return own
    .map((event, i) => {
      const { status = 'open', reason } = payloadOf(event);
      const before = own[i - 1];
      const moved = before ? payloadOf(before).status !== status : status !== 'open';
      const deed = moved ? `set it to ${taskWord(status).toLowerCase()}` : 'changed it';
      return { event, what: `${event.actor_agent_id ?? 'Somebody'} ${deed}`, why: (moved && reason) || undefined, status };
    })
    .reverse();
}

/** How many changes of all tasks are looked through for those of this one. */
const depth = 500;

export function History({ task }: { task: Task }) {
  const { data, refetch } = useOp('observe_events', {
    workspace: task.workspace_id,
    type: 'task.updated',
    before: Number.MAX_SAFE_INTEGER,
    limit: depth,
  });
  const news = useLive((live) => live.events.findLast((event) => payloadOf(event).task_id === task.task_id)?.event_id ?? 0);
  useEffect(() => {
    if (news > 0) void refetch();
  }, [news, refetch]);
  const knots: Knot[] = stepsOf(data?.items ?? [], task.task_id).map(({ event, what, why, status }) =>
    eventKnot(event, { what, why, glyph: <TaskGlyph status={status} /> }),
  );
  knots.push({
    key: 'created',
    glyph: <TaskGlyph status="open" />,
    what: `${task.created_by ?? 'Somebody'} noted it`,
    when: <Time at={task.created_at} />,
  });
  return (
    <Section title="History">
      <Thread knots={knots} />
    </Section>
  );
}
