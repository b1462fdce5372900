import { useCallback, useState } from 'react';
import { remember, remembered } from '@/app/remember';

export const types = ['message', 'question', 'answer'] as const;

export type Draft = { text: string; type: string; replyTo: string; attempt: string };
const blank: Draft = { text: '', type: 'message', replyTo: '', attempt: '' };

/** A name that nobody else gives. The browser makes UUIDs only where the connection is secure; a hub in the house is not. */
export const newAttempt = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What is being written in a topic. It is kept until it is sent. */
export function useDraft(topic: string) {
  const name = `topic.${topic}`;
  const [draft, set] = useState<Draft>(() => ({ ...blank, ...remembered<Partial<Draft>>(name, {}) }));
  const change = useCallback(
    (part: Partial<Draft>) =>
      set((before) => {
        const next = { ...before, ...part };
        remember(name, next.text || next.replyTo ? next : '');
        return next;
      }),
    [name],
  );
  const clear = useCallback(() => {
    remember(name, '');
    set(blank);
  }, [name]);
  return { draft, change, clear };
}

export type DraftHold = ReturnType<typeof useDraft>;
