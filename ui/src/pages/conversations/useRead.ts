import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { useMe } from '@/api/me';
import { useAct } from '@/api/query';
import { operator } from '@/things/message/place';
import type { Message } from '@/things/message/words';
import { isUnread } from './groups';

/** How long something must have been in view to count as seen. */
const glance = 600;

/** Acknowledges the operator's mail once it has been in view, in a window that is looked at. */
export function useRead(scroller: RefObject<HTMLElement | null>, messages: Message[], as: string) {
  const mayWrite = useMe().data?.is_admin ?? false;
  const { mutate } = useAct('inbox_ack');
  const told = useRef(new Set<string>());
  const unread = useMemo(
    () => messages.filter((message) => isUnread(message, operator)).map((message) => message.message_id),
    [messages],
  );
  const names = as === operator && mayWrite ? unread.join(' ') : '';

  useEffect(() => {
    const box = scroller.current;
    if (!box || !names) return;
    const seen = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    function tell() {
      if (document.visibilityState !== 'visible') return;
      const ids = [...seen].filter((id) => !told.current.has(id));
      if (ids.length === 0) return;
      for (const id of ids) told.current.add(id);
      mutate(
        { agent_id: operator, message_ids: ids },
        {
          onError: () => {
            for (const id of ids) told.current.delete(id);
          },
        },
      );
    }
    function look() {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(tell, glance);
    }
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, intersectionRatio, intersectionRect } of entries) {
          const id = target.getAttribute('data-row') ?? '';
          const enough = isIntersecting && (intersectionRatio >= 0.6 || intersectionRect.height > box!.clientHeight / 2);
          if (enough) seen.add(id);
          else seen.delete(id);
        }
        look();
      },
      { root: box, threshold: [0, 0.2, 0.4, 0.6, 0.8, 1] },
    );
    for (const id of names.split(' ')) {
      const row = box.querySelector(`[data-row="${CSS.escape(id)}"]`);
      if (row) watch.observe(row);
    }
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
  }, [scroller, names, mutate]);
}
