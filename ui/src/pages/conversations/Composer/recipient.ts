// Whom a message is written to: chips on one side, the hub's target on the other.

import type { Input } from '@/api/call';
import type { Mesh } from '@/api/mesh';
import type { Target } from '@/things/message/words';

export type RecipientKind = 'agent' | 'role' | 'capability' | 'everybody' | 'channel';
export type Recipient = { kind: RecipientKind; id: string };

export const everybody: Recipient = { kind: 'everybody', id: '' };
export const sameRecipient = (a: Recipient, b: Recipient) => a.kind === b.kind && a.id === b.id;

/** The chips for a target that is known already. */
export function recipientsOf(target: Target): Recipient[] {
  switch (target.strategy) {
    case 'direct':
      return [{ kind: 'agent', id: target.agent_id ?? '' }];
    case 'role':
      return [{ kind: 'role', id: target.role ?? '' }];
    case 'capability':
      return [target.capability ?? []].flat().map((id) => ({ kind: 'capability', id }));
    case 'mixed':
      return (target.rules ?? []).flatMap(recipientsOf);
    default:
      return [everybody];
  }
}

/** The chips for a group of the address. */
export function recipientsOfGroup(key: string, last?: { target: unknown }): Recipient[] {
  const at = key.indexOf(':');
  const [kind, id] = at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
  if (kind === 'role' || kind === 'channel') return [{ kind, id }];
  if (kind === 'capability') return id.split(',').map((one) => ({ kind, id: one }));
  if (kind === 'several') return last?.target ? recipientsOf(last.target as Target) : [];
  return [everybody];
}

/** Adds a chip. Everybody stands alone, but for the channel it is filed under; there is one channel at most. */
export function withRecipient(all: Recipient[], next: Recipient): Recipient[] {
  const stays = (one: Recipient) => {
    if (sameRecipient(one, next)) return false;
    if (next.kind === 'channel') return one.kind !== 'channel';
    return one.kind === 'channel' || (next.kind !== 'everybody' && one.kind !== 'everybody');
  };
  return [...all.filter(stays), next];
}

/** What the hub is told. Only a channel means everybody who is present, filed under it. */
export function asTarget(all: Recipient[]): Pick<Input<'message_create'>, 'target' | 'channel_id'> {
  const channel_id = all.find(({ kind }) => kind === 'channel')?.id;
  const rules = all.flatMap(({ kind, id }): Target[] => {
    if (kind === 'agent') return [{ strategy: 'direct', agent_id: id }];
    if (kind === 'role') return [{ strategy: 'role', role: id }];
    return kind === 'capability' ? [{ strategy: 'capability', capability: id }] : [];
  });
  const target = rules.length > 1 ? { strategy: 'mixed', rules } : rules[0];
  return { target: target as unknown as Input<'message_create'>['target'], channel_id };
}

/** The word on a chip. */
export function recipientWords({ kind, id }: Recipient, channels: Mesh['channels']): string {
  switch (kind) {
    case 'agent':
      return id;
    case 'everybody':
      return 'everybody present';
    case 'channel':
      return `#${channels.get(id)?.name ?? id}`;
    default:
      return `${kind} ${id}`;
  }
}

/** Everyone who could be written to from a workspace: agents first, then what they are and can do. */
export function suggestions({ agents, channels }: Mesh, workspace: string): Recipient[] {
  const nodes = [...agents.values()];
  const roles = new Set(nodes.flatMap(({ role }) => role || []));
  const skills = new Set(nodes.flatMap(({ capabilities }) => skillsOf(capabilities)));
  const of = (kind: RecipientKind, ids: Iterable<string>) => [...ids].sort().map((id): Recipient => ({ kind, id }));
  return [
    ...of(
      'agent',
      nodes.map(({ agent_id }) => agent_id),
    ),
    everybody,
    ...of('role', roles),
    ...of('capability', skills),
    ...[...channels.values()]
      .filter((channel) => channel.workspace_id === workspace)
      .map(({ channel_id }): Recipient => ({ kind: 'channel', id: channel_id })),
  ];
}

function skillsOf(capabilities: unknown): string[] {
  if (Array.isArray(capabilities)) return capabilities.filter((one) => typeof one === 'string');
  if (!capabilities || typeof capabilities !== 'object') return [];
  return Object.entries(capabilities).flatMap(([name, has]) => (has ? [name] : []));
}
