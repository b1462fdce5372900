// Groups are not kept anywhere: they are found in what was written to them.

import { useMemo } from 'react';
import type { Mesh } from '@/api/mesh';
import { usePages } from '@/api/query';
import { groupOf } from '@/things/message/place';
import type { Message } from '@/things/message/words';

export type Group = { key: string; words: string; last?: Message; unread: number };

/** What a group is called. */
export function groupWords(key: string, channels?: Mesh['channels']): string {
  const at = key.indexOf(':');
  const [kind, id] = at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
  switch (kind) {
    case 'everybody':
      return 'Everybody';
    case 'channel':
      return `#${channels?.get(id)?.name ?? id}`;
    case 'several':
      return id;
    default:
      return `${kind} ${id.replaceAll(',', ' or ')}`;
  }
}

/** The groups that messages were written to, the latest first, and then the channels that are quiet. Messages come newest first. */
export function groupsIn(messages: Message[], channels: Mesh['channels'], as: string, workspace = ''): Group[] {
  const groups = new Map<string, Group>();
  for (const message of messages) {
    const key = groupOf(message);
    if (!key) continue;
    const group = groups.get(key) ?? { key, words: groupWords(key, channels), last: message, unread: 0 };
    if (isUnread(message, as)) group.unread++;
    groups.set(key, group);
  }
  for (const channel of channels.values()) {
    const key = `channel:${channel.channel_id}`;
    if (!groups.has(key) && (!workspace || channel.workspace_id === workspace))
      groups.set(key, { key, words: `#${channel.name}`, unread: 0 });
  }
  return [...groups.values()];
}

/** The messages of a group, and the answers to them whomever they were for. Both come and go newest first. */
export function membersOf(messages: Message[], key: string): Message[] {
  const inside = new Set<string>();
  return messages
    .toReversed()
    .filter((message) => {
      const belongs = groupOf(message) === key || (message.parent_message_id && inside.has(message.parent_message_id));
      if (belongs) inside.add(message.message_id);
      return belongs;
    })
    .reverse();
}

/** Whether an agent has not acknowledged a message yet. */
export function isUnread(message: Message, agent: string): boolean {
  return message.deliveries.some(
    ({ recipient_agent_id, status }) => recipient_agent_id === agent && (status === 'unread' || status === 'delivered'),
  );
}

/** All mail of an agent, in whose newest pages its groups are found. */
export function useMail(as: string, workspace: string, enabled: boolean) {
  const pages = usePages(
    'observe_messages',
    { agent: as, workspace: workspace || undefined, include_body: true, page_size: 200 },
    { enabled },
  );
  const messages = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  return { ...pages, messages };
}
