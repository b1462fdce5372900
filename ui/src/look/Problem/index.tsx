import { HubError } from '@/api/call';
import { Button } from '../Button';
import { LookGlyph } from '../Glyph';

/** What went wrong: what happened, and what to do. */
export function Problem({ error, onRetry }: { error: Error | null | undefined; onRetry?: () => void }) {
  if (!error) return null;
  return (
    <div role="alert" className="flex items-start gap-2 rounded bg-bad-wash px-3 py-2 text-bad">
      <LookGlyph tone="bad" />
      <p className="min-w-0 flex-1 break-words">
        {error.message} {error instanceof HubError && <code className="text-small">{error.code}</code>}
      </p>
      {onRetry && (
        <Button look="plain" onClick={onRetry} className="h-6 max-wide:h-8">
          Try again
        </Button>
      )}
    </div>
  );
}
