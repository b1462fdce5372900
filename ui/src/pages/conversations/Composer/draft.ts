// What is being written: kept for each conversation until it is sent, also over a reload.

import { newAttempt } from '@/api/attempt';
import type { Input } from '@/api/call';
import { useDraft } from '@/app/draft';
import { operator } from '@/things/message/place';
import { subjectFrom } from '@/things/message/words';
import { asTarget, type Recipient } from './recipient';

export type Draft = {
  /** Chips, where they differ from those of the conversation. */
  to?: Recipient[];
  subject: string;
  body: string;
  /** The message that it answers. */
  reply: string;
  workspace: string;
  artifacts: { id: string; name: string }[];
};

const blank: Draft = { subject: '', body: '', reply: '', workspace: '', artifacts: [] };

const isBlank = (draft: Draft) => !draft.subject && !draft.body && !draft.reply && !draft.to && draft.artifacts.length === 0;

/** The draft of a conversation. Give the component that uses it the conversation as its key. */
export function useMessageDraft(place: string) {
  const [draft, change, drop] = useDraft(`draft.${place}`, blank, { isBlank });
  return { draft, change, clear: () => drop({ workspace: draft.workspace }) };
}

export type DraftHold = ReturnType<typeof useMessageDraft>;

/** The draft as the hub takes it. What has no subject is called by its first line. */
export function asMessage(draft: Draft, to: Recipient[], workspace: string): Input<'message_create'> {
  return {
    project_root: workspace,
    from_agent_id: operator,
    subject: draft.subject.trim() || subjectFrom(draft.body),
    body: draft.body.trim(),
    ...asTarget(to),
    parent_message_id: draft.reply || undefined,
    artifacts: draft.artifacts.length > 0 ? draft.artifacts.map(({ id }) => id) : undefined,
  };
}

let last = { text: '', key: '' };

/** A key for the attempt: the same for the same message, so that trying again never sends it twice. */
export function attemptKey(message: Input<'message_create'>): string {
  const text = JSON.stringify(message);
  if (last.text !== text) last = { text, key: `ui-${newAttempt()}` };
  return last.key;
}

/** Forgets the attempt: the same words may be said again. */
export function endAttempt() {
  last = { text: '', key: '' };
}
