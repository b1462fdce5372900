import type { Data } from '@/api/call';
import { useOp } from '@/api/query';
import { go } from '@/app/address';
import { Button } from '@/look/Button';
import { WorkGlyph } from '@/look/Glyph';
import { Section, Thread } from '@/look/Lines';
import { Lease } from '@/look/Meter';
import { exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { eventKnot } from '../event/knot';
import { MoveButtons } from '../MoveButtons';
import { Thing } from '../Thing';
import { handoffTitle } from '../title';
import { useMoves } from '../useMoves';
import { Evidence } from './Evidence';
import { Lifeline } from './Lifeline';
import { sinceOf, stepsOf } from './life';
import { type Handoff, handoffMoves, moveHandoff, statusWord } from './moves';
import { People, verifierOf } from './People';

type Whole = Data<'observe_handoff'>;

export default function HandoffThing({ id }: { id: string }) {
  const input = { handoff_id: id };
  const answer = useOp('observe_handoff', input);
  const handoff = answer.data?.handoff_id === id ? answer.data : undefined;
  return (
    <Thing
      kind="Hand-off"
      id={id}
      data={handoff}
      error={answer.error}
      onRetry={answer.refetch}
      title={handoff && handoffTitle(handoff)}
      command={['observe_handoff', input]}
    >
      {handoff && (
        <>
          <State handoff={handoff} />
          <Next handoff={handoff} />
          <Evidence handoff={handoff} />
          <Lifeline events={handoff.events ?? []} verifier={verifierOf(handoff)} />
          <History handoff={handoff} />
        </>
      )}
    </Thing>
  );
}

function State({ handoff }: { handoff: Whole }) {
  const { status, lease_expires_at: until, updated_at: updated, expires_at: deadline } = handoff;
  const leased = status === 'CLAIMED' && until;
  return (
    <Section title="State" aside={status === 'OPEN' && deadline && <Deadline at={deadline} />}>
      <p className="mb-3">
        <span className="flex items-center gap-2">
          <WorkGlyph status={status} />
          {statusWord(status)}
          <span className="text-text-2">
            for <Time at={sinceOf(handoff.events ?? [], updated)} />
          </span>
        </span>
        {leased && <Lease from={updated} until={until} />}
      </p>
      <People handoff={handoff} />
    </Section>
  );
}

function Deadline({ at }: { at: string }) {
  return <time dateTime={at}>until {exact(at)}</time>;
}

function Next({ handoff }: { handoff: Whole }) {
  const moves = useMoves<Handoff>((thing) => thing.handoff_id, moveHandoff, ['observe_handoff', 'observe_handoffs']);
  const agent = handoff.claimed_by;
  const list = handoffMoves(handoff);
  if (list.length === 0 && !agent) return null;
  return (
    <MoveButtons thing={handoff} list={list} moves={moves} primary={handoff.status === 'VERIFYING' ? 'COMPLETED' : undefined}>
      {agent && (
        <Button look={list.length > 0 ? 'quiet' : 'plain'} onClick={() => go('/conversations', { peer: agent })}>
          Write to {agent}
        </Button>
      )}
    </MoveButtons>
  );
}

function History({ handoff }: { handoff: Whole }) {
  const steps = stepsOf(handoff.events ?? []);
  if (steps.length === 0) return null;
  return (
    <Section title="History">
      <Thread knots={steps.map(({ event, what, why }) => eventKnot(event, { what, why }))} />
    </Section>
  );
}
