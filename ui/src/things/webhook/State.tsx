import { useOp } from '@/api/query';
import { LookGlyph } from '@/look/Glyph';
import { span } from '@/look/moment';
import { Time, useNow } from '@/look/Time';
import { failingSince, stateOf, stateWord, type Webhook } from './words';

/** How a webhook stands, and where it fails since when and until when it waits. */
export function State({ webhook, brief }: { webhook: Webhook; brief?: boolean }) {
  const state = stateOf(webhook);
  const isBad = state === 'failing' || state === 'off';
  return (
    <span className={`inline-flex min-w-0 items-center gap-2 ${isBad ? 'text-bad' : ''}`}>
      {isBad ? <LookGlyph tone="bad" /> : <Dot hollow={state === 'paused'} />}
      <span className="truncate">
        {stateWord(state)}
        {state === 'failing' && <Failing webhook={webhook} brief={brief} />}
      </span>
    </span>
  );
}

function Dot({ hollow }: { hollow: boolean }) {
  return (
    <svg viewBox="0 0 10 10" className="block size-2.5 shrink-0" aria-hidden="true">
      {hollow ? (
        <circle cx="5" cy="5" r="3.8" fill="none" stroke="var(--line-strong)" strokeWidth="1.6" />
      ) : (
        <circle cx="5" cy="5" r="4.5" fill="var(--ok-mark)" />
      )}
    </svg>
  );
}

function Failing({ webhook, brief }: { webhook: Webhook; brief?: boolean }) {
  const { data } = useOp('webhook_attempts', { webhook_id: webhook.webhook_id, limit: 100 }, { fresh: true });
  const since = failingSince(data?.items ?? []);
  const now = useNow();
  const wait = (Date.parse(webhook.due_at) - now) / 1000;
  return (
    <>
      {since && (
        <>
          {' '}
          for <Time at={since} />
        </>
      )}
      {!brief && `, ${webhook.failures} in a row`}
      <span className={brief ? 'max-wide:hidden' : ''}>{wait > 0 ? `, next try in ${span(wait)}` : ', trying now'}</span>
    </>
  );
}
