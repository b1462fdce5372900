import { useState } from 'react';
import type { Data } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useAct } from '@/api/query';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Closed } from '@/look/Closed';
import { CheckField } from '@/look/Field';

/** What must be typed: the name of the database, as the command line asks for it. */
export function databaseName(db: string): string {
  const path = db.replace(/[?#].*$/, '').replace(/[\\/]+$/, '');
  return path.split(/[\\/]/).at(-1) || 'reset';
}

const total = (report: Data<'admin_reset'>) => Object.values(report.deleted).reduce((sum, count) => sum + count, 0);

/** Empties the store, after its name was typed. */
export function Reset({ db }: { db: string }) {
  const mayAdminister = useMayAdminister();
  const [keep, setKeep] = useState(true);
  const [asks, setAsks] = useState(false);
  const reset = useAct('admin_reset', { onSuccess: () => setAsks(false) });
  if (!mayAdminister) return <Closed what="Emptying the store" />;
  return (
    <div className="flex flex-col items-start gap-3">
      <CheckField
        label="Keep agents"
        hint="Agents, their keys and permissions, presets and sign-ins stay, so that whoever is connected stays connected."
        checked={keep}
        onChange={(event) => setKeep(event.target.checked)}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button look="danger" className="border border-line" onClick={() => setAsks(true)}>
          Empty the store…
        </Button>
        <p role="status" className="text-text-2">
          {reset.data && `Gone: ${total(reset.data)} rows${reset.data.kept_agents ? '; agents stayed' : ''}.`}
        </p>
      </div>
      {asks && (
        <Ask
          title="Empty the store"
          action="Empty the store"
          typed={databaseName(db)}
          busy={reset.isPending}
          error={reset.error}
          onConfirm={() => reset.mutate({ keep_agents: keep })}
          onClose={() => setAsks(false)}
        >
          <p>
            All messages, mail, work, artifacts, events, workspaces, webhooks and settings are deleted, whatever their state
            {keep ? '; agents and their keys stay.' : ', and so are agents, keys, presets and sign-ins.'}
          </p>
          {!keep && <p className="text-bad">You may be signed out: what is left to come in with is the operator’s own key.</p>}
          <p className="text-text-2">It cannot be undone; download a backup first.</p>
        </Ask>
      )}
    </div>
  );
}
