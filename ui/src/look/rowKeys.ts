import type { KeyboardEvent } from 'react';
import { isTyping } from './Grid';

/** j and k (or the arrows) move between the elements below that are marked with data-row. */
export function rowKeys(event: KeyboardEvent<HTMLElement>) {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (!step || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement || row.parentElement?.contains(document.activeElement));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
