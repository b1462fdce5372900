import { type CSSProperties, useState } from 'react';
import type { Data } from '@/api/call';
import { useRange } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { hue } from '@/look/hue';
import { Section } from '@/look/Lines';
import { otherOf, pairsOf, pairsWith } from '@/pages/graph/mesh';
import { openPair } from '@/pages/graph/open';

const few = 6;

/** With whom an agent writes, as bars in its hue. A press opens what they wrote. */
export function Talks({ id, graph }: { id: string; graph: Data<'observe_graph'> }) {
  const [all, setAll] = useState(false);
  const range = useRange();
  const pairs = pairsWith(pairsOf(graph.edges.messages), id);
  const most = pairs[0]?.count ?? 1;
  const shown = all ? pairs : pairs.slice(0, few);
  return (
    <Section title={`Talks with, ${range.replace(/(\d)(\D)/, '$1 $2')}`}>
      {pairs.length === 0 && <p className="text-text-3">Nobody in this time.</p>}
      <ul>
        {shown.map((pair) => (
          <li key={pair.key}>
            <button
              type="button"
              onClick={() => openPair(pair)}
              title={`${pair.aToB} from ${pair.a}, ${pair.bToA} from ${pair.b}`}
              className="-mx-2 grid h-7 w-[calc(100%+16px)] grid-cols-[minmax(0,104px)_minmax(0,1fr)_auto] items-center gap-3 rounded px-2 text-left hover:bg-hover max-wide:h-9"
            >
              <AgentName id={otherOf(pair, id)} />
              <span
                aria-hidden="true"
                className="agent-mark block h-1 rounded-full"
                style={{ '--h': hue(id), width: `${Math.max(3, (pair.count / most) * 100)}%` } as CSSProperties}
              />
              <span className="min-w-8 text-right">{pair.count}</span>
            </button>
          </li>
        ))}
      </ul>
      {pairs.length > few && (
        <button type="button" className="mt-1 min-h-6 text-text-2 hover:text-accent" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${pairs.length - few} more`}
        </button>
      )}
    </Section>
  );
}
