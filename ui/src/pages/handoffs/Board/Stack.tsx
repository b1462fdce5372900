import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

/** Longer than this only what is seen is drawn. */
const short = 60;

type Props<T> = { cards: T[]; keyOf: (card: T) => string; draw: (card: T) => ReactNode; foot?: ReactNode; label: string };

const scroll = 'min-h-0 flex-1 overflow-y-auto overflow-x-hidden px-0.5 pt-0.5 pb-6 [scrollbar-width:thin]';

/** Cards one under another, however many they are. */
export function Stack<T>(props: Props<T>) {
  return props.cards.length > short ? <LongStack {...props} /> : <ShortStack {...props} />;
}

function ShortStack<T>({ cards, keyOf, draw, foot, label }: Props<T>) {
  return (
    <div className={scroll}>
      <ol aria-label={label} className="flex flex-col gap-2">
        {cards.map((card) => (
          <li key={keyOf(card)}>{draw(card)}</li>
        ))}
      </ol>
      {foot}
    </div>
  );
}

function LongStack<T>({ cards, keyOf, draw, foot, label }: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    getItemKey: (i) => keyOf(cards[i]!),
    estimateSize: () => 92,
    gap: 8,
    overscan: 8,
  });
  return (
    <div ref={scroller} className={scroll}>
      <ol aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-setsize={cards.length}
            aria-posinset={item.index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {draw(cards[item.index]!)}
          </li>
        ))}
      </ol>
      {foot}
    </div>
  );
}
