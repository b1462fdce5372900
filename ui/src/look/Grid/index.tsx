import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';

export type Column<T> = {
  title: string;
  /** A track of a CSS grid, such as 120px or minmax(0,1fr). */
  width: string;
  cell: (row: T) => ReactNode;
  align?: 'right';
  /** Left out where there is no room. */
  wideOnly?: boolean;
};

export type GridHandle = { scrollToTop: () => void };

type Props<T> = {
  label: string;
  rows: T[];
  columns: Column<T>[];
  keyOf: (row: T) => string;
  onOpen?: (row: T) => void;
  /** The key of the row that the inspector shows. */
  selected?: string;
  /** Rows that are marked with x, and what to do when that changes. */
  marked?: Set<string>;
  onMark?: (marked: Set<string>) => void;
  rowHeight?: number;
  /** Called when the end of the rows comes into view. */
  onEnd?: () => void;
  /** Called when the reader leaves the top or comes back. */
  onTop?: (atTop: boolean) => void;
  /** A row that is not a row: drawn over the whole width instead of cells. */
  instead?: (row: T) => ReactNode | undefined;
  /** Rows that have just come. */
  fresh?: (row: T) => boolean;
  empty?: ReactNode;
  handle?: Ref<GridHandle>;
  dim?: boolean;
};

const narrow = matchMedia('(max-width: 719px)');

/**
 * A list of any length: only what is seen is drawn. j and k (or the arrows) move, Enter opens, x marks, Home and End jump.
 * On a phone the columns that are not needed fall away.
 */
export function Grid<T>({
  label,
  rows,
  columns,
  keyOf,
  onOpen,
  selected,
  marked,
  onMark,
  rowHeight = 32,
  onEnd,
  onTop,
  instead,
  fresh,
  empty,
  handle,
  dim,
}: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState(0);
  const tall = narrow.matches ? Math.max(rowHeight, 44) : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => tall,
    overscan: 12,
    getItemKey: (i) => keyOf(rows[i]!),
  });
  const shown = narrow.matches ? columns.filter((column) => !column.wideOnly) : columns;
  const tracks = shown.map((column) => column.width).join(' ');
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;

  useImperativeHandle(handle, () => ({ scrollToTop: () => virtual.scrollToIndex(0) }));
  useEffect(() => {
    if (last >= rows.length - 20 && rows.length > 0) onEnd?.();
  }, [last, rows.length, onEnd]);

  function move(to: number) {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setFocus(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus({ preventScroll: true }),
    );
  }

  function mark(row: T) {
    if (!onMark) return;
    const next = new Set(marked);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    onMark(next);
  }

  function press(event: KeyboardEvent) {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    const row = rows[focus];
    const at = (event.target as HTMLElement).closest('[data-index]') === event.target;
    const actions: Record<string, () => void> = {
      j: () => move(focus + 1),
      ArrowDown: () => move(focus + 1),
      k: () => move(focus - 1),
      ArrowUp: () => move(focus - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      PageDown: () => move(focus + 15),
      PageUp: () => move(focus - 15),
      x: () => row && mark(row),
      ...(at && { Enter: () => row && onOpen?.(row) }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  if (rows.length === 0) return <>{empty}</>;
  return (
    <div
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className={`flex h-full min-h-0 flex-col ${dim ? 'refetching' : ''}`}
      onKeyDown={press}
    >
      <div
        role="row"
        aria-rowindex={1}
        className="grid shrink-0 items-center gap-3 overflow-hidden border-b px-6 text-text-2 [scrollbar-gutter:stable] max-wide:px-4"
        style={{ gridTemplateColumns: tracks, height: 32 }}
      >
        {shown.map((column) => (
          <div role="columnheader" key={column.title} className={`truncate ${column.align === 'right' ? 'text-right' : ''}`}>
            {column.title}
          </div>
        ))}
      </div>
      <div
        ref={scroller}
        role="rowgroup"
        className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden [scrollbar-gutter:stable]"
        onScroll={(event) => onTop?.(event.currentTarget.scrollTop < tall)}
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]!;
            const other = instead?.(row);
            const isSelected = keyOf(row) === selected;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
              <div
                key={item.key}
                role="row"
                data-index={item.index}
                aria-rowindex={item.index + 2}
                aria-selected={onOpen ? isSelected : undefined}
                tabIndex={item.index === focus ? 0 : -1}
                onFocus={() => setFocus(item.index)}
                onClick={() => onOpen?.(row)}
                className={`absolute inset-x-0 grid items-center gap-3 border-line-soft border-b px-6 outline-offset-[-2px] max-wide:px-4 ${onOpen && !other ? 'cursor-pointer' : ''} ${isSelected ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-hover'} ${fresh?.(row) ? 'fresh' : ''}`}
                style={{ gridTemplateColumns: other ? '1fr' : tracks, height: tall, transform: `translateY(${item.start}px)` }}
              >
                {other ? (
                  <div role="gridcell">{other}</div>
                ) : (
                  shown.map((column, i) => (
                    <div
                      role="gridcell"
                      key={column.title}
                      className={`flex min-w-0 items-center ${column.align === 'right' ? 'justify-end text-right' : ''}`}
                    >
                      {i === 0 && marked && onMark && (
                        <input
                          type="checkbox"
                          tabIndex={-1}
                          aria-label={`Select ${keyOf(row)}`}
                          checked={marked.has(keyOf(row))}
                          onClick={(event) => event.stopPropagation()}
                          onChange={() => mark(row)}
                          className="mr-2 size-3.5 shrink-0 accent-accent"
                        />
                      )}
                      <span className="min-w-0 truncate">{column.cell(row)}</span>
                    </div>
                  ))
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Whether a key press goes into a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    target.getAttribute('type') !== 'checkbox' &&
    target.getAttribute('type') !== 'radio'
  );
}
