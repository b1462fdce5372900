import { Link } from 'wouter';
import { useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { href, inspect, ranges, useRange, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { AgentName, Avatar, presenceWord } from '@/look/Avatar';
import { SmallBars } from '@/look/Chart';
import { Empty } from '@/look/Empty';
import { EventGlyph } from '@/look/Glyph';
import { secondsSince, span } from '@/look/moment';
import { rowKeys } from '@/look/rowKeys';
import { Time, useNow } from '@/look/Time';
import { eventWords } from '@/things/event/words';
import { Needs } from './Needs';

export default function Overview() {
  useViewCommand('observe_attention', { workspace: useWorkspace() });
  return (
    <div className="h-full overflow-y-auto px-6 py-5 max-wide:px-4">
      <div className="mx-auto flex max-w-[1400px] flex-col gap-7">
        <Needs />
        <Presence />
        <Activity />
        <Latest />
      </div>
    </div>
  );
}

const most = 28;

function Presence() {
  const workspace = useWorkspace();
  const { data } = useOp('observe_graph', { workspace: workspace || undefined, window_hours: ranges[useRange()] });
  const now = useNow();
  const order = ['present', 'stale', 'offline'];
  const nodes = (data?.nodes ?? [])
    .filter((node) => node.is_active && node.agent_id !== 'operator')
    .sort(
      (a, b) =>
        order.indexOf(a.presence) - order.indexOf(b.presence) || (b.last_seen_at ?? '').localeCompare(a.last_seen_at ?? ''),
    );
  const counts = order.map((presence) => [presence, nodes.filter((node) => node.presence === presence).length] as const);
  if (data && nodes.length === 0) {
    return (
      <Empty title="No agents yet" command="nexus connect">
        Agents appear here when they first call. This lists the hosts that Nexus can connect, with what to run for each:
      </Empty>
    );
  }
  return (
    <section aria-labelledby="presence">
      <header className="mb-2 flex items-baseline gap-3">
        <h2 id="presence" className="font-strong">
          Presence
        </h2>
        <span className="text-text-2">
          {counts
            .filter(([, count]) => count > 0)
            .map(([presence, count]) => `${count} ${presenceWord(presence).toLowerCase()}`)
            .join(' · ')}
        </span>
        <span className="flex-1" />
        <Link href={href('/agents')} className="text-text-2 hover:text-accent">
          All agents
        </Link>
      </header>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(96px,1fr))] gap-x-3 gap-y-4" onKeyDown={rowKeys}>
        {nodes.slice(0, most).map((node) => (
          <li key={node.agent_id}>
            <button
              type="button"
              data-row
              onClick={() => inspect('agent', node.agent_id)}
              className="flex w-full min-w-0 flex-col items-start gap-1 rounded-small p-1 text-left hover:bg-hover"
            >
              <Avatar id={node.agent_id} presence={node.presence} size="large" />
              <span className="max-w-full truncate">{node.agent_id}</span>
              <span className="max-w-full truncate text-small text-text-2">{standing(node, now)}</span>
            </button>
          </li>
        ))}
      </ul>
      {nodes.length > most && (
        <Link href={href('/agents')} className="mt-2 inline-block text-accent">
          {nodes.length - most} more
        </Link>
      )}
    </section>
  );
}

type Node = { presence: string; last_seen_at: string | null; inbox: { unread: number; delivered: number } };

/** What an agent is at, in two words. */
function standing(node: Node, now: number): string {
  if (node.presence === 'offline') return node.last_seen_at ? `gone ${span(secondsSince(node.last_seen_at, now))}` : 'never seen';
  if (node.presence === 'stale') return `silent ${span(secondsSince(node.last_seen_at ?? '', now))}`;
  if (node.inbox.delivered > 0) return `reading ${node.inbox.delivered}`;
  if (node.inbox.unread > 0) return `${node.inbox.unread} waiting`;
  return 'here';
}

const series = [
  ['messages', 'Messages', '/messages'],
  ['read', 'Read', '/messages'],
  ['handoffs_created', 'Hand-offs opened', '/handoffs'],
  ['claims', 'Claims', '/events'],
  ['completed', 'Completed', '/handoffs'],
  ['failures', 'Failures', '/events'],
] as const;

function Activity() {
  const workspace = useWorkspace();
  const range = useRange();
  const { data } = useOp('observe_activity', { workspace: workspace || undefined, window_hours: ranges[range], buckets: 24 });
  if (!data) return null;
  return (
    <section aria-labelledby="activity">
      <header className="mb-2 flex items-baseline gap-3">
        <h2 id="activity" className="font-strong">
          Activity
        </h2>
        <span className="text-text-2">
          per {span(data.bucket_seconds)}, last {range.replace(/(\d)(\D)/, '$1 $2')}
          {data.truncated && ', the oldest not counted'}
        </span>
      </header>
      <div className="grid grid-cols-6 gap-6 max-full:grid-cols-3 max-wide:grid-cols-2">
        {series.map(([name, title, path]) => (
          <Link key={name} href={href(path)} className="rounded-small hover:bg-hover">
            <SmallBars
              title={title}
              tone={name === 'failures' ? 'bad' : 'quiet'}
              total={data.totals[name]}
              bars={data.buckets.map((bucket) => ({ at: bucket.at, value: bucket[name] }))}
            />
          </Link>
        ))}
      </div>
    </section>
  );
}

const newest = 8;

function Latest() {
  const workspace = useWorkspace();
  const start = useLive((live) => live.start);
  const arrived = useLive((live) => live.events);
  const { data } = useOp(
    'observe_events',
    { before: start + 1, limit: newest, workspace: workspace || undefined },
    { enabled: start > 0 },
  );
  const fresh = arrived.filter((event) => !workspace || event.workspace_id === workspace);
  const events = [...fresh.slice(-newest).reverse(), ...(data?.items ?? [])].slice(0, newest);
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="latest">
      <header className="mb-2 flex items-baseline justify-between">
        <h2 id="latest" className="font-strong">
          Latest events
        </h2>
        <Link href={href('/events')} className="text-text-2 hover:text-accent">
          Open the log
        </Link>
      </header>
      <ul className="border-t" onKeyDown={rowKeys}>
        {events.map((event) => (
          <li key={event.event_id} className={fresh.includes(event) ? 'fresh' : ''}>
            <button
              type="button"
              data-row
              onClick={() => inspect('event', String(event.event_id))}
              className="flex min-h-8 w-full items-center gap-3 border-line-soft border-b px-3 text-left outline-offset-[-2px] hover:bg-hover max-wide:min-h-11 max-wide:px-0"
            >
              <EventGlyph type={event.type} />
              <span className="w-40 shrink-0 truncate font-mono text-small max-wide:w-36">{event.type}</span>
              <span className="w-28 shrink-0 truncate">{event.actor_agent_id && <AgentName id={event.actor_agent_id} />}</span>
              <span className="min-w-0 flex-1 truncate text-text-2 max-wide:hidden">{eventWords(event)}</span>
              <span className="ml-auto text-small text-text-3">
                <Time at={event.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
