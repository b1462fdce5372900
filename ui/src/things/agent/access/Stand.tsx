import { useState } from 'react';
import type { Data } from '@/api/call';
import { useAct, useOp } from '@/api/query';
import { closeInspector } from '@/app/address';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Section } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import { EditAgent } from './EditAgent';
import { restrictions } from './rules';

/** What an agent may do, and everything that changes how it stands. */
export function Stand({ agentId }: { agentId: string }) {
  const { data: entry } = useOp('agent_entry', { agent_id: agentId });
  const { data: presets } = useOp('preset_list', {});
  const [asks, setAsks] = useState<'edit' | 'out' | 'delete'>();
  const update = useAct('agent_update', { onSuccess: () => setAsks(undefined) });
  if (!entry || entry.agent_id !== agentId) return null;
  const preset = presets?.items.find((one) => one.preset_id === entry.preset_id);
  const withheld = restrictions(entry.permissions, preset?.flags);
  return (
    <>
      <Section
        title="May do"
        aside={preset ? <span className="inline-block first-letter:uppercase">{preset.name}</span> : 'No preset'}
      >
        <p className="mb-3">
          {withheld.length > 0 ? `Everything, but it may not ${withheld.join('; ')}.` : 'Everything on the bus.'}
        </p>
        {!entry.is_active && <p className="mb-3 text-bad">Inactive: its keys open nothing until it is active again.</p>}
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setAsks('edit')}>Edit</Button>
          {entry.is_active ? (
            <Button look="quiet" onClick={() => setAsks('out')}>
              Deactivate
            </Button>
          ) : (
            <Button busy={update.isPending} onClick={() => update.mutate({ agent_id: agentId, is_active: true })}>
              Activate
            </Button>
          )}
          <Button look="danger" onClick={() => setAsks('delete')}>
            Delete
          </Button>
        </div>
        {!asks && <Problem error={update.error} />}
      </Section>
      {asks === 'edit' && <EditAgent entry={entry} onClose={() => setAsks(undefined)} />}
      {asks === 'out' && (
        <Ask
          title={`Deactivate ${agentId}`}
          action="Deactivate"
          busy={update.isPending}
          error={update.error}
          onConfirm={() => update.mutate({ agent_id: agentId, is_active: false })}
          onClose={() => setAsks(undefined)}
        >
          <p>
            Its keys open nothing from now on, and what it has open is cut off. Its mail and its work stay; activate it to go on.
          </p>
        </Ask>
      )}
      {asks === 'delete' && <DeleteAgent entry={entry} onClose={() => setAsks(undefined)} />}
    </>
  );
}

function DeleteAgent({ entry, onClose }: { entry: Data<'agent_entry'>; onClose: () => void }) {
  const remove = useAct('agent_delete', { onSuccess: closeInspector });
  return (
    <Ask
      title={`Delete ${entry.agent_id}`}
      action="Delete agent"
      typed={entry.agent_id}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ agent_id: entry.agent_id })}
      onClose={onClose}
    >
      <p>Its keys, sessions and inbox are deleted with it, and cannot be brought back. What it sent and did stays in the log.</p>
      <p className="text-text-2">
        Work that it holds is free again when its lease ends. To keep its mail, deactivate it instead.
      </p>
    </Ask>
  );
}
