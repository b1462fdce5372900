// One card of a board can be reached with Tab; the others from there with j, k, h, l or the arrows.

import { useSyncExternalStore } from 'react';

let at = '';
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(id: string) {
  if (id === at) return;
  at = id;
  for (const listener of listeners) listener();
}

const cardsOf = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-card]')];

/** Moves the focus by so many cards in the lane, or by so many lanes that have cards. */
function move(root: HTMLElement, cards: number, lanes: number) {
  const now = document.activeElement?.closest('[data-lane]');
  const columns = [...root.querySelectorAll('[data-lane]')].map(cardsOf).filter((column) => column.length > 0);
  const x = columns.findIndex((column) => column.some((card) => now?.contains(card)));
  const column = columns[x];
  if (!column) return columns[0]?.[0]?.focus();
  const y = column.findIndex((card) => card.dataset.card === at);
  const next = columns[Math.max(0, Math.min(columns.length - 1, x + lanes))]!;
  next[Math.max(0, Math.min(next.length - 1, y + cards))]?.focus();
}

/** Opens the menu of the card that has the focus. */
function openActions() {
  const button = document.activeElement?.closest('.group\\/card')?.querySelector<HTMLElement>('[data-actions]');
  button?.focus();
  button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
}

/** Makes sure that one card can be reached. */
function ensure(root: HTMLElement) {
  const cards = cardsOf(root);
  if (cards[0] && !cards.some((card) => card.dataset.card === at)) set(cards[0].dataset.card!);
}

export const cardFocus = {
  set,
  move,
  ensure,
  openActions,
  useIsFocus: (id: string) => useSyncExternalStore(subscribe, () => at === id),
};
