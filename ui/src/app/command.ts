import { useMemo } from 'react';
import { asCommand } from '@/api/call';
import { copyText } from '@/look/Copy';
import { useShortcuts } from './keys';

/** Lets the reader copy what this view shows as a line for a terminal: with y, or from the palette. */
export function useViewCommand(name: string, input: object = {}) {
  const command = asCommand(name, input);
  useShortcuts(
    useMemo(
      () => [{ keys: 'y', does: 'Copy this view as a command', group: 'Actions', run: () => void copyText(command) }],
      [command],
    ),
  );
}
