import { Hourglass } from 'lucide-react';
import { asCommand } from '@/api/call';
import { go } from '@/app/address';
import { copyText } from '@/look/Copy';
import type { MenuItem } from '@/look/Menu';
import { Time } from '@/look/Time';
import { type Handoff, handoffMoves } from '@/things/handoff/moves';
import type { Move } from '@/things/moves';
import { handoffTitle } from '@/things/title';
import { Card } from '../Board/Card';
import { LeaseBar, LeaseLeft, Priority, Somebody, Target } from '../Marks';

const over = ['COMPLETED', 'REJECTED', 'CANCELLED', 'EXPIRED'];

export function HandoffCard({
  handoff,
  task,
  selected,
  waiting,
  onDrag,
  onMove,
}: {
  handoff: Handoff;
  /** The title of the task it belongs to. */
  task?: string;
  selected?: boolean;
  waiting?: boolean;
  onDrag: (up: boolean) => void;
  onMove: (move: Move) => void;
}) {
  const { status, claimed_by: agent, lease_expires_at: until } = handoff;
  const moves = handoffMoves(handoff);
  const leased = status === 'CLAIMED' && until;
  return (
    <Card
      kind="handoff"
      id={handoff.handoff_id}
      title={handoffTitle(handoff)}
      quiet={over.includes(status)}
      selected={selected}
      waiting={waiting}
      since={handoff.updated_at}
      actions={actions(handoff, moves, onMove)}
      onDrag={moves.length > 0 ? onDrag : undefined}
    >
      <Notes task={task} waitsFor={handoff.blocked ? handoff.depends_on.length : 0} />
      <div className="mt-1.5 flex flex-wrap items-center gap-x-2 text-text-2">
        {agent ? <Somebody id={agent} /> : <Target target={handoff.target} />}
        <span className="ml-auto flex shrink-0 items-center gap-2">
          <Priority value={handoff.priority} />
          {leased ? <LeaseLeft until={until} /> : <Time at={status === 'OPEN' ? handoff.created_at : handoff.updated_at} />}
        </span>
      </div>
      {leased && <LeaseBar from={handoff.updated_at} until={until} />}
    </Card>
  );
}

/** What it waits for, and what it is a part of. */
function Notes({ task, waitsFor }: { task?: string; waitsFor: number }) {
  if (!task && waitsFor === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 text-small text-text-2">
      {waitsFor > 0 && (
        <span className="flex items-center gap-1">
          <Hourglass size={12} aria-hidden="true" />
          waits for {waitsFor === 1 ? 'another' : `${waitsFor} others`}
        </span>
      )}
      {task && (
        <span title={task} className="min-w-0 flex-1 basis-20 truncate text-text-3">
          {task}
        </span>
      )}
    </p>
  );
}

function actions(handoff: Handoff, moves: Move[], onMove: (move: Move) => void): (MenuItem | 'line')[] {
  const agent = handoff.claimed_by;
  const items: (MenuItem | 'line')[] = moves.map((move) => ({
    label: move.ask ? `${move.verb}…` : move.verb,
    danger: move.danger,
    onSelect: () => onMove(move),
  }));
  if (moves.length > 0) items.push('line');
  if (agent) items.push({ label: `Write to ${agent}`, onSelect: () => go('/conversations', { peer: agent }) });
  items.push({
    label: 'Copy as command',
    onSelect: () => void copyText(asCommand('observe_handoff', { handoff_id: handoff.handoff_id })),
  });
  return items;
}
