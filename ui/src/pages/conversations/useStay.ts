import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** How near to the end counts as being there. */
const near = 48;

/**
 * Keeps a conversation where the reader is: at its end while new messages come, or at the same message while older ones
 * are put above it or something grows.
 */
export function useStay(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, key: string) {
  const stays = useRef<{ atEnd: boolean; at?: Element; offset: number }>({ atEnd: true, offset: 0 });
  const [atEnd, setAtEnd] = useState(true);

  const note = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const end = box.scrollHeight - box.scrollTop - box.clientHeight < near;
    const top = box.getBoundingClientRect().top;
    const at = [...(content.current?.querySelectorAll('[data-row]') ?? [])].find(
      (row) => row.getBoundingClientRect().bottom > top,
    );
    stays.current = { atEnd: end, at, offset: at ? at.getBoundingClientRect().top - top : 0 };
    setAtEnd(end);
  }, [scroller, content]);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const { atEnd, at, offset } = stays.current;
    if (atEnd) box.scrollTop = box.scrollHeight;
    else if (at?.isConnected) box.scrollTop += at.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
  }, [scroller]);

  const toEnd = useCallback(() => {
    stays.current = { atEnd: true, offset: 0 };
    setAtEnd(true);
    settle();
  }, [settle]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end
  useLayoutEffect(toEnd, [key]);
  useLayoutEffect(settle);
  useEffect(() => {
    const grows = new ResizeObserver(settle);
    for (const element of [scroller.current, content.current]) if (element) grows.observe(element);
    return () => grows.disconnect();
  }, [scroller, content, settle]);

  return { atEnd, note, toEnd };
}
