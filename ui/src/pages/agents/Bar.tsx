import type { ReactNode } from 'react';

/** The row under the top bar: views and filter on the left, counts and actions on the right. */
export function Bar({ tabs, children, aside }: { tabs: ReactNode; children?: ReactNode; aside?: ReactNode }) {
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 px-6 py-3 max-wide:px-4">
      <div className="max-wide:w-full">{tabs}</div>
      {children}
      {aside && <div className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2">{aside}</div>}
    </div>
  );
}
