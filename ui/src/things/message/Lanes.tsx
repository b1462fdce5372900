import { useState } from 'react';
import { useMesh } from '@/api/mesh';
import { inspect } from '@/app/address';
import { Avatar } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { MailGlyph } from '@/look/Glyph';
import { Section } from '@/look/Lines';
import { exact } from '@/look/moment';
import type { Delivery, Message } from './words';

const words: Record<string, string> = { unread: 'Queued', delivered: 'Delivered', read: 'Read', parked: 'Parked' };

/** More inboxes than this are folded. */
const few = 12;

/** How the message stands in every inbox. */
export function Lanes({ message }: { message: Message }) {
  const [all, showAll] = useState(false);
  const { agents } = useMesh();
  const shown = all ? message.deliveries : message.deliveries.slice(0, few);
  const rest = message.deliveries.length - shown.length;
  return (
    <Section title="Lanes" aside="tries">
      <ul className="flex flex-col">
        {shown.map((delivery) => (
          <Lane key={delivery.delivery_id} delivery={delivery} presence={agents.get(delivery.recipient_agent_id)?.presence} />
        ))}
      </ul>
      {rest > 0 && (
        <Button look="quiet" className="-ml-3" onClick={() => showAll(true)}>
          Show {rest} more
        </Button>
      )}
      {message.more_deliveries && <p className="text-small text-text-3">There are more than are listed here.</p>}
    </Section>
  );
}

function Lane({ delivery, presence }: { delivery: Delivery; presence?: string }) {
  const { status, recipient_agent_id: agent } = delivery;
  const at = delivery.read_at ?? delivery.delivered_at ?? delivery.created_at;
  return (
    <li className="grid h-8 grid-cols-[minmax(0,1fr)_minmax(96px,auto)_auto] items-center gap-3">
      <button
        type="button"
        onClick={() => inspect('agent', agent)}
        className="flex h-full min-w-0 items-center gap-2 text-left hover:text-accent"
      >
        <Avatar id={agent} presence={presence} size="small" />
        <span className="truncate">{agent}</span>
      </button>
      <span className={`flex items-center gap-2 ${status === 'parked' ? 'text-warn' : ''}`} title={exact(at)}>
        <MailGlyph lane={status} />
        {words[status] ?? status}
      </span>
      <span className="min-w-4 text-right text-text-2">{delivery.attempts}</span>
    </li>
  );
}
