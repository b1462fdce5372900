import type { Item } from '@/api/call';
import { useOp } from '@/api/query';
import { inspect, useWorkspace } from '@/app/address';
import { WorkGlyph } from '@/look/Glyph';
import { Section } from '@/look/Lines';
import { Time } from '@/look/Time';
import { handoffTitle, targetWords } from '../title';

type Handoff = Item<'observe_handoffs'>;

/** What an agent works on, waits for and has offered: the work that is not done. */
export function Work({ id }: { id: string }) {
  const workspace = useWorkspace() || undefined;
  const claimed = useOp('observe_handoffs', { workspace, agent: id, status: 'CLAIMED', limit: 50 });
  const verifying = useOp('observe_handoffs', { workspace, agent: id, status: 'VERIFYING', limit: 50 });
  const open = useOp('observe_handoffs', { workspace, agent: id, status: 'OPEN', limit: 50 });
  const work = [claimed, verifying, open].flatMap((answer) => answer.data?.items ?? []);
  if (work.length === 0) return null;
  return (
    <Section title="Work under way" aside={work.length}>
      <ul>
        {work.map((handoff) => (
          <li key={handoff.handoff_id}>
            <button
              type="button"
              onClick={() => inspect('handoff', handoff.handoff_id)}
              className="-mx-2 flex w-[calc(100%+16px)] items-start gap-3 rounded px-2 py-1 text-left hover:bg-hover"
            >
              <span className="flex h-5 items-center">
                <WorkGlyph status={handoff.status} />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate">{handoffTitle(handoff)}</span>
                <span className="block truncate text-small text-text-2">{standing(handoff, id)}</span>
              </span>
              <span className="shrink-0 text-small text-text-3">
                <Time at={handoff.updated_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** How a piece of work stands, seen from one of those it is between. */
export function standing(handoff: Pick<Handoff, 'status' | 'from_agent_id' | 'claimed_by' | 'target'>, id: string): string {
  const { status, from_agent_id: from, claimed_by: by } = handoff;
  if (status === 'CLAIMED') return by === id ? (from === id ? 'Claimed, its own' : `Claimed, from ${from}`) : `Claimed by ${by}`;
  if (status === 'VERIFYING') return by === id ? 'Done, waits to be verified' : `Done by ${by}, waits to be verified`;
  return `Open, offered to ${targetWords(handoff.target)}`;
}
