import { useDraft } from '@/app/draft';

export const types = ['message', 'question', 'answer'] as const;

export type Draft = { text: string; type: string; replyTo: string; attempt: string };
const blank: Draft = { text: '', type: 'message', replyTo: '', attempt: '' };

const isBlank = (draft: Draft) => !draft.text && !draft.replyTo;

/** What is being written in a topic. It is kept until it is sent. */
export function usePostDraft(topic: string) {
  const [draft, change, drop] = useDraft(`topic.${topic}`, blank, { isBlank });
  return { draft, change, clear: () => drop() };
}

export type DraftHold = ReturnType<typeof usePostDraft>;
