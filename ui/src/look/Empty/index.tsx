import type { ReactNode } from 'react';
import { Command } from '../Copy';

/** What will appear on an empty page, and the command that makes it appear. */
export function Empty({
  title,
  children,
  command,
  action,
}: {
  title: string;
  children?: ReactNode;
  command?: string;
  action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-[480px] flex-col items-center gap-3 px-6 py-16 text-center">
      <svg viewBox="0 0 48 48" className="size-10" aria-hidden="true">
        <path
          d="M24 6 42 24 24 42 6 24z"
          fill="none"
          stroke="var(--line-strong)"
          strokeWidth="1.5"
          strokeDasharray="3 3"
          strokeLinejoin="round"
        />
      </svg>
      <h2 className="font-strong">{title}</h2>
      {children && <div className="text-text-2">{children}</div>}
      {command && (
        <div className="w-full max-w-full">
          <Command text={command} />
        </div>
      )}
      {action}
    </div>
  );
}
