// A task while somebody writes it, and what of it is to be sent.

import type { Input } from '@/api/call';
import type { Task } from './moves';

export type Draft = {
  workspace: string;
  title: string;
  description: string;
  status: string;
  reason: string;
  assignee: string;
  priority: string;
  labels: string;
  parent: string;
  dependsOn: string[];
};

/** A task as fields; without one, blank ones. */
export function draftOf(task?: Task): Draft {
  return {
    workspace: task?.workspace_id ?? '',
    title: task?.title ?? '',
    description: task?.description ?? '',
    status: task?.status ?? 'open',
    reason: task?.reason ?? '',
    assignee: task?.assignee ?? '',
    priority: task?.priority ? String(task.priority) : '',
    labels: task?.labels.join(', ') ?? '',
    parent: task?.parent_id ?? '',
    dependsOn: task?.depends_on ?? [],
  };
}

type Changes = Omit<Input<'task_update'>, 'task_id' | 'project_root' | 'agent_id'>;

const words = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
];

/** The fields as the hub reads them. */
function fieldsOf(draft: Draft): Required<Omit<Changes, 'idempotency_key'>> {
  const told = draft.status === 'blocked' || draft.status === 'cancelled';
  return {
    title: draft.title.trim(),
    description: draft.description,
    status: draft.status,
    reason: told ? draft.reason.trim() : '',
    assignee: draft.assignee.trim(),
    priority: Number(draft.priority) || 0,
    labels: words(draft.labels),
    parent_id: draft.parent,
    depends_on: draft.dependsOn,
  };
}

/** What differs from the task as it is: what others change meanwhile stays as they changed it. */
export function changesOf(draft: Draft, task?: Task): Changes {
  const before = fieldsOf(draftOf(task));
  const changed = Object.entries(fieldsOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}
