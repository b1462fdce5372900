import { Avatar, presenceWord } from '@/look/Avatar';
import { Time } from '@/look/Time';
import type { Hit } from '../drawing';
import type { Mesh, Pair, Work } from '../mesh';

/** What is under the pointer, in words. */
export function Hover({ hit, mesh, width }: { hit: Hit; mesh: Mesh; width: number }) {
  const agent = hit.agent && mesh.agents.find((one) => one.id === hit.agent);
  const isRight = hit.x > width / 2;
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-20 max-w-[280px] rounded bg-raised px-3 py-2 text-small shadow-float"
      style={{ top: hit.y + 14, ...(isRight ? { right: width - hit.x + 14 } : { left: hit.x + 14 }) }}
    >
      {agent ? (
        <>
          <p className="flex items-center gap-2 font-strong">
            <Avatar id={agent.id} size="small" presence={agent.presence} />
            <span className="truncate">{agent.id}</span>
          </p>
          <p className="mt-1 text-text-2">
            {[presenceWord(agent.presence), agent.role].filter(Boolean).join(' · ')}
            <br />
            {agent.sent} sent, {agent.received} received
            <br />
            {agentState(agent)}
          </p>
        </>
      ) : hit.work ? (
        <WorkWords work={hit.work} />
      ) : (
        hit.pair && <PairWords pair={hit.pair} />
      )}
    </div>
  );
}

/** How an agent's inbox and work stand, in one line. */
export function agentState(agent: Mesh['agents'][number]): string {
  const parts = [
    [agent.unread, 'queued'],
    [agent.inFlight, 'in flight'],
    [agent.parked, 'parked'],
    [agent.open, 'open'],
    [agent.claimed, 'claimed'],
    [agent.verifying, 'to verify'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', ') || 'Nothing waits'
  );
}

function PairWords({ pair }: { pair: Pair }) {
  return (
    <>
      <p className="font-strong">
        {pair.a} and {pair.b}
      </p>
      <p className="mt-1 text-text-2">
        {pair.a} → {pair.b}: {pair.aToB}
        <br />
        {pair.b} → {pair.a}: {pair.bToA}
        <br />
        {pair.inFlight > 0 && `${pair.inFlight} in flight, `}last <Time at={pair.lastAt} suffix=" ago" />
      </p>
    </>
  );
}

const states = { OPEN: 'open', CLAIMED: 'claimed', VERIFYING: 'waiting to be verified' };

function WorkWords({ work }: { work: Work }) {
  const count = work.ids.length;
  return (
    <>
      <p className="font-strong">
        {count === 1 ? 'A hand-off' : `${count} hand-offs`}, {states[work.status]}
      </p>
      <p className="mt-1 text-text-2">{work.to ? `From ${work.from} to ${work.to}` : `Offered by ${work.from}`}</p>
    </>
  );
}
