import type { ReactNode } from 'react';
import type { LogEvent } from '@/api/live';
import { inspect } from '@/app/address';
import { EventGlyph } from '@/look/Glyph';
import type { Knot } from '@/look/Lines';
import { Time } from '@/look/Time';

type Told = { what: string; why?: string; glyph?: ReactNode };

/** An event on the thread of what happened to a thing. It leads to the event itself. */
export function eventKnot(
  event: Pick<LogEvent, 'event_id' | 'type' | 'created_at'>,
  { what, why, glyph = <EventGlyph type={event.type} /> }: Told,
): Knot {
  return {
    key: event.event_id,
    glyph,
    what: (
      <button type="button" className="text-left hover:text-accent" onClick={() => inspect('event', String(event.event_id))}>
        {what}
      </button>
    ),
    why,
    when: <Time at={event.created_at} />,
  };
}
