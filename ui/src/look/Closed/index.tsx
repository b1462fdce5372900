import { Lock } from 'lucide-react';
import { HubError } from '@/api/call';
import { Problem } from '../Problem';

const closed = ['PERMISSION_DENIED', 'NOT_OWNER'];

/** Whether the hub refused because of who asks. */
export const isClosed = (error: unknown) => error instanceof HubError && closed.includes(error.code);

/** Something that is not for whoever looks: why, and what would open it. */
export function Closed({ what }: { what: string }) {
  return (
    <p className="flex items-start gap-2 rounded bg-info-wash px-3 py-2">
      <Lock size={14} className="mt-[3px] shrink-0 text-info" aria-hidden="true" />
      <span>
        {what} is for whoever runs the hub. The key you came with lacks the scope <code className="text-small">admin</code>; sign
        in with one that has it, or with the operator’s own.
      </span>
    </p>
  );
}

/** What went wrong, and kindly where it is only a matter of who asks. */
export function Refused({ error, what, onRetry }: { error: Error | null | undefined; what: string; onRetry?: () => void }) {
  return isClosed(error) ? <Closed what={what} /> : <Problem error={error} onRetry={onRetry} />;
}
