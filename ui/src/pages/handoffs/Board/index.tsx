import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { setParams, useParam } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { IconButton } from '@/look/Button';
import { Problem } from '@/look/Problem';
import type { Move } from '@/things/moves';
import type { Moves } from '@/things/useMoves';
import { cardFocus } from './focus';

const steps: Record<string, [cards: number, lanes: number]> = {
  j: [1, 0],
  k: [-1, 0],
  l: [0, 1],
  h: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/** Lanes side by side. On a phone one is seen at a time, and a swipe leads to the next. */
export function Board({ label, children }: { label: string; children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => cardFocus.ensure(root.current!));
  useShortcuts(
    useMemo(() => {
      const step = (key: string, does: string) => ({
        keys: key,
        does,
        group: 'Board',
        run: () => cardFocus.move(root.current!, ...steps[key]!),
      });
      return [
        step('j', 'Next card'),
        step('k', 'Previous card'),
        step('l', 'Lane to the right'),
        step('h', 'Lane to the left'),
        { keys: 'm', does: 'What can be done with the card', group: 'Board', run: cardFocus.openActions },
      ];
    }, []),
  );

  function press(event: KeyboardEvent) {
    const step = event.key.startsWith('Arrow') && steps[event.key];
    const onCard = event.target instanceof HTMLElement && event.target.dataset.card;
    if (!step || !onCard || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    cardFocus.move(root.current!, ...step);
  }

  return (
    <div
      ref={root}
      role="group"
      aria-label={label}
      onKeyDown={press}
      onFocus={({ target }) => target.dataset.card && cardFocus.set(target.dataset.card)}
      className="flex min-h-0 flex-1 gap-1 overflow-x-auto px-5 max-wide:snap-x max-wide:snap-mandatory max-wide:px-3"
    >
      {children}
    </div>
  );
}

/** What is in the reader's hand, and where it may be put. */
export function useHand<T>(moves: Moves<T>, movesOf: (thing: T) => Move[], homeOf: (thing: T) => string) {
  const [held, hold] = useState<T>();
  useEffect(() => {
    if (!held) return;
    // While something is dragged the pointer tells nothing. If it does, the drag is over, whatever became of the card.
    const letGo = () => hold(undefined);
    addEventListener('pointermove', letGo);
    return () => removeEventListener('pointermove', letGo);
  }, [held]);
  const moveTo = (lane: string) => held && movesOf(held).find((move) => move.to === lane);
  return {
    hold,
    /** Whether a lane takes it; nothing where it comes from, or when the hand is empty. */
    takes: (lane: string) => (held === undefined || homeOf(held) === lane ? undefined : !!moveTo(lane)),
    put(lane: string) {
      const move = moveTo(lane);
      if (held && move) moves.start(held, move);
      hold(undefined);
    },
  };
}

export type Hand<T> = ReturnType<typeof useHand<T>>;

/** The cards of a lane while one of them, or one for it, is on its way. */
export function withMoving<T>(cards: T[] | undefined, lane: string, moves: Moves<T>, keyOf: (card: T) => string) {
  const { moving } = moves;
  if (!moving || !cards) return cards;
  const rest = cards.filter((card) => keyOf(card) !== keyOf(moving.thing));
  return moving.move.to === lane ? [moving.thing, ...rest] : rest;
}

/** Lanes that are folded until somebody unfolds them; which ones are open is in the address. */
export function useFolds(): (lane: string) => { folded: boolean; onFold: (folded: boolean) => void } {
  const [text] = useParam('unfold');
  const open = text.split(',').filter(Boolean);
  return (lane) => ({
    folded: !open.includes(lane),
    onFold(folded) {
      const next = folded ? open.filter((other) => other !== lane) : [...open, lane];
      setParams({ unfold: next.join(',') || undefined });
    },
  });
}

/** Why a card is back where it was. */
export function Refused<T>({ moves, titleOf }: { moves: Moves<T>; titleOf: (thing: T) => string }) {
  const { refused, forget } = moves;
  if (!refused) return null;
  return (
    <div className="mx-6 mb-2 flex items-start gap-1 max-wide:mx-4">
      <div className="min-w-0 flex-1">
        <p className="mb-1 text-text-2">“{titleOf(refused.thing)}” stays where it was.</p>
        <Problem error={refused.error} onRetry={() => moves.start(refused.thing, refused.move)} />
      </div>
      <IconButton label="Hide" onClick={forget}>
        <X size={16} />
      </IconButton>
    </div>
  );
}
