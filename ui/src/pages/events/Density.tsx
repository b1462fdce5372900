import { useOp } from '@/api/query';
import { type Range, ranges, setParams, useWorkspace } from '@/app/address';
import { clockTime, exact } from '@/look/moment';
import type { Conditions } from './rows';

const parts = 120;

/** How much happened over the range. A click reads the log from there. */
export function Density({ range, wanted, until }: { range: Range; wanted: Conditions; until: string }) {
  const workspace = useWorkspace();
  const { data } = useOp('observe_activity', {
    workspace: workspace || undefined,
    window_hours: ranges[range],
    buckets: range === '1h' ? 60 : parts,
    type: wanted.type.join(',') || undefined,
    agent: wanted.agent[0],
  });
  const buckets = data?.buckets ?? [];
  const most = Math.max(1, ...buckets.map((bucket) => bucket.events));
  const step = (data?.bucket_seconds ?? 0) * 1000;
  const cut = until ? Date.parse(until) : Number.POSITIVE_INFINITY;

  function jump(index: number) {
    const bucket = buckets[index];
    if (bucket) setParams({ until: new Date(Date.parse(bucket.at) + step).toISOString() }, 'push');
  }

  return (
    <div className="shrink-0 px-6 pt-3 max-wide:hidden">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Jump to time does the same with the keyboard */}
      <svg
        viewBox={`0 0 ${Math.max(1, buckets.length) * 4} 40`}
        preserveAspectRatio="none"
        className="h-10 w-full cursor-pointer border-b"
        role="img"
        aria-label={`Events over the range: ${data?.totals.events.toLocaleString() ?? 0}`}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          jump(Math.floor(((event.clientX - box.left) / box.width) * buckets.length));
        }}
      >
        {buckets.map((bucket, i) => {
          const height = bucket.events === 0 ? 0 : Math.max(1.5, (bucket.events / most) * 40);
          return (
            <rect
              key={bucket.at}
              x={i * 4 + 0.4}
              width={3.2}
              y={40 - height}
              height={height}
              fill={Date.parse(bucket.at) < cut ? 'var(--line-strong)' : 'var(--line)'}
            >
              <title>{`${exact(bucket.at)}: ${bucket.events.toLocaleString()}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="mt-0.5 flex justify-between text-meta text-text-3" aria-hidden="true">
        {[0, 1, 2, 3].map((quarter) => {
          const at = buckets[Math.floor((quarter * buckets.length) / 4)]?.at;
          return <span key={quarter}>{at && clockTime(at)}</span>;
        })}
        <span>now</span>
      </div>
    </div>
  );
}
