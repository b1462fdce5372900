import type { ReactNode } from 'react';
import { setParams, useParam, useRange } from '@/app/address';
import { PresenceMark } from '@/look/Avatar';
import { WorkGlyph } from '@/look/Glyph';
import { countEntries, type Entry, formatHidden, parseHidden, toggled } from '../filter';
import { type Mesh, quietUpTo } from '../mesh';

const numbers = new Intl.NumberFormat();

/** What is struck out of the mesh, and how to change that. */
export function useHidden(): [Set<Entry>, (entry: Entry) => void] {
  const [text, set] = useParam('hide');
  const hidden = parseHidden(text);
  return [hidden, (entry) => set(formatHidden(toggled(hidden, entry)))];
}

const mark = { viewBox: '0 0 16 16', className: 'size-4 shrink-0', 'aria-hidden': true, fill: 'none' } as const;

const marks: Record<Entry, ReactNode> = {
  present: <PresenceMark presence="present" className="mx-1 size-2" />,
  stale: <PresenceMark presence="stale" className="mx-1 size-2" />,
  offline: <PresenceMark presence="offline" className="mx-1 size-2" />,
  agent: (
    <svg {...mark}>
      <rect x="3" y="3" width="10" height="10" rx="2.5" stroke="var(--text-2)" strokeWidth="1.5" />
    </svg>
  ),
  person: (
    <svg {...mark}>
      <circle cx="8" cy="8" r="5.2" stroke="var(--text-2)" strokeWidth="1.5" />
    </svg>
  ),
  messages: (
    <svg {...mark}>
      <path d="M1 5h14" stroke="var(--line-strong)" strokeWidth="1" />
      <path d="M1 10h14" stroke="var(--line-strong)" strokeWidth="4" />
    </svg>
  ),
  mail: (
    <svg {...mark}>
      <rect x="1.8" y="3.5" width="12.4" height="9" rx="1.5" stroke="var(--info-mark)" strokeWidth="1.4" />
      <path d="m2.4 4.6 5.6 4 5.6-4" stroke="var(--info-mark)" strokeWidth="1.4" />
    </svg>
  ),
  quiet: (
    <svg {...mark}>
      <path d="M3 8h10" stroke="var(--line-strong)" strokeWidth="1" />
    </svg>
  ),
  open: <WorkGlyph status="OPEN" />,
  claimed: <WorkGlyph status="CLAIMED" />,
  verifying: <WorkGlyph status="VERIFYING" />,
};

const groups: Entry[][] = [
  ['present', 'stale', 'offline'],
  ['agent', 'person'],
  ['messages', 'mail', 'quiet'],
  ['open', 'claimed', 'verifying'],
];

const words: Record<Entry, string> = {
  present: 'Present',
  stale: 'Stale',
  offline: 'Offline',
  agent: 'Agent',
  person: 'Person',
  messages: 'Messages',
  mail: 'Mail in flight',
  quiet: 'Quiet pairs',
  open: 'Hand-off open',
  claimed: 'Claimed',
  verifying: 'Verifying',
};

/** What the marks mean and how much there is of each. A press strikes one out, or brings it back. */
export function Legend({ mesh }: { mesh: Mesh }) {
  const [hidden, toggle] = useHidden();
  const range = useRange();
  const counts = countEntries(mesh);
  return (
    <fieldset
      aria-label="Legend and filter"
      className="inline-flex min-w-0 max-w-full overflow-x-auto rounded bg-raised py-2 shadow-float"
    >
      {groups.map((group) => (
        <div key={group[0]} className="flex shrink-0 flex-col border-l px-1.5 first:border-l-0">
          {group.map((entry) => (
            <Row
              key={entry}
              entry={entry}
              word={entry === 'messages' ? `${words.messages}, ${range.replace(/(\d)(\D)/, '$1 $2')}` : words[entry]}
              count={counts[entry]}
              isHidden={hidden.has(entry)}
              onToggle={() => toggle(entry)}
            />
          ))}
          {group[0] === 'agent' && hidden.size > 0 && (
            <button
              type="button"
              onClick={() => setParams({ hide: undefined })}
              className="h-6 rounded-small pr-2 pl-8 text-left text-accent hover:bg-hover"
            >
              Clear filter
            </button>
          )}
        </div>
      ))}
    </fieldset>
  );
}

function Row({
  entry,
  word,
  count,
  isHidden,
  onToggle,
}: {
  entry: Entry;
  word: string;
  count: number;
  isHidden: boolean;
  onToggle: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={!isHidden}
      onClick={onToggle}
      title={
        entry === 'quiet'
          ? `Pairs that wrote ${quietUpTo} messages or fewer, and have none in flight`
          : `${isHidden ? 'Show' : 'Hide'} ${word.toLowerCase()}`
      }
      className={`flex h-6 items-center gap-2 rounded-small px-2 text-left hover:bg-hover ${isHidden ? 'text-text-3' : ''}`}
    >
      <span className={isHidden ? 'opacity-50' : ''}>{marks[entry]}</span>
      <span className={`flex-1 whitespace-nowrap ${isHidden ? 'line-through' : ''}`}>{word}</span>
      <span className="min-w-6 pl-2 text-right text-text-2">{numbers.format(count)}</span>
    </button>
  );
}
