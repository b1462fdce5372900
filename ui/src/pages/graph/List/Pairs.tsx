import { useMemo } from 'react';
import { go } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { Empty } from '@/look/Empty';
import { type Column, Grid } from '@/look/Grid';
import { Time } from '@/look/Time';
import { otherOf, type Pair, pairsWith } from '../mesh';
import { openPair } from '../open';
import { Figure } from './Figure';

/** With whom one agent writes, those that write most first. */
export function Pairs({ of, pairs }: { of: string; pairs: Pair[] }) {
  const rows = useMemo(() => pairsWith(pairs, of), [pairs, of]);
  const columns = useMemo(() => columnsOf(of), [of]);
  return (
    <section aria-label={`Pairs of ${of}`} className="flex h-full min-h-0 flex-col">
      <h2 className="shrink-0 px-6 pt-3 text-text-2">Who writes with {of}</h2>
      <div className="min-h-0 flex-1">
        <Grid
          label={`Pairs of ${of}`}
          rows={rows}
          columns={columns}
          keyOf={(pair) => pair.key}
          onOpen={openPair}
          empty={<Empty title={`${of} wrote with nobody in this time`} />}
        />
      </div>
    </section>
  );
}

function columnsOf(of: string): Column<Pair>[] {
  const wrote = (from: string, to: string) => () => go('/messages', { from, to });
  const sent = (pair: Pair) => (pair.a === of ? pair.aToB : pair.bToA);
  return [
    { title: 'With', width: 'minmax(120px,1fr)', cell: (pair) => <AgentName id={otherOf(pair, of)} /> },
    {
      title: 'Sent',
      width: '64px',
      align: 'right',
      cell: (pair) => <Figure value={sent(pair)} label="sent" onClick={wrote(of, otherOf(pair, of))} />,
    },
    {
      title: 'Received',
      width: '64px',
      align: 'right',
      cell: (pair) => <Figure value={pair.count - sent(pair)} label="received" onClick={wrote(otherOf(pair, of), of)} />,
    },
    {
      title: 'In flight',
      width: '64px',
      align: 'right',
      cell: (pair) => (pair.inFlight > 0 ? pair.inFlight : <span className="text-text-3">–</span>),
    },
    { title: 'Last', width: '64px', align: 'right', cell: (pair) => <Time at={pair.lastAt} /> },
  ];
}
