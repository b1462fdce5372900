import { useRef, useState } from 'react';
import { useOp } from '@/api/query';
import { inspect, setParams, useRange, useSeenId, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { Button } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { LookGlyph, MailGlyph } from '@/look/Glyph';
import { type Column, Grid, type GridHandle } from '@/look/Grid';
import { Jump } from '@/look/Jump';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import {
  hasOwnSubject,
  laneSummary,
  type Message,
  messageTitle,
  noticeOf,
  previewWords,
  toWords,
  worstLane,
} from '@/things/message/words';
import { handoffTitle } from '@/things/title';
import { Filters } from './Filters';
import { asInput, type Filters as Chosen, useFilters, useMessages } from './find';

/** Every message there is, newest first. */
export default function Messages() {
  const chosen = useFilters();
  useViewCommand('observe_messages', asInput(chosen, useWorkspace()));
  const { rows, count, loading, dim, error, retry, more } = useMessages(chosen);
  const seen = useSeenId('message');
  const grid = useRef<GridHandle>(null);
  const { shown, fresh, onTop, release } = useStill(rows);
  const [opened] = useState(() => new Date().toISOString());
  return (
    <div className="flex h-full flex-col">
      <Filters chosen={chosen} count={count} />
      {error && (
        <div className="px-6 py-3 max-wide:px-4">
          <Problem error={error} onRetry={() => retry()} />
        </div>
      )}
      <div className="relative min-h-0 flex-1">
        {fresh > 0 && (
          <Jump
            up
            className="top-10 z-10"
            onClick={() => {
              release();
              grid.current?.scrollToTop();
            }}
          >
            {fresh} new
          </Jump>
        )}
        <Grid
          label="Messages"
          handle={grid}
          rows={shown}
          columns={columns}
          keyOf={(message) => message.message_id}
          onOpen={(message) => inspect('message', message.message_id)}
          selected={seen}
          onEnd={more}
          onTop={onTop}
          fresh={(message) => message.created_at > opened}
          dim={dim}
          empty={loading || error ? null : <Nothing chosen={chosen} />}
        />
      </div>
    </div>
  );
}

/** Keeps rows in place while the reader is away from the top: what is newer waits. */
export function useStill(rows: Message[]) {
  const [mark, setMark] = useState<string>();
  const at = mark ? rows.findIndex((row) => row.message_id <= mark) : 0;
  const fresh = Math.max(0, at);
  return {
    shown: fresh > 0 ? rows.slice(fresh) : rows,
    fresh,
    onTop: (atTop: boolean) => setMark((now) => (atTop ? undefined : (now ?? rows[0]?.message_id))),
    release: () => setMark(undefined),
  };
}

const columns: Column<Message>[] = [
  {
    title: 'From → to',
    width: 'minmax(180px,280px)',
    wideOnly: true,
    cell: (message) => (
      <>
        <span className="mr-3">
          <Stand message={message} />
        </span>
        <Ways message={message} />
      </>
    ),
  },
  { title: 'Message', width: 'minmax(0,1fr)', cell: (message) => <Words message={message} /> },
  {
    title: 'Lanes',
    width: 'minmax(96px,180px)',
    wideOnly: true,
    cell: (message) => <span className="text-text-2">{laneSummary(message)}</span>,
  },
  {
    title: 'When',
    width: '48px',
    align: 'right',
    cell: (message) => (
      <span className="text-text-2">
        <Time at={message.created_at} />
      </span>
    ),
  },
];

/** The lane that is worst off. */
function Stand({ message }: { message: Message }) {
  const lane = worstLane(message);
  return lane ? <MailGlyph lane={lane} /> : <LookGlyph />;
}

function Ways({ message }: { message: Message }) {
  return (
    <>
      {message.from_agent_id} <span className="text-text-3">→</span> {toWords(message)}
    </>
  );
}

/** What a piece of work is called, as far as the newest ones tell. */
function useWorkTitle() {
  const { data } = useOp('observe_handoffs', { limit: 200 });
  return (id: string) => {
    const found = data?.items.find((handoff) => handoff.handoff_id === id);
    return found && handoffTitle(found);
  };
}

function Words({ message }: { message: Message }) {
  const notice = noticeOf(message);
  const workTitle = useWorkTitle();
  const rest = notice
    ? (workTitle(notice.handoff) ?? notice.why ?? notice.payload)
    : hasOwnSubject(message)
      ? previewWords(message.preview)
      : '';
  return (
    <>
      <span className="block truncate text-small text-text-2 wide:hidden">
        <Stand message={message} /> <Ways message={message} />
      </span>
      <span className="block truncate">
        <span className="font-strong">{messageTitle(message)}</span>
        {rest && <span className="ml-2 text-text-2">{rest}</span>}
      </span>
    </>
  );
}

const noFilters = Object.fromEntries(
  ['q', 'from', 'to', 'channel', 'lane', 'undelivered', 'since', 'until'].map((name) => [name, undefined]),
);

/** Looks as far back as the top bar can. */
function Longer() {
  const range = useRange();
  if (range === '30d') return null;
  return <Button onClick={() => setParams({ range: '30d', since: undefined })}>Look back 30 days</Button>;
}

function Nothing({ chosen }: { chosen: Chosen }) {
  const { q, from, to, channel, lane, undelivered } = chosen;
  if (q || from || to || channel || lane || undelivered)
    return (
      <Empty
        title="No message matches"
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Longer />
            <Button onClick={() => setParams(noFilters)}>Clear the filters</Button>
          </span>
        }
      >
        Only messages of the time range above are looked at.
      </Empty>
    );
  return (
    <Empty
      title="No messages in this time"
      command={`nexus call message_create project_root=. from_agent_id=operator subject=Hello body='Who is there?'`}
      action={<Longer />}
    >
      Whatever agents write to each other appears here, with how it stands in every inbox.
    </Empty>
  );
}
