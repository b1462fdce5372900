import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { AskMove } from './AskMove';
import type { Move } from './moves';

export type Moving<T> = { thing: T; move: Move };

export type Moves<T> = {
  /** What is on its way, until what the hub answers shows it where it went. */
  moving?: Moving<T>;
  /** What the hub refused: it is where it was. */
  refused?: Moving<T> & { error: Error };
  forget: () => void;
  /** Begins a move: asks if there is something to ask, or does it at once. */
  start: (thing: T, move: Move) => void;
  /** What is asked now. */
  dialog: ReactNode;
};

/** Moves things from state to state. `refresh` names the operations whose answers show where they are. */
export function useMoves<T>(
  idOf: (thing: T) => string,
  send: (thing: T, move: Move, text: string) => Promise<unknown>,
  refresh: string[],
): Moves<T> {
  const cache = useQueryClient();
  const [moving, setMoving] = useState<Moving<T>>();
  const [refused, setRefused] = useState<Moves<T>['refused']>();
  const [asked, setAsked] = useState(false);
  const how = useRef({ send, refresh });
  how.current = { send, refresh };

  const settle = useCallback(
    async (mine: Moving<T>) => {
      await cache.invalidateQueries({ predicate: ({ queryKey }) => how.current.refresh.includes(String(queryKey[0])) });
      setMoving((now) => (now === mine ? undefined : now));
    },
    [cache],
  );

  const start = useCallback(
    (thing: T, move: Move) => {
      const mine = { thing, move };
      setRefused(undefined);
      setMoving(mine);
      setAsked(!!move.ask);
      if (move.ask) return;
      how.current.send(thing, move, '').then(
        () => settle(mine),
        (error) => {
          setMoving((now) => (now === mine ? undefined : now));
          setRefused({ ...mine, error });
        },
      );
    },
    [settle],
  );

  const dialog = asked && moving?.move.ask && (
    <AskMove
      move={moving.move}
      question={moving.move.ask}
      draft={`ask.${moving.move.to}.${idOf(moving.thing)}`}
      onClose={() => {
        setAsked(false);
        setMoving(undefined);
      }}
      onSend={async (text) => {
        await send(moving.thing, moving.move, text);
        setAsked(false);
        void settle(moving);
      }}
    />
  );
  return { moving, refused, forget: () => setRefused(undefined), start, dialog };
}
