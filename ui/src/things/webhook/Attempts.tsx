import { RotateCw } from 'lucide-react';
import { again, usePages } from '@/api/query';
import { inspect } from '@/app/address';
import { Button, IconButton } from '@/look/Button';
import { LookGlyph, MailGlyph } from '@/look/Glyph';
import { Section, Thread } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { type Attempt, answerWords } from './words';

/** What was sent and what came back, the newest first. The hub keeps the last hundred. */
export function Attempts({ id }: { id: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePages(
    'webhook_attempts',
    { webhook_id: id, limit: 20 },
    { fresh: true },
  );
  const attempts = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="Attempts"
      aside={
        <IconButton label="Read again" className="-my-2 size-7" onClick={() => void again('webhook_attempts')}>
          <RotateCw size={14} />
        </IconButton>
      }
    >
      <Problem error={error} onRetry={refetch} />
      {data && attempts.length === 0 && (
        <p className="text-text-2">None yet. What matches is sent from now on; a test goes at once.</p>
      )}
      <Thread knots={attempts.map(knot)} />
      {hasNextPage && (
        <Button look="quiet" className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </Section>
  );
}

function knot(attempt: Attempt) {
  const event = attempt.event_id;
  return {
    key: attempt.attempt_id,
    glyph: attempt.error ? <LookGlyph tone="bad" /> : <MailGlyph lane="read" />,
    what: (
      <>
        {event === null ? (
          attempt.event_type
        ) : (
          <button type="button" className="text-left hover:text-accent" onClick={() => inspect('event', String(event))}>
            {attempt.event_type}
          </button>
        )}
        {attempt.attempt > 1 && <span className="text-text-3"> attempt {attempt.attempt}</span>}
      </>
    ),
    why: <span className={`wrap-anywhere ${attempt.error ? 'text-bad' : ''}`}>{answerWords(attempt)}</span>,
    when: <Time at={attempt.created_at} />,
  };
}
