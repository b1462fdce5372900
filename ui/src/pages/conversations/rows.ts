// How a conversation is drawn: days, who speaks, and what answers what. Pure, so that it can be checked.

import { dayName } from '@/look/moment';
import type { Message } from '@/things/message/words';

export type Row = {
  message: Message;
  /** The name of the day, where a new one begins. */
  day?: string;
  /** Written by the one who looks. */
  mine: boolean;
  /** Who and when stand above it: not where somebody goes on speaking. */
  head: boolean;
  /** How it hangs together with what it answers: joined to the one above, or quoted because that stands elsewhere. */
  answers?: 'joined' | 'quoted';
};

/** Who goes on within this time is not named again. */
const breath = 5 * 60_000;

/** Rows from messages, which come newest first; the newest row is the last. */
export function rowsOf(messages: Message[], as: string, now = Date.now()): Row[] {
  const rows: Row[] = [];
  for (const message of messages.toReversed()) {
    const before = rows.at(-1);
    const day = dayName(message.created_at, now);
    const sameDay = before !== undefined && dayName(before.message.created_at, now) === day;
    const answers = hangs(message, before?.message);
    const goesOn =
      sameDay &&
      !answers &&
      !before.answers &&
      before.message.from_agent_id === message.from_agent_id &&
      Date.parse(message.created_at) - Date.parse(before.message.created_at) < breath;
    rows.push({ message, day: sameDay ? undefined : day, mine: message.from_agent_id === as, head: !goesOn, answers });
  }
  return rows;
}

/** Joined if what stands above is what it answers, or answers the same. */
function hangs(message: Message, above: Message | undefined): Row['answers'] {
  const parent = message.parent_message_id;
  if (!parent) return undefined;
  return above && (above.message_id === parent || above.parent_message_id === parent) ? 'joined' : 'quoted';
}
