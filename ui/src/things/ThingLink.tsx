import type { ReactNode } from 'react';
import { inspect, type Kind } from '@/app/address';
import { AgentName } from '@/look/Avatar';

/** Leads the inspector to another thing. */
export function ThingLink({ kind, id, glyph, children }: { kind: Kind; id: string; glyph?: ReactNode; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={() => inspect(kind, id)}
      className="flex min-h-6 max-w-full items-start gap-1.5 rounded-small text-left text-accent hover:underline"
    >
      {glyph && <span className="flex h-5 shrink-0 items-center">{glyph}</span>}
      <span className="min-w-0 break-words">{children}</span>
    </button>
  );
}

/** Leads the inspector to an agent. */
export function AgentLink({ id }: { id: string }) {
  return (
    <button
      type="button"
      onClick={() => inspect('agent', id)}
      className="flex min-h-6 max-w-full items-center rounded-small hover:text-accent"
    >
      <AgentName id={id} />
    </button>
  );
}
