import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { Button } from '@/look/Button';
import { WorkGlyph } from '@/look/Glyph';
import { handoffTitle } from '../title';
import type { Notice } from './words';

/** The piece of work that a notice of the hub tells of, as it is now. */
export function WorkCard({ notice }: { notice: Notice }) {
  const { data } = useOp('observe_handoff', { handoff_id: notice.handoff });
  const known = data?.handoff_id === notice.handoff ? data : undefined;
  const title = handoffTitle({ handoff_id: notice.handoff, payload: known?.payload ?? notice.payload });
  const status = known?.status ?? notice.status ?? 'OPEN';
  const waits = notice.kind === 'verify' && status === 'VERIFYING';
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <WorkGlyph status={status} />
      <div className="min-w-0 flex-1">
        <p className="line-clamp-2 break-words font-strong">{title}</p>
        <p className="line-clamp-2 break-words text-text-2">
          {notice.words}
          {notice.why ? ` · ${notice.why.split('\n', 1)[0]}` : ''}
        </p>
      </div>
      <Button
        className="max-wide:h-9"
        onClick={(event) => {
          event.stopPropagation();
          inspect('handoff', notice.handoff);
        }}
      >
        {waits ? 'Verify' : 'Open'}
      </Button>
    </div>
  );
}
