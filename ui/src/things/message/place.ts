// Where a message is talked about: the conversation of two, or of a group.

import type { Message } from './words';
import { targetOf, toWords } from './words';

/** The person at the dashboard. */
export const operator = 'operator';

/** The group a message was written to, as a key for the address; nothing for mail between two. A channel outranks its readers. */
export function groupOf(message: Pick<Message, 'target' | 'channel_id'>): string | undefined {
  if (message.channel_id) return `channel:${message.channel_id}`;
  const target = targetOf(message);
  switch (target.strategy) {
    case 'direct':
    case 'direct_with_fallback':
      return undefined;
    case 'broadcast':
      return 'everybody';
    case 'role':
      return `role:${target.role}`;
    case 'capability':
      return `capability:${[target.capability].flat().join(',')}`;
    default:
      return `several:${toWords(message)}`;
  }
}

/** The address of the conversation that a message belongs to, as the operator sees it if the operator is in it. */
export function conversationOf(message: Message): Record<string, string | undefined> {
  const group = groupOf(message);
  const inIt =
    message.from_agent_id === operator || message.deliveries.some((delivery) => delivery.recipient_agent_id === operator);
  const as = inIt ? undefined : message.from_agent_id;
  if (group) return { as, tab: 'groups', group };
  const to = targetOf(message).agent_id;
  const peer = inIt && message.from_agent_id !== operator ? message.from_agent_id : to;
  return { as, peer };
}

/** The address where the operator answers a message: its sender, or those it was sent to if it was the operator's own. */
export function answerTo(message: Message): Record<string, string | undefined> {
  const reply = message.message_id;
  const group = groupOf(message);
  if (message.from_agent_id !== operator) return { peer: message.from_agent_id, reply };
  return group ? { tab: 'groups', group, reply } : { peer: targetOf(message).agent_id, reply };
}
