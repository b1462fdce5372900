import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { inspect, useSeenId } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Command } from '@/look/Copy';
import { type Column, Grid } from '@/look/Grid';
import { State } from '@/things/webhook/State';
import { CreateWebhook } from '@/things/webhook/WebhookForm';
import { type Webhook, webhookName } from '@/things/webhook/words';

const columns: Column<Webhook>[] = [
  {
    title: 'Webhook',
    width: 'minmax(110px,1fr)',
    cell: (row) => <span title={row.url}>{webhookName(row)}</span>,
  },
  {
    title: 'Events',
    width: 'minmax(100px,1fr)',
    cell: (row) => <code className="text-small text-text-2">{row.events.join(', ')}</code>,
    wideOnly: true,
  },
  { title: 'State', width: 'minmax(120px,1.2fr)', cell: (row) => <State webhook={row} brief /> },
];

const most = 8;
const what = 'The list of webhooks';

/** The webhooks, and a new one. */
export function Webhooks({ q }: { q: string }) {
  const mayAdminister = useMayAdminister();
  const { data, error, refetch } = useOp('webhook_list', {}, { fresh: true, enabled: mayAdminister });
  const seen = useSeenId('webhook');
  const [creates, setCreates] = useState(false);
  useShortcuts(useMemo(() => [{ keys: 'c', does: 'Create webhook', group: 'Actions', run: () => setCreates(true) }], []));
  const asked = q.toLowerCase();
  const all = data?.items ?? [];
  const found = all.filter((row) => `${row.name} ${row.url} ${row.events.join(' ')}`.toLowerCase().includes(asked));
  const rows = found.length > 0 ? found : all;
  if (error || !mayAdminister) {
    return (
      <div className="mt-3">
        {mayAdminister ? <Refused error={error} what={what} onRetry={refetch} /> : <Closed what={what} />}
      </div>
    );
  }
  return (
    <div className="mt-3 flex flex-col gap-3">
      {rows.length > 0 ? (
        <div className="-ml-6 max-wide:-mx-4" style={{ height: Math.min(rows.length, most) * 44 + 33 }}>
          <Grid
            label="Webhooks"
            rows={rows}
            columns={columns}
            keyOf={(row) => row.webhook_id}
            rowHeight={44}
            selected={seen}
            onOpen={(row) => inspect('webhook', row.webhook_id)}
          />
        </div>
      ) : (
        data && (
          <div className="flex max-w-[560px] flex-col gap-2">
            <p>None yet. Each shows here with how it stands and what was answered.</p>
            <Command text={`nexus call webhook_create url=https://example.com/hooks/nexus 'events=["handoff.*"]'`} />
          </div>
        )
      )}
      <Button className="self-start" icon={<Plus size={14} aria-hidden="true" />} onClick={() => setCreates(true)}>
        Create webhook
      </Button>
      {creates && <CreateWebhook onClose={() => setCreates(false)} />}
    </div>
  );
}
