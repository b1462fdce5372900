import { Link } from 'wouter';
import type { Data } from '@/api/call';
import { useOp } from '@/api/query';
import { href, inspect, type Range, useRange } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { SmallBars } from '@/look/Chart';
import { Section } from '@/look/Lines';
import { Bar } from '@/look/Meter';
import { span } from '@/look/moment';
import { Problem } from '@/look/Problem';

type Window = '24h' | '7d' | '30d';

const words: Record<Window, string> = { '24h': 'last 24 hours', '7d': 'last 7 days', '30d': 'last 30 days' };

/** The hub analyses days, weeks and months: shorter ranges see their day. */
export function windowOf(range: Range): Window {
  return range === '7d' || range === '30d' ? range : '24h';
}

/** What happened in a workspace: how much, by whom, how fast. It follows the range of the top bar. */
export function Analytics({ workspace }: { workspace: string }) {
  const window = windowOf(useRange());
  const { data, error, refetch, isPlaceholderData } = useOp('observe_analytics', { workspace_id: workspace, window });
  if (error) {
    return (
      <Section title="Activity">
        <Problem error={error} onRetry={() => void refetch()} />
      </Section>
    );
  }
  if (!data) return null;
  return (
    <div className={`border-b ${isPlaceholderData ? 'refetching' : ''}`}>
      <Activity data={data} window={window} />
      <Section title="How long it takes until">
        <Spans data={data} />
      </Section>
      <Ranks title="Sent most" ranks={data.top_senders} />
      <Ranks title="Received most" ranks={data.top_recipients} />
    </div>
  );
}

type Analysed = Data<'observe_analytics'>;

const series = [
  ['messages', 'Messages', '/messages', {}],
  ['handoffs_created', 'Hand-offs opened', '/handoffs', {}],
  ['handoffs_completed', 'Completed', '/handoffs', { view: 'table', status: 'COMPLETED' }],
  ['sessions', 'Sessions opened', '/events', { type: 'session.opened' }],
] as const;

function Activity({ data, window }: { data: Analysed; window: Window }) {
  const ws = data.workspace_id;
  return (
    <Section title="Activity" aside={words[window]}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(130px,1fr))] gap-x-5 gap-y-4">
        {series.map(([name, title, path, params]) => (
          <Link key={name} href={href(path, { ws, ...params })} className="min-w-0 rounded-small hover:bg-hover">
            <SmallBars
              title={title}
              total={data.totals[name]}
              bars={data.buckets.map((bucket) => ({ at: bucket.at, value: bucket[name] }))}
            />
          </Link>
        ))}
      </div>
      <p className="mt-3 text-small text-text-2">
        <Link href={href('/events', { ws })} className="text-accent">
          {data.totals.events.toLocaleString()} {data.totals.events === 1 ? 'event' : 'events'} in the log
        </Link>
        {data.truncated && '; the oldest are not counted'}
      </p>
    </Section>
  );
}

/** How long something took, in words: fast things are not nothing. */
export function took(seconds: number | null): string {
  if (seconds === null) return '–';
  return seconds < 1 ? 'under 1 s' : span(seconds);
}

const spans = [
  ['time_to_read', 'mail is read'],
  ['time_to_complete', 'work is completed'],
] as const;

function Spans({ data }: { data: Analysed }) {
  return (
    <table className="w-full">
      <thead className="text-small text-text-3">
        <tr>
          <th className="text-left font-normal">
            <span className="sr-only">What</span>
          </th>
          <th className="whitespace-nowrap pl-3 text-right font-normal">half within</th>
          <th className="whitespace-nowrap pl-3 text-right font-normal">9 in 10 within</th>
        </tr>
      </thead>
      <tbody>
        {spans.map(([name, word]) => (
          <tr key={name} title={`of ${data[name].count.toLocaleString()}`}>
            <th scope="row" className="py-0.5 text-left font-normal text-text-2">
              {word}
            </th>
            <td className="whitespace-nowrap text-right font-strong">{took(data[name].median_seconds)}</td>
            <td className="whitespace-nowrap text-right">{took(data[name].p90_seconds)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Ranks({ title, ranks }: { title: string; ranks: Analysed['top_senders'] }) {
  if (ranks.length === 0) return null;
  const most = ranks[0]!.count;
  return (
    <Section title={title}>
      <ol className="flex flex-col gap-1">
        {ranks.map(({ agent_id: agent, count }) => (
          <li key={agent}>
            <button
              type="button"
              onClick={() => inspect('agent', agent)}
              className="grid min-h-7 w-full grid-cols-[minmax(0,120px)_1fr_auto] items-center gap-3 rounded-small text-left hover:bg-hover"
            >
              <AgentName id={agent} />
              <span className="-mt-1">
                <Bar part={count / most} tone="quiet" />
              </span>
              <span className="min-w-6 text-right">{count.toLocaleString()}</span>
            </button>
          </li>
        ))}
      </ol>
    </Section>
  );
}
