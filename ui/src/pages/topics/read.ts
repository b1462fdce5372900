// How far the reader of this browser has read in each topic, so that lists can tell what is new.

import { remember, remembered } from '@/app/remember';

const most = 500;

type Marks = Record<string, number>;

/** How many posts came since the reader last read a topic to its end. A topic that was never opened has none. */
export function unreadIn(topic: { topic_id: string; last_seq: number }): number {
  const mark = remembered<Marks>('topics.read', {})[topic.topic_id];
  return mark === undefined ? 0 : Math.max(0, topic.last_seq - mark);
}

export function markRead(topic: string, seq: number) {
  const { [topic]: before = -1, ...others } = remembered<Marks>('topics.read', {});
  if (seq <= before) return;
  remember('topics.read', Object.fromEntries([...Object.entries(others), [topic, seq]].slice(-most)));
}
