import { useOp, usePages } from '@/api/query';
import { useSeenId, useWorkspace } from '@/app/address';
import { WorkGlyph } from '@/look/Glyph';
import { type Handoff, handoffMoves, handoffStatuses, moveHandoff, statusWord } from '@/things/handoff/moves';
import { handoffTitle } from '@/things/title';
import { type Moves, useMoves } from '@/things/useMoves';
import { Board, type Hand, Refused, useFolds, useHand, withMoving } from '../Board';
import { Lane } from '../Board/Lane';
import { handoffFits, useFilters } from '../filters';
import { HandoffCard } from './HandoffCard';

const foldable = new Set<string>(['CANCELLED', 'EXPIRED', 'PARKED']);
const keyOf = (handoff: Handoff) => handoff.handoff_id;
const homeOf = (handoff: Handoff) => handoff.status;

/** Hand-offs by their status. A card goes where a person may bring it, by hand or by its menu. */
export function HandoffBoard() {
  const moves = useMoves<Handoff>(keyOf, moveHandoff, ['observe_handoffs']);
  const hand = useHand(moves, handoffMoves, homeOf);
  const folds = useFolds();
  return (
    <>
      <Refused moves={moves} titleOf={handoffTitle} />
      <Board label="Hand-offs by status">
        {handoffStatuses.map((status) => (
          <HandoffLane
            key={status}
            status={status}
            moves={moves}
            hand={hand}
            fold={foldable.has(status) ? folds(status) : undefined}
          />
        ))}
      </Board>
      {moves.dialog}
    </>
  );
}

type Fold = { folded: boolean; onFold: (folded: boolean) => void };

function HandoffLane({ status, moves, hand, fold }: { status: string; moves: Moves<Handoff>; hand: Hand<Handoff>; fold?: Fold }) {
  const filters = useFilters();
  const workspace = useWorkspace() || undefined;
  const seen = useSeenId('handoff');
  const pages = usePages('observe_handoffs', { workspace, status, agent: filters.agent || undefined, limit: 50 });
  const all = pages.data?.pages.flatMap((page) => page.items);
  const cards = withMoving(
    all?.filter((handoff) => handoffFits(handoff, filters)),
    status,
    moves,
    keyOf,
  );
  const taskTitle = useTaskTitle(!!cards?.some((handoff) => handoff.task_id));
  return (
    <Lane
      id={status}
      title={statusWord(status)}
      glyph={<WorkGlyph status={status} />}
      cards={cards}
      keyOf={keyOf}
      draw={(handoff) => (
        <HandoffCard
          handoff={handoff}
          task={taskTitle(handoff.task_id)}
          selected={handoff.handoff_id === seen}
          waiting={handoff === moves.moving?.thing}
          onDrag={(up) => hand.hold(up ? handoff : undefined)}
          onMove={(move) => moves.start(handoff, move)}
        />
      )}
      pages={pages}
      hand={hand}
      {...fold}
    />
  );
}

/** The titles of tasks, from one answer for the whole board. */
function useTaskTitle(needed: boolean): (id: string | null) => string | undefined {
  const workspace = useWorkspace() || undefined;
  const { data } = useOp('observe_tasks', { workspace, limit: 200 }, { enabled: needed });
  return (id) => (id ? data?.items.find((task) => task.task_id === id)?.title : undefined);
}
