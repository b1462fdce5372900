import { type ReactNode, useMemo } from 'react';
import { useShortcuts } from '@/app/keys';
import { Button } from '@/look/Button';
import { Section } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import type { Move } from './moves';
import type { Moves } from './useMoves';

/** What can be done next, as buttons and as keys, and why the last of it was refused. */
export function MoveButtons<T>({
  thing,
  list,
  moves,
  primary,
  children,
}: {
  thing: T;
  list: Move[];
  moves: Moves<T>;
  /** The state that the reader is asked for. */
  primary?: string;
  children?: ReactNode;
}) {
  const keys = list.map((move) => `${move.key} ${move.verb}`).join();
  const { start } = moves;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new on every drawing; what is in it is in keys
  const shortcuts = useMemo(
    () => list.map((move) => ({ keys: move.key, does: move.verb, group: 'Actions', run: () => start(thing, move) })),
    [keys, thing, start],
  );
  useShortcuts(shortcuts);
  if (list.length === 0 && !children) return null;
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        {list.map((move, i) => (
          <Button
            key={move.to}
            look={move.to === primary ? 'primary' : move.danger && i > 0 ? 'quiet' : 'plain'}
            title={move.hint}
            busy={moves.moving?.move.to === move.to && !move.ask}
            onClick={() => start(thing, move)}
          >
            {move.verb}
          </Button>
        ))}
        {children}
      </div>
      {moves.refused && (
        <div className="mt-3">
          <Problem error={moves.refused.error} />
        </div>
      )}
      {moves.dialog}
    </Section>
  );
}
