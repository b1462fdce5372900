// The rows of the log: what is read from the hub, what has arrived since, and the holes between.

import type { LogEvent } from '@/api/live';

export type Row =
  | { key: string; event: LogEvent }
  | { key: string; hole: { from: number; to: number; why: 'retention' | 'reading' } };

export type Conditions = { type: string[]; not: string[]; agent: string[]; stream: string[]; trace: string[] };

/** Whether an event is one of those asked for; the hub filters in the same way. */
export function fits(event: LogEvent, wanted: Conditions, workspace: string): boolean {
  const one = (list: string[], value: string | null | undefined) => list.length === 0 || list.includes(value ?? '');
  return (
    (!workspace || event.workspace_id === workspace) &&
    one(wanted.type, event.type) &&
    one(wanted.agent, event.actor_agent_id) &&
    one(wanted.stream, event.stream) &&
    one(wanted.trace, event.trace_id) &&
    !wanted.not.includes(event.type)
  );
}

export const isNarrowed = (wanted: Conditions, workspace: string) =>
  !!workspace || Object.values(wanted).some((list) => list.length > 0);

/**
 * Rows, newest first. Numbers are given without holes: where one shows in the whole log, retention has cut it. In a part of the log
 * nothing follows from them.
 */
export function rowsOf(newest: LogEvent[], older: LogEvent[], whole: boolean, atBeginning: boolean): Row[] {
  const rows: Row[] = [];
  let above: number | undefined;
  for (const event of [...newest].reverse().concat(older)) {
    if (above !== undefined && event.event_id >= above) continue; // read and arrived
    if (whole && above !== undefined && event.event_id < above - 1) rows.push(hole(event.event_id + 1, above - 1));
    rows.push({ key: String(event.event_id), event });
    above = event.event_id;
  }
  if (whole && atBeginning && above !== undefined && above > 1) rows.push(hole(1, above - 1));
  return rows;
}

const hole = (from: number, to: number): Row => ({ key: `hole ${from}`, hole: { from, to, why: 'retention' } });
