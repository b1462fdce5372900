import { clockTime } from '../moment';

export type Bar = { at: string; value: number };

const numbers = new Intl.NumberFormat();

/** A small chart: grey bars, the running one dark; failures are red. Its numbers are also words, for those who do not see it. */
export function SmallBars({
  title,
  bars,
  tone = 'quiet',
  total,
}: {
  title: string;
  bars: Bar[];
  tone?: 'quiet' | 'bad';
  total?: number;
}) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const sum = total ?? bars.reduce((all, bar) => all + bar.value, 0);
  const middle = bars[Math.floor(bars.length / 2)];
  return (
    <figure className="@container min-w-0">
      <figcaption className="flex items-baseline justify-between gap-2">
        <span className="truncate text-text-2">{title}</span>
        <span className="font-strong">{numbers.format(sum)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length * 4} 40`}
        preserveAspectRatio="none"
        className="mt-1 h-10 w-full border-b"
        role="img"
        aria-label={`${title}: ${numbers.format(sum)}, most in one part ${numbers.format(most)}`}
      >
        {bars.map((bar, i) => {
          const height = bar.value === 0 ? 0 : Math.max(1.5, (bar.value / most) * 40);
          const fill = tone === 'bad' ? 'var(--bad-mark)' : i === bars.length - 1 ? 'var(--text)' : 'var(--line-strong)';
          return (
            <rect key={bar.at} x={i * 4 + 0.4} width={3.2} y={40 - height} height={height} fill={fill}>
              <title>{`${clockTime(bar.at)}: ${numbers.format(bar.value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="mt-0.5 flex justify-between gap-2 whitespace-nowrap text-meta text-text-3" aria-hidden="true">
        <span>{bars[0] && clockTime(bars[0].at)}</span>
        <span className="hidden @[200px]:inline">{middle && clockTime(middle.at)}</span>
        <span>now</span>
      </div>
    </figure>
  );
}
