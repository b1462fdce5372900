// For tests: messages with only what matters spelled out.

import type { Delivery, Message } from './words';

export function sampleDelivery(agent: string, status = 'unread', more: Partial<Delivery> = {}): Delivery {
  return {
    delivery_id: `dlv_${agent}`,
    recipient_agent_id: agent,
    status,
    created_at: '2026-11-15T10:00:00.000000Z',
    attempts: status === 'unread' ? 0 : 1,
    delivered_at: status === 'unread' ? null : '2026-11-15T10:01:00.000000Z',
    lease_expires_at: null,
    read_at: status === 'read' ? '2026-11-15T10:02:00.000000Z' : null,
    ...more,
  };
}

/** A direct message from one to the other, unless it is told otherwise. */
export function sample(
  id: string,
  from: string,
  to: string,
  more: Partial<Omit<Message, 'target'>> & { target?: unknown } = {},
): Message {
  return {
    message_id: id,
    workspace_id: 'w1',
    channel_id: null,
    from_agent_id: from,
    created_at: '2026-11-15T10:00:00.000000Z',
    subject: `About ${id}`,
    preview: `Text of ${id}`,
    body: `Text of ${id}`,
    parent_message_id: null,
    target: { strategy: 'direct', agent_id: to },
    provenance: { sender: 'agent', proof: 'key' },
    from_session_id: null,
    deliveries: [sampleDelivery(to)],
    ...more,
  } as Message;
}
