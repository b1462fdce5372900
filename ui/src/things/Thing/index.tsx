import { Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { asCommand, HubError } from '@/api/call';
import { InspectorHead } from '@/app/Inspector';
import { CopyButton, Id } from '@/look/Copy';
import { Empty } from '@/look/Empty';
import { RawJson } from '@/look/Json';
import { Problem } from '@/look/Problem';

type Props = {
  /** What kind of thing: Hand-off, Agent, … */
  kind: string;
  id: string;
  /** What the hub answered; nothing while it is on its way. */
  data: unknown;
  error?: Error | null;
  onRetry?: () => void;
  title: ReactNode;
  subtitle?: ReactNode;
  avatar?: ReactNode;
  /** The call that shows the same on a terminal. */
  command?: [name: string, input: object];
  /** Buttons in the head. */
  tools?: ReactNode;
  /** State, who, next actions, evidence, history: in this order, as Sections. */
  children: ReactNode;
};

/** The layout of every inspector: what it is, state and since when, who, what next, evidence, history, raw JSON, copy as command. */
export function Thing({ kind, id, data, error, onRetry, title, subtitle, avatar, command, tools, children }: Props) {
  return (
    <>
      <InspectorHead kind={kind} id={<Id id={id} />}>
        {tools}
      </InspectorHead>
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        {data === undefined ? (
          <Missing kind={kind} error={error} onRetry={onRetry} />
        ) : (
          <>
            <div className="flex items-start gap-3 border-b px-5 py-4">
              {avatar}
              <div className="min-w-0">
                <h2 className="break-words font-strong text-title">{title}</h2>
                {subtitle && <p className="text-text-2">{subtitle}</p>}
              </div>
            </div>
            {children}
          </>
        )}
      </div>
      {data !== undefined && (
        <footer className="flex shrink-0 items-start justify-between gap-2 border-t px-5 py-2">
          <div className="min-w-0 flex-1">
            <RawJson value={data} />
          </div>
          {command && (
            <span className="flex items-center gap-1 text-text-2">
              <Terminal size={14} aria-hidden="true" />
              <CopyButton text={asCommand(...command)} label="Copy as command" words />
            </span>
          )}
        </footer>
      )}
    </>
  );
}

function Missing({ kind, error, onRetry }: { kind: string; error?: Error | null; onRetry?: () => void }) {
  if (!error) return <p className="p-5 text-text-3">Loading…</p>;
  if (error instanceof HubError && error.status === 404)
    return <Empty title={`${kind} not found`}>It was deleted, or retention has removed it.</Empty>;
  return (
    <div className="p-5">
      <Problem error={error} onRetry={onRetry} />
    </div>
  );
}
