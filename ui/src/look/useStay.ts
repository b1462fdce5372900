import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** How near to the end counts as being there. */
const near = 48;

const rowOf = (box: HTMLElement, id: string) => box.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);

/**
 * Keeps rows (data-row) where the reader is: at their end while new ones come, or at the same row while others are put
 * above it or something grows. Under another key they begin at their end again.
 */
export function useStay(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, key = '') {
  const stays = useRef<{ atEnd: boolean; row: string; offset: number }>({ atEnd: true, row: '', offset: 0 });
  const [atEnd, setAtEnd] = useState(true);

  const note = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const end = box.scrollHeight - box.scrollTop - box.clientHeight < near;
    const top = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll('[data-row]')].find((one) => one.getBoundingClientRect().bottom > top);
    stays.current = {
      atEnd: end,
      row: row?.getAttribute('data-row') ?? '',
      offset: row ? row.getBoundingClientRect().top - top : 0,
    };
    setAtEnd(end);
  }, [scroller]);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const { atEnd, row, offset } = stays.current;
    const at = atEnd ? null : rowOf(box, row);
    if (atEnd) box.scrollTop = box.scrollHeight;
    else if (at) box.scrollTop += at.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
  }, [scroller]);

  const toEnd = useCallback(() => {
    stays.current = { atEnd: true, row: '', offset: 0 };
    setAtEnd(true);
    settle();
  }, [settle]);

  /** Brings a row into view, a third from the top. Tells whether it is there. */
  const toRow = useCallback(
    (id: string) => {
      const box = scroller.current;
      if (!box || !rowOf(box, id)) return false;
      stays.current = { atEnd: false, row: id, offset: Math.round(box.clientHeight / 3) };
      settle();
      note();
      return true;
    },
    [scroller, settle, note],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another key, another beginning
  useLayoutEffect(toEnd, [key]);
  useLayoutEffect(settle);
  useEffect(() => {
    const grows = new ResizeObserver(settle);
    for (const element of [scroller.current, content.current]) if (element) grows.observe(element);
    return () => grows.disconnect();
  }, [scroller, content, settle]);

  return { atEnd, note, toEnd, toRow };
}
