// What the list of agents shows, from what the hub keeps of each.

import type { Item } from '@/api/call';
import { displayName } from '@/things/agent/access/EditAgent';
import { type Standing, standing } from '@/things/agent/access/FirstCall';
import { capabilityWords, restrictions } from '@/things/agent/access/rules';

type Entry = Item<'agent_directory'>;
type Preset = Item<'preset_list'>;

export type AgentRow = Entry & {
  name: string;
  words: string[];
  mayDo: string;
  keyWord: string;
  state: Standing;
  person: boolean;
};

export function agentRows(entries: Entry[], presets: Preset[], presence: Map<string, string>): AgentRow[] {
  const byId = new Map(presets.map((preset) => [preset.preset_id, preset]));
  return entries
    .map((entry) => {
      const isOperator = entry.agent_id === 'operator';
      return {
        ...entry,
        name: displayName(entry),
        words: capabilityWords(entry.capabilities),
        mayDo: mayDo(entry, byId.get(entry.preset_id ?? '')),
        keyWord: isOperator ? 'file' : entry.has_key ? 'yes' : 'none',
        state: standing(entry, presence.get(entry.agent_id)),
        person: isOperator || (entry.metadata as { person?: unknown } | null)?.person === true,
      } satisfies AgentRow;
    })
    .sort((a, b) => a.agent_id.localeCompare(b.agent_id));
}

function mayDo(entry: Entry, preset: Preset | undefined): string {
  const name = preset?.name ?? (entry.preset_id ? 'unknown preset' : '');
  const own = restrictions(entry.permissions).length > 0;
  if (name) return own ? `${name}, with its own` : name;
  return own ? 'limited' : 'everything';
}

/** Those who cannot come in: the operator comes with a file instead. */
export const keyless = (row: Pick<AgentRow, 'has_key' | 'agent_id'>) => !row.has_key && row.agent_id !== 'operator';

/** The rows that fit every word of the filter and the count that was chosen. */
export function shownRows(rows: AgentRow[], q: string, show: string): AgentRow[] {
  const asked = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (show === 'keyless' && !keyless(row)) return false;
    const text = [row.agent_id, row.name, row.role, row.mayDo, row.state, ...row.words].join(' ').toLowerCase();
    return asked.every((word) => text.includes(word));
  });
}
