// What an agent may be kept from: the same words for presets and for agents. Everything is allowed that is not forbidden.

export type Permissions = Record<string, Record<string, unknown> | undefined>;

export type Permission = { path: string; label: string; explains: string };

/** Everything that can be allowed or forbidden, as docs/access.md has it. */
export const permissions: Permission[] = [
  { path: 'messages.send_direct', label: 'Write to one agent', explains: 'A message to somebody by name.' },
  {
    path: 'messages.send_broadcast',
    label: 'Write to many',
    explains: 'A message to everybody, to a role, to a capability or to a mix of them.',
  },
  { path: 'messages.send_channel', label: 'Write to channels', explains: 'A message to a channel and nobody in particular.' },
  { path: 'handoffs.create', label: 'Give work out', explains: 'Create hand-offs.' },
  { path: 'handoffs.work', label: 'Take work', explains: 'Claim, renew and complete hand-offs.' },
  { path: 'handoffs.cancel', label: 'Cancel work', explains: 'End hand-offs that it created.' },
  { path: 'channels.create', label: 'Create channels', explains: 'Open new channels in a workspace.' },
  { path: 'artifacts.put', label: 'Keep artifacts', explains: 'Store files and texts that others can read.' },
  { path: 'events.read', label: 'Read the log', explains: 'Events, their export and their stream.' },
];

export type Limit = { path: string; label: string; explains: string };

export const limits: Limit[] = [
  { path: 'limits.messages_per_minute', label: 'Messages a minute', explains: '0 for as many as it likes' },
  { path: 'limits.max_recipients', label: 'Recipients of one message', explains: '0 for as many as it likes' },
];

export const peersPath = 'messages.allowed_peers';

/** What is said at a path such as messages.send_direct. */
export function said(from: unknown, path: string): unknown {
  const [part = '', name = ''] = path.split('.');
  return (from as Permissions | null | undefined)?.[part]?.[name];
}

/** The same permissions with something else at a path; undefined takes it out, and parts that are blank with it. */
export function saying(from: unknown, path: string, value: unknown): Permissions {
  const [part = '', name = ''] = path.split('.');
  const next: Permissions = { ...(from as Permissions | null) };
  const inner = { ...next[part], [name]: value };
  if (value === undefined) delete inner[name];
  if (Object.keys(inner).length === 0) delete next[part];
  else next[part] = inner;
  return next;
}

/** Whether something is allowed: what is an agent's own outranks its preset. */
export function allows(path: string, own: unknown, preset?: unknown): boolean {
  return (said(own, path) ?? said(preset, path) ?? true) !== false;
}

/** What is forbidden or limited, in words; nothing if nothing is. */
export function restrictions(own: unknown, preset?: unknown): string[] {
  const words = permissions.filter(({ path }) => !allows(path, own, preset)).map(({ label }) => label.toLowerCase());
  const of = (path: string) => said(own, path) ?? said(preset, path);
  const peers = of(peersPath);
  if (Array.isArray(peers) && peers.length > 0) words.push(`write to others than ${peers.join(', ')}`);
  const [perMinute, recipients] = [of('limits.messages_per_minute'), of('limits.max_recipients')];
  if (Number(perMinute) > 0) words.push(`send more than ${perMinute} messages a minute`);
  if (Number(recipients) > 0) words.push(`write to more than ${recipients} at once`);
  return words;
}

/** The words of a list that somebody typed. */
export const wordsOf = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** What an agent can do, however it said so. */
export function capabilityWords(capabilities: unknown): string[] {
  if (Array.isArray(capabilities)) return capabilities.map(String);
  if (!capabilities || typeof capabilities !== 'object') return [];
  return Object.entries(capabilities).flatMap(([word, has]) => (has ? [word] : []));
}
