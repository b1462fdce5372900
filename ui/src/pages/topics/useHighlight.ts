import { type RefObject, useEffect } from 'react';

const name = 'found';

/** Paints words wherever they stand in the posts, without touching what is drawn. Older browsers show them plain. */
export function useHighlight(content: RefObject<HTMLElement | null>, words: string[], drawn: unknown) {
  const sought = words.join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is looked through again
  useEffect(() => {
    const box = content.current;
    if (!box || !sought || !('highlights' in CSS)) return;
    const paint = () => CSS.highlights.set(name, new Highlight(...rangesOf(box, sought.split('\n'))));
    const watch = new MutationObserver(paint); // texts are drawn a moment later than their posts
    watch.observe(box, { childList: true, subtree: true });
    paint();
    return () => {
      watch.disconnect();
      CSS.highlights.delete(name);
    };
  }, [content, sought, drawn]);
}

/** Where the words stand in the bodies of posts. */
export function rangesOf(box: HTMLElement, words: string[]): Range[] {
  const ranges: Range[] = [];
  for (const body of box.querySelectorAll('[data-body]')) {
    const walk = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = (node.nodeValue ?? '').toLowerCase();
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0 && word; at = text.indexOf(word, at + word.length)) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, Math.min(at + word.length, node.nodeValue!.length));
          ranges.push(range);
        }
      }
    }
  }
  return ranges;
}
