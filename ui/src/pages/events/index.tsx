import { Pause, Play } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { readOn, useOp } from '@/api/query';
import { go, inspect, setParams, useParam, useRange, useSeenId, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { useShortcuts } from '@/app/keys';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { shortId } from '@/look/Copy';
import { Empty } from '@/look/Empty';
import { EventGlyph } from '@/look/Glyph';
import { type Column, Grid, type GridHandle } from '@/look/Grid';
import { Jump } from '@/look/Jump';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { type Token, TokenFilter } from '@/look/TokenFilter';
import { eventWords } from '@/things/event/words';
import { Density } from './Density';
import { JumpToTime } from './JumpToTime';
import type { Conditions, Row } from './rows';
import { useLog } from './useLog';

const names = ['type', 'not', 'agent', 'stream', 'trace'] as const;

export default function Events() {
  const workspace = useWorkspace();
  const range = useRange();
  const conditions = useConditions();
  useViewCommand('observe_events', viewInput(conditions.wanted, workspace));
  const [until] = useParam('until');
  const [paused, setPaused] = useState(false);
  const [atTop, setAtTop] = useState(true);
  const grid = useRef<GridHandle>(null);
  const seen = useSeenId('event');
  const { rows, waiting, read, catchUp } = useLog(conditions.wanted, workspace, until, !paused && atTop);

  useShortcuts(
    useMemo(
      () => [{ keys: 'p', does: 'Pause or resume the live log', group: 'Events', run: () => setPaused((now) => !now) }],
      [],
    ),
  );

  function showNew() {
    if (until) setParams({ until: undefined });
    setPaused(false);
    catchUp();
    grid.current?.scrollToTop();
  }

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-start gap-2 px-6 pt-3 max-wide:px-4">
        <TokenFilter
          label="Type, agent, stream or trace"
          tokens={conditions.tokens}
          onChange={conditions.set}
          suggestions={useSuggestions()}
        />
        <JumpToTime until={until} />
        <Button icon={paused ? <Play size={14} /> : <Pause size={14} />} onClick={() => (paused ? showNew() : setPaused(true))}>
          {paused ? 'Resume' : 'Pause'}
        </Button>
      </div>
      <Density range={range} wanted={conditions.wanted} until={until} />
      <Problem error={read.error} onRetry={read.refetch} />
      <div className="relative min-h-0 flex-1">
        {(waiting > 0 || until) && (
          <Jump up className="top-9 z-20" onClick={showNew}>
            {until ? 'Back to now' : `${waiting.toLocaleString()} new`}
          </Jump>
        )}
        <Grid
          label="Events"
          handle={grid}
          rows={rows}
          columns={columns}
          keyOf={(row) => row.key}
          selected={seen}
          onOpen={(row) => 'event' in row && inspect('event', row.key)}
          onTop={setAtTop}
          onEnd={() => readOn(read)}
          under={(row) => 'event' in row && eventWords(row.event)}
          instead={(row) => ('hole' in row ? <Hole {...row.hole} /> : undefined)}
          empty={
            read.isPending ? undefined : (
              <Empty title="No events here" command="nexus tail">
                Every change on the hub is an event: messages, hand-offs, sessions, settings.{' '}
                {conditions.tokens.length > 0
                  ? 'None fits these conditions.'
                  : 'They appear the moment they happen; on a terminal:'}
              </Empty>
            )
          }
        />
      </div>
    </div>
  );
}

/** What this view asks the hub for. */
function viewInput({ type, agent, stream, trace }: Conditions, workspace: string) {
  return {
    workspace,
    type: type.join(','),
    agent: agent[0],
    stream: stream[0],
    trace: trace[0],
    before: Number.MAX_SAFE_INTEGER,
  };
}

/** Conditions live in the address, each under its name. The hub compares one agent, stream and trace at a time. */
function useConditions() {
  const values = [useParam('type')[0], useParam('not')[0], useParam('agent')[0], useParam('stream')[0], useParam('trace')[0]];
  return useMemo(() => {
    const lists = values.map((value) => value.split(',').filter(Boolean));
    const wanted = Object.fromEntries(names.map((name, i) => [name, lists[i]!])) as Conditions;
    const tokens = names.flatMap((name) => wanted[name].map((value) => ({ name, value })));
    const set = (next: Token[]) =>
      setParams(
        Object.fromEntries(
          names.map((name) => {
            const all = next.filter((token) => token.name === name).map((token) => token.value);
            return [name, (name === 'type' || name === 'not' ? all : all.slice(-1)).join(',')];
          }),
        ),
      );
    return { wanted, tokens, set };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the values, not their list
  }, values);
}

function useSuggestions() {
  const { data: types } = useOp('observe_event_types', {});
  const { data: agents } = useOp('agent_directory', { limit: 1000 });
  return useMemo(() => {
    const known = (types?.items ?? []).map((item) => item.type);
    return [
      { name: 'type', word: 'type', values: known },
      { name: 'agent', word: 'agent', values: (agents?.items ?? []).map((agent) => agent.agent_id) },
      { name: 'stream', word: 'stream', values: ['workspace', 'handoff', 'agent', 'system'] },
      { name: 'not', word: 'not', values: known },
      { name: 'trace', word: 'trace', values: [] },
    ];
  }, [types, agents]);
}

const event = (row: Row) => ('event' in row ? row.event : undefined)!;

const columns: Column<Row>[] = [
  {
    title: 'Ago',
    width: '52px',
    cell: (row) => (
      <span className="text-text-2">
        <Time at={event(row).created_at} />
      </span>
    ),
  },
  {
    title: 'Number',
    width: '64px',
    wideOnly: true,
    cell: (row) => <span className="font-mono text-small">{event(row).event_id.toLocaleString()}</span>,
  },
  {
    title: 'Type',
    width: 'minmax(150px, 190px)',
    cell: (row) => (
      <span className="inline-flex min-w-0 items-center gap-3">
        <EventGlyph type={event(row).type} />
        <span className="truncate font-mono text-small">{event(row).type}</span>
      </span>
    ),
  },
  {
    title: 'Agent',
    width: 'minmax(90px, 140px)',
    cell: (row) => event(row).actor_agent_id && <AgentName id={event(row).actor_agent_id!} />,
  },
  {
    title: 'What',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: (row) => <span className="text-text-2">{eventWords(event(row))}</span>,
  },
  {
    title: 'Trace',
    width: '110px',
    wideOnly: true,
    align: 'right',
    cell: (row) => {
      const trace = event(row).trace_id;
      return (
        trace && (
          <button
            type="button"
            tabIndex={-1}
            title={`Follow ${trace}`}
            className="font-mono text-small text-text-2 hover:text-accent"
            onClick={(press) => {
              press.stopPropagation();
              setParams({ trace }, 'push');
            }}
          >
            {shortId(trace)}
          </button>
        )
      );
    },
  },
];

function Hole({ from, to }: { from: number; to: number }) {
  const count = to - from + 1;
  return (
    <span className="flex items-center justify-between gap-3 text-text-2">
      <span className="truncate">
        <strong className="font-strong text-text">
          {count === 1 ? 'One event is missing here.' : `${count.toLocaleString()} events are missing here.`}
        </strong>{' '}
        Retention removed #{from.toLocaleString()}
        {count > 1 && ` to #${to.toLocaleString()}`}.
      </span>
      <button type="button" tabIndex={-1} className="shrink-0 text-accent" onClick={() => go('/settings', { at: 'retention' })}>
        Change retention
      </button>
    </span>
  );
}
