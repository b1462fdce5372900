import { usePages } from '@/api/query';
import { useSeenId, useWorkspace } from '@/app/address';
import { TaskGlyph } from '@/look/Glyph';
import { moveTask, type Task, taskMoves, taskStatuses, taskWord } from '@/things/task/moves';
import { type Moves, useMoves } from '@/things/useMoves';
import { Board, type Hand, Refused, useHand, withMoving } from '../Board';
import { Lane } from '../Board/Lane';
import { taskFits, useFilters } from '../filters';
import { TaskCard } from './TaskCard';

const keyOf = (task: Task) => task.task_id;
const homeOf = (task: Task) => task.status;

/** Tasks by their state. */
export function TaskBoard() {
  const moves = useMoves<Task>(keyOf, moveTask, ['observe_tasks']);
  const hand = useHand(moves, taskMoves, homeOf);
  return (
    <>
      <Refused moves={moves} titleOf={(task) => task.title} />
      <Board label="Tasks by state">
        {taskStatuses.map((status) => (
          <TaskLane key={status} status={status} moves={moves} hand={hand} />
        ))}
      </Board>
      {moves.dialog}
    </>
  );
}

function TaskLane({ status, moves, hand }: { status: string; moves: Moves<Task>; hand: Hand<Task> }) {
  const filters = useFilters();
  const workspace = useWorkspace() || undefined;
  const seen = useSeenId('task');
  const pages = usePages('observe_tasks', { workspace, status, assignee: filters.agent || undefined, limit: 50 });
  const all = pages.data?.pages.flatMap((page) => page.items);
  const cards = withMoving(
    all?.filter((task) => taskFits(task, filters)),
    status,
    moves,
    keyOf,
  );
  return (
    <Lane
      id={status}
      title={taskWord(status)}
      glyph={<TaskGlyph status={status} />}
      cards={cards}
      keyOf={keyOf}
      draw={(task) => (
        <TaskCard
          task={task}
          selected={task.task_id === seen}
          waiting={task === moves.moving?.thing}
          onDrag={(up) => hand.hold(up ? task : undefined)}
          onMove={(move) => moves.start(task, move)}
        />
      )}
      pages={pages}
      hand={hand}
    />
  );
}
