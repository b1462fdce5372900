import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Post } from '@/things/topic/words';

const none = { count: 0, first: '', above: false };

/** Posts that came while the page was open and have not been in view yet: an answer may arrive far above the end. */
export function useMissed(scroller: RefObject<HTMLElement | null>, posts: Post[]) {
  const waiting = useRef(new Set<string>());
  const last = useRef<number>(undefined);
  const [missed, setMissed] = useState(none);

  const look = useCallback(() => {
    const box = scroller.current;
    if (!box || (waiting.current.size === 0 && last.current !== undefined)) return setMissed(none);
    const view = box.getBoundingClientRect();
    const out: { id: string; above: boolean }[] = [];
    for (const id of waiting.current) {
      const row = box.querySelector(`[data-row="${CSS.escape(id)}"]`)?.getBoundingClientRect();
      if (!row || (row.top < view.bottom - 24 && row.bottom > view.top + 24)) waiting.current.delete(id);
      else out.push({ id, above: row.bottom <= view.top + 24 });
    }
    setMissed((before) => {
      const next = { count: out.length, first: out[0]?.id ?? '', above: out[0]?.above ?? false };
      return before.count === next.count && before.first === next.first && before.above === next.above ? before : next;
    });
  }, [scroller]);

  useEffect(() => {
    const newest = posts.at(-1)?.seq ?? 0;
    const before = last.current;
    last.current = Math.max(newest, before ?? 0);
    if (before === undefined) {
      if (posts.length === 0) last.current = undefined;
      return;
    }
    for (const post of posts) if (post.seq > before && post.sender !== 'operator') waiting.current.add(post.message_id);
    const frame = requestAnimationFrame(look); // after the list has settled
    return () => cancelAnimationFrame(frame);
  }, [posts, look]);

  return { missed, look };
}
