// What happened to a message, from its deliveries' own times.

import type { Message } from './words';
import { toWords } from './words';

/** Something that happened to a message. What has no time of its own stands at the top. */
export type Step = { key: string; lane: string; what: string; why?: string; at?: string };

/** The steps of a message, newest first. `you` is called so. */
export function stepsOf(message: Message, you: string): Step[] {
  const name = (agent: string) => (agent === you ? 'you' : agent);
  const steps = message.deliveries.flatMap((delivery): Step[] => {
    const who = delivery.recipient_agent_id;
    const key = delivery.delivery_id;
    const taken: Step[] = delivery.delivered_at
      ? [
          {
            key: `${key}:taken`,
            lane: 'delivered',
            what: `Handed to ${name(who)}${delivery.attempts > 1 ? ', again' : ''}`,
            why: delivery.attempts > 1 ? `Try ${delivery.attempts}; the one before was not acknowledged` : undefined,
            at: delivery.delivered_at,
          },
        ]
      : [];
    if (delivery.status === 'read' && delivery.read_at)
      return [{ key: `${key}:read`, lane: 'read', what: `${capital(name(who))} read it`, at: delivery.read_at }, ...taken];
    if (delivery.status === 'parked')
      return [
        {
          key: `${key}:parked`,
          lane: 'parked',
          what: `Parked for ${name(who)}`,
          why: `Handed out ${delivery.attempts} times, never acknowledged. The message is kept.`,
          at: delivery.lease_expires_at ?? undefined,
        },
        ...taken,
      ];
    return taken;
  });
  const sent: Step = {
    key: 'sent',
    lane: 'sent',
    what: `${capital(name(message.from_agent_id))} wrote to ${toWords(message) === you ? 'you' : toWords(message)}`,
    why: found(message),
    at: message.created_at,
  };
  const late = ({ at }: Step) => (at ? Date.parse(at) : Number.POSITIVE_INFINITY);
  return [...steps.sort((a, b) => (late(a) === late(b) ? 0 : late(b) - late(a))), sent];
}

function found({ deliveries, more_deliveries }: Message): string | undefined {
  if (deliveries.length === 0) return 'Nobody matched';
  if (deliveries.length === 1) return undefined;
  return `Found ${deliveries.length}${more_deliveries ? ' and more' : ''} agents`;
}

const capital = (word: string) => (word === 'you' ? 'You' : word);
