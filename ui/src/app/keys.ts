// The keyboard: single keys and pairs such as "g e", wherever nobody types. `?` lists what is registered now.

import { useEffect } from 'react';
import { isTyping } from '@/look/Grid';

export type Shortcut = { keys: string; does: string; group: string; run: () => void };

const registered = new Set<Shortcut>();

/** What can be pressed now, by group. */
export function shortcuts(): Shortcut[] {
  return [...registered];
}

/** Registers shortcuts while a component is there. */
export function useShortcuts(list: Shortcut[]) {
  useEffect(() => {
    for (const shortcut of list) registered.add(shortcut);
    return () => {
      for (const shortcut of list) registered.delete(shortcut);
    };
  }, [list]);
}

let first = '';
let forget: ReturnType<typeof setTimeout> | undefined;

/** Runs the shortcut that a key completes. A pair must be typed within a second. */
export function pressKey(event: KeyboardEvent) {
  const mod = event.metaKey || event.ctrlKey;
  if (event.altKey || event.defaultPrevented) return;
  if (!mod && (isTyping(event.target) || document.querySelector('dialog[open]'))) return;
  const key = (mod ? 'mod ' : '') + event.key;
  const pair = first ? `${first} ${key}` : key;
  const found = [...registered].findLast((s) => s.keys === pair) ?? [...registered].findLast((s) => s.keys === key);
  clearTimeout(forget);
  first = '';
  if (found) {
    event.preventDefault();
    found.run();
  } else if (!mod && [...registered].some((s) => s.keys.startsWith(`${key} `))) {
    first = key;
    forget = setTimeout(() => {
      first = '';
    }, 1_000);
  }
}
