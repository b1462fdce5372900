import { useMutation } from '@tanstack/react-query';
import { useNeeds } from '@/api/attention';
import { call } from '@/api/call';
import { useMe } from '@/api/me';
import { useOp } from '@/api/query';
import { go, inspect } from '@/app/address';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { LookGlyph, MailGlyph, WorkGlyph } from '@/look/Glyph';
import { Problem } from '@/look/Problem';
import { rowKeys } from '@/look/rowKeys';
import { useNow } from '@/look/Time';
import { headline, oldestWait, type Row, rowsOf, timeWords } from './needs';

/** What needs a person, the most urgent first. */
export function Needs() {
  const { data, error, refetch } = useNeeds();
  const { data: me } = useMe();
  const { data: webhooks } = useOp('webhook_list', {}, { enabled: !!me?.is_admin });
  const now = useNow(true);
  const rows = rowsOf(data?.items ?? [], webhooks?.items ?? []);
  const oldest = oldestWait(rows, now);
  return (
    <section aria-labelledby="needs">
      <header className="mb-2 flex items-baseline gap-3">
        <h2 id="needs" className="font-strong text-title">
          {data ? headline(rows.length) : ' '}
        </h2>
        {oldest && <span className="text-text-2">oldest waits {oldest}</span>}
        <span className="flex-1" />
        {rows.length > 0 && (
          <span className="text-small text-text-3 max-wide:hidden">
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>↵</kbd> inspect
          </span>
        )}
      </header>
      <Problem error={error} onRetry={refetch} />
      {data && rows.length === 0 && (
        <p className="border-y py-4 text-text-2">No lease runs out, nothing is parked, nobody waits for an answer.</p>
      )}
      {rows.length > 0 && (
        <ul className="border-t" onKeyDown={rowKeys}>
          {rows.map((row, i) => (
            <NeedRow key={row.key} row={row} now={now} first={i === 0} />
          ))}
        </ul>
      )}
      {data?.truncated && <p className="pt-2 text-text-2">There is more; these are the most urgent.</p>}
    </section>
  );
}

function NeedRow({ row, now, first }: { row: Row; now: number; first: boolean }) {
  const act = useNeedAction(row);
  return (
    <li className="relative border-line-soft border-b hover:bg-hover">
      <div className="flex min-h-10 items-center gap-3 px-3 py-1 max-wide:flex-wrap max-wide:px-0">
        <button
          type="button"
          data-row
          onClick={() => inspectRow(row)}
          className="flex min-w-0 flex-1 items-center gap-3 self-stretch text-left outline-offset-[-2px] max-wide:basis-full"
        >
          <NeedGlyph row={row} />
          <span className="min-w-0 truncate">
            <strong className="mr-2 font-strong">{row.word}</strong>
            {row.title}
          </span>
        </button>
        <span className="w-36 shrink-0 truncate max-wide:w-auto max-wide:pl-7">{row.agent && <AgentName id={row.agent} />}</span>
        <span className={`w-32 shrink-0 max-wide:w-auto max-wide:flex-1 ${row.until ? 'text-warn' : 'text-text-2'}`}>
          {timeWords(row, now)}
        </span>
        <Button
          look={first ? 'primary' : 'plain'}
          busy={act.isPending}
          onClick={() => act.mutate()}
          className="w-24"
          aria-label={`${verbOf(row)}: ${row.title}`}
        >
          {verbOf(row)}
        </Button>
      </div>
      {act.error && (
        <div className="pb-2">
          <Problem error={act.error} />
        </div>
      )}
    </li>
  );
}

function NeedGlyph({ row }: { row: Row }) {
  switch (row.kind) {
    case 'lease_lapsing':
      return <WorkGlyph status="CLAIMED" />;
    case 'verify':
      return <WorkGlyph status="VERIFYING" />;
    case 'handoff_waiting':
      return <WorkGlyph status="OPEN" />;
    case 'mail_unread':
      return <MailGlyph lane="sent" />;
    default:
      return <LookGlyph tone={row.kind === 'webhook_failing' ? 'bad' : 'warn'} />;
  }
}

const verbs: Record<string, string> = {
  verify: 'Verify',
  handoff_parked: 'Requeue',
  mail_parked: 'Requeue',
  mail_unread: 'Answer',
};

const verbOf = (row: Row) => verbs[row.kind] ?? 'Inspect';

function inspectRow({ need, webhook }: Row) {
  if (webhook) inspect('webhook', webhook.webhook_id);
  else if (need?.handoff_id) inspect('handoff', need.handoff_id);
  else if (need?.message_id) inspect('message', need.message_id);
  else if (need?.agent_id) inspect('agent', need.agent_id);
}

/** The next step of a row: done at once where one call settles it, else shown. */
function useNeedAction(row: Row) {
  const { need } = row;
  return useMutation({
    mutationFn: async () => {
      if (row.kind === 'handoff_parked' && need?.workspace_id && need.handoff_id) {
        await call('handoff_requeue', { project_root: need.workspace_id, handoff_id: need.handoff_id, agent_id: 'operator' });
      } else if (row.kind === 'mail_parked' && need?.agent_id) {
        const parked = await call('observe_messages', { to_agent: need.agent_id, lane: 'parked', page_size: 200 });
        await call('inbox_requeue', { agent_id: need.agent_id, message_ids: parked.items.map((message) => message.message_id) });
      } else if (row.kind === 'mail_unread' && need?.agent_id) {
        go('/conversations', { peer: need.agent_id });
      } else inspectRow(row);
    },
  });
}
