import type { KeyboardEvent } from 'react';

/** Whether a key sends what is being written: Enter with Ctrl, or with ⌘. */
export const sends = (event: KeyboardEvent) => event.key === 'Enter' && (event.metaKey || event.ctrlKey);
