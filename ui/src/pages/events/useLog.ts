// The log on this page: pages read backwards from where the page was opened, and what has arrived since.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '@/api/call';
import { type LogEvent, useLive } from '@/api/live';
import { type Conditions, fits, isNarrowed, rowsOf } from './rows';

const page = 500;

/** The log, newest first. `following` lets what arrives in; otherwise it waits and is counted. */
export function useLog(wanted: Conditions, workspace: string, until: string, following: boolean) {
  const filter = useMemo(
    () => ({
      workspace: workspace || undefined,
      type: wanted.type.join(',') || undefined,
      agent: wanted.agent[0],
      stream: wanted.stream[0],
      trace: wanted.trace[0],
    }),
    [wanted, workspace],
  );
  const started = useLive((live) => live.start > 0 || live.state === 'live');
  const last = useLive((live) => live.last);
  const arrived = useLive((live) => live.events);
  const anchor = useAnchor(JSON.stringify([filter, until]), arrived, following);

  const read = useInfiniteQuery({
    queryKey: ['log', filter, anchor, until], // no event makes what was read of the log old
    queryFn: ({ pageParam, signal }) =>
      call(
        'observe_events',
        { ...filter, limit: page, ...(pageParam ? { before: pageParam } : until ? { until } : { before: anchor + 1 }) },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (answer) => (answer.has_more ? answer.next_cursor : undefined),
    enabled: started || !!until,
  });

  // What waits is let in all at once, when the reader comes back to the top or says so.
  const [shownTo, setShownTo] = useState(last);
  useEffect(() => {
    if (following) setShownTo(last);
  }, [following, last]);

  const fresh = useMemo(
    () => (until ? [] : arrived.filter((event) => event.event_id > anchor && fits(event, wanted, workspace))),
    [arrived, anchor, wanted, workspace, until],
  );
  const shown = useMemo(() => fresh.filter((event) => event.event_id <= shownTo), [fresh, shownTo]);
  const whole = !isNarrowed(wanted, workspace);
  const rows = useMemo(() => {
    const older = (read.data?.pages ?? []).flatMap((answer) => answer.items).filter((event) => !wanted.not.includes(event.type));
    return rowsOf(shown, older, whole, !read.hasNextPage && !read.isPending);
  }, [read.data, shown, whole, read.hasNextPage, read.isPending, wanted]);

  return { rows, waiting: fresh.length - shown.length, read, catchUp: () => setShownTo(last) };
}

/** Where reading backwards begins. It moves only with the conditions, or when more has arrived than a page keeps. */
function useAnchor(conditions: string, arrived: LogEvent[], following: boolean): number {
  const last = useLive((live) => live.last);
  const kept = useRef({ conditions: '', anchor: 0 });
  const overtaken =
    arrived.length > 0 && arrived[0]!.event_id > kept.current.anchor + 1 && kept.current.anchor > 0 && arrived.length >= 5_000;
  if (kept.current.conditions !== conditions || kept.current.anchor === 0 || (overtaken && following))
    kept.current = { conditions, anchor: last };
  return kept.current.anchor;
}
