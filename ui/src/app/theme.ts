import { useSyncExternalStore } from 'react';
import { remember, remembered } from './remember';

export type Theme = 'light' | 'dark' | 'system';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function apply() {
  const theme = getTheme();
  document.documentElement.dataset.theme = theme === 'dark' || (theme === 'system' && system.matches) ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

system.addEventListener('change', apply);

const getTheme = () => remembered<Theme>('theme', 'system');

export function setTheme(theme: Theme) {
  remember('theme', theme);
  apply();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the reader chose. */
export const useTheme = () => useSyncExternalStore(subscribe, getTheme);

/** What is drawn: for pictures that CSS does not reach. */
export const useShade = () => useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme ?? 'light');
