// What the tables of hand-offs and of tasks have in common.

import { Empty } from '@/look/Empty';
import { Problem } from '@/look/Problem';

/** A title: on a phone, where the other columns are gone, it takes two lines. */
export function Wrapped({ text }: { text: string }) {
  return <span className="max-wide:line-clamp-2 max-wide:whitespace-normal">{text}</span>;
}

export function TableProblem({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className="px-6 py-4">
      <Problem error={error} onRetry={onRetry} />
    </div>
  );
}

/** Nothing of what was read fits the filter. */
export function NoneFit({ more, onMore }: { more: boolean; onMore: () => void }) {
  return (
    <Empty
      title="Nothing fits"
      action={
        more && (
          <button type="button" onClick={onMore} className="text-accent underline underline-offset-2">
            Look further back
          </button>
        )
      }
    >
      Take a filter away, or type fewer words.
    </Empty>
  );
}
