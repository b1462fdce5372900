import { ChevronsLeft } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import type { usePages } from '@/api/query';
import { Button, IconButton } from '@/look/Button';
import { Problem } from '@/look/Problem';
import type { Hand } from '.';
import { Stack } from './Stack';

type Pages = Pick<
  ReturnType<typeof usePages>,
  'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage' | 'isPlaceholderData' | 'error' | 'refetch'
>;

type LaneProps<T> = {
  id: string;
  title: string;
  glyph: ReactNode;
  /** Nothing while it is on its way. */
  cards: T[] | undefined;
  keyOf: (card: T) => string;
  draw: (card: T) => ReactNode;
  /** How they are read. */
  pages: Pages;
  hand: Hand<T>;
  /** It can be folded to a strip, and whether it is. */
  folded?: boolean;
  onFold?: (folded: boolean) => void;
};

/** A column of the board: all things in one state. It shows whether what is in the hand may be put here. */
export function Lane<T>(props: LaneProps<T>) {
  const [over, setOver] = useState(false);
  const { id, hand } = props;
  const takes = hand.takes(id);
  const drop = {
    onDragOver(event: DragEvent) {
      if (!takes) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      setOver(true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      if (takes) hand.put(id);
    },
  };
  const target =
    takes === undefined
      ? ''
      : takes
        ? `outline-dashed outline-1 outline-accent -outline-offset-1 rounded ${over ? 'bg-accent-wash' : ''}`
        : 'opacity-40';
  return props.folded ? <Strip {...props} drop={drop} target={target} /> : <Column {...props} drop={drop} target={target} />;
}

type Inner = { drop: object; target: string };

/** How many there are, as far as they were read. */
const countOf = <T,>({ cards, pages }: LaneProps<T>) => (cards ? `${cards.length}${pages.hasNextPage ? '+' : ''}` : '');

function Column<T>(props: LaneProps<T> & Inner) {
  const { id, title, glyph, cards, keyOf, draw, pages, onFold, drop, target } = props;
  return (
    <section
      {...drop}
      data-lane={id}
      aria-label={title}
      className={`flex min-h-0 min-w-[152px] max-w-[340px] flex-1 snap-center flex-col px-1 transition-opacity max-wide:min-w-[calc(100vw-64px)] max-wide:max-w-none ${target}`}
    >
      <header className="mb-2.5 flex h-9 shrink-0 items-center gap-2 border-b px-0.5">
        {glyph}
        <h2 className="truncate font-strong">{title}</h2>
        <span className="text-text-3">{countOf(props)}</span>
        {onFold && (
          <IconButton label={`Fold ${title}`} onClick={() => onFold(true)} className="-mr-1 ml-auto size-7! max-wide:size-9!">
            <ChevronsLeft size={14} aria-hidden="true" />
          </IconButton>
        )}
      </header>
      {pages.error && !cards ? (
        <Problem error={pages.error} onRetry={pages.refetch} />
      ) : (
        <div className={`flex min-h-0 flex-1 flex-col ${pages.isPlaceholderData ? 'refetching' : ''}`}>
          <Stack label={title} cards={cards ?? []} keyOf={keyOf} draw={draw} foot={<Foot {...props} />} />
        </div>
      )}
    </section>
  );
}

function Foot<T>({ cards, pages }: LaneProps<T>) {
  if (pages.hasNextPage) {
    return (
      <Button look="quiet" onClick={() => void pages.fetchNextPage()} busy={pages.isFetchingNextPage} className="mt-2 w-full">
        Show more
      </Button>
    );
  }
  return cards?.length === 0 ? <p className="px-0.5 text-text-3">None</p> : null;
}

function Strip<T>(props: LaneProps<T> & Inner) {
  const { id, title, glyph, onFold, drop, target } = props;
  const count = countOf(props);
  return (
    <div {...drop} data-strip={id} className={`flex shrink-0 snap-center border-l transition-opacity ${target}`}>
      <button
        type="button"
        aria-expanded="false"
        onClick={() => onFold?.(false)}
        className="flex w-11 flex-col items-center gap-2 pt-2.5 text-text-2 outline-offset-[-2px] hover:bg-hover hover:text-text"
      >
        {glyph}
        <span className="[writing-mode:vertical-rl]">
          <span className="sr-only">Unfold </span>
          {title}
        </span>
        {count !== '' && count !== '0' && <span className="font-strong">{count}</span>}
      </button>
    </div>
  );
}
