// What narrows the page: the same for board and table, hand-offs and tasks, and all of it in the address.

import { useParam } from '@/app/address';
import type { Handoff } from '@/things/handoff/moves';
import type { Task } from '@/things/task/moves';
import { handoffTitle, targetWords } from '@/things/title';

export type Filters = { text: string; agent: string; priority: string };

export function useFilters(): Filters {
  return { text: useParam('q')[0], agent: useParam('agent')[0], priority: useParam('priority')[0] };
}

/** The choices of priority by their name in the address. */
export const priorities: Record<string, [words: string, fits: (priority: number) => boolean]> = {
  high: ['above normal', (priority) => priority > 0],
  normal: ['normal or above', (priority) => priority >= 0],
  low: ['below normal', (priority) => priority < 0],
};

const fitsPriority = (priority: number, chosen: string) => priorities[chosen]?.[1](priority) ?? true;

/** Whether every word that was typed is somewhere in the texts. */
function says(typed: string, texts: (string | null | undefined)[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Whether a hand-off is among those that were asked for. The hub has already looked at the agent. */
export function handoffFits(handoff: Handoff, { text, priority }: Filters): boolean {
  const { handoff_id, from_agent_id, claimed_by, target, payload } = handoff;
  return (
    fitsPriority(handoff.priority, priority) &&
    says(text, [handoffTitle(handoff), handoff_id, from_agent_id, claimed_by, targetWords(target), payload])
  );
}

export function taskFits(task: Task, { text, priority }: Filters): boolean {
  return (
    fitsPriority(task.priority, priority) &&
    says(text, [task.title, task.task_id, task.assignee, task.created_by, task.description, ...task.labels])
  );
}
