import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { inspect, useSeenId } from '@/app/address';
import { Button } from '@/look/Button';
import { Jump } from '@/look/Jump';
import { Day } from '@/look/Lines';
import { useNow } from '@/look/Time';
import { useStay } from '@/look/useStay';
import { type Message, messageTitle } from '@/things/message/words';
import { Bubble } from './Bubble';
import { type Row, rowsOf } from './rows';
import { useRead } from './useRead';

type Props = {
  /** Which conversation it is: another one begins at its end. */
  id: string;
  /** Newest first. */
  messages: Message[];
  as: string;
  onReply?: (message: Message) => void;
  /** Reads what is older; not given when there is nothing, or it is being read. */
  older?: () => void;
  /** Whether coming near the top is enough to read what is older. */
  flows?: boolean;
  loading?: boolean;
  empty: ReactNode;
};

/** What was said, the newest at the bottom. j and k move, Enter inspects, r replies. */
export function Thread({ id, messages, as, onReply, older, flows = true, loading, empty }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const today = new Date(useNow()).toDateString();
  const rows = useMemo(() => rowsOf(messages, as, Date.parse(today) + 43_200_000), [messages, as, today]);
  const seen = useSeenId('message');
  const [focus, setFocus] = useState('');
  const [opened] = useState(() => new Date().toISOString());
  const { atEnd, note, toEnd } = useStay(scroller, content, id);
  const missed = useMissed(messages, atEnd);
  useRead(scroller, messages, as);

  function fill() {
    const box = scroller.current;
    if (flows && box && box.scrollTop < 600) older?.();
  }
  useEffect(fill);

  function press(event: KeyboardEvent<HTMLElement>) {
    const at = rows.findIndex((row) => row.message.message_id === focus);
    const here = rows[at]?.message;
    const onRow = (event.target as Element).hasAttribute('data-row');
    const actions: Record<string, () => void> = {
      j: () => move(at + 1),
      ArrowDown: () => move(at + 1),
      k: () => move(at - 1),
      ArrowUp: () => move(at - 1),
      End: () => move(rows.length - 1),
      Home: () => move(0),
      Enter: () => here && inspect('message', here.message_id),
      r: () => here && onReply?.(here),
    };
    const action = actions[event.key];
    if (!onRow || !action || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  function move(to: number) {
    const next = rows[Math.max(0, Math.min(rows.length - 1, to))]?.message.message_id;
    if (!next) return;
    setFocus(next);
    content.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(next)}"]`)?.focus();
  }

  const last = rows.at(-1)?.message.message_id;
  const focused = rows.some((row) => row.message.message_id === focus) ? focus : last;
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        className="h-full overflow-y-auto overflow-x-hidden [overflow-anchor:none]"
        onScroll={() => {
          note();
          fill();
        }}
      >
        <div ref={content} className="px-6 pb-4 max-wide:px-4">
          {rows.length === 0 && !loading && empty}
          {!flows && older && rows.length > 0 && (
            <div className="flex justify-center pt-3">
              <Button look="quiet" onClick={older}>
                Look further back
              </Button>
            </div>
          )}
          <div
            role="group"
            aria-label="Messages"
            onKeyDown={press}
            onFocus={(event) => setFocus(event.target.closest('[data-row]')?.getAttribute('data-row') ?? '')}
          >
            {rows.map((row) => (
              <div key={row.message.message_id}>
                {row.day && <Day name={row.day} className="mt-5" />}
                <Bubble
                  row={row}
                  as={as}
                  selected={row.message.message_id === seen}
                  fresh={row.message.created_at > opened}
                  focusable={row.message.message_id === focused}
                  onReply={onReply}
                />
              </div>
            ))}
          </div>
        </div>
      </div>
      <Said row={rows.at(-1)} opened={opened} />
      {!atEnd && (
        <Jump quiet={missed === 0} className="bottom-3" onClick={toEnd}>
          {missed > 0 ? `${missed} new` : 'Newest'}
        </Jump>
      )}
    </div>
  );
}

/** Tells those who listen that something was said. */
function Said({ row, opened }: { row: Row | undefined; opened: string }) {
  const news = row && !row.mine && row.message.created_at > opened;
  return (
    <span role="status" className="sr-only">
      {news && `${row.message.from_agent_id} wrote: ${messageTitle(row.message)}`}
    </span>
  );
}

/** How many came while the reader was further up. */
function useMissed(messages: Message[], atEnd: boolean): number {
  const newest = messages[0]?.message_id ?? '';
  const [mark, setMark] = useState(newest);
  useEffect(() => {
    if (atEnd) setMark(newest);
  }, [atEnd, newest]);
  return atEnd ? 0 : messages.filter((message) => message.message_id > mark).length;
}
