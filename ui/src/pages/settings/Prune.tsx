import { useState } from 'react';
import type { Data } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { Refused } from '@/look/Closed';

const tables = { events: 'events', message_deliveries: 'deliveries that were read', sessions: 'closed sessions' } as const;

const number = new Intl.NumberFormat();

/** What of each kind goes, in words; only what is something. */
export function pruned(report: Data<'admin_prune'>): string {
  const parts = Object.entries(tables)
    .map(([table, word]) => [report.tables[table as keyof typeof tables].deleted, word] as const)
    .filter(([count]) => count > 0);
  return parts.map(([count, word]) => `${number.format(count)} ${word}`).join(', ');
}

/** Prunes what is old: first what would go is counted, then it goes. */
export function Prune() {
  const mayAdminister = useMayAdminister();
  const [report, setReport] = useState<Data<'admin_prune'>>();
  const prune = useAct('admin_prune', { onSuccess: setReport });
  const would = report?.dry_run && report.total_deleted > 0;
  return (
    <div className="mt-3 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          busy={prune.isPending && prune.variables?.dry_run !== false}
          disabled={!mayAdminister}
          onClick={() => prune.mutate({ dry_run: true })}
        >
          Count what would go
        </Button>
        <p role="status">{report && said(report)}</p>
      </div>
      {would && (
        <div className="flex items-center gap-3">
          <Button look="danger-primary" busy={prune.isPending} onClick={() => prune.mutate({ dry_run: false })}>
            Prune now
          </Button>
          <span className="text-text-2">It cannot be undone. What is younger, unread or in work stays.</span>
        </div>
      )}
      <Refused error={prune.error} what="Pruning" />
    </div>
  );
}

function said(report: Data<'admin_prune'>): string {
  const what = pruned(report);
  if (!what) return report.dry_run ? 'Nothing is old enough to go.' : 'Nothing was old enough to go.';
  if (report.dry_run) return `Would go: ${what}.`;
  return `Gone: ${what}.${report.vacuum.ran ? ' The file is small again.' : ''}`;
}
