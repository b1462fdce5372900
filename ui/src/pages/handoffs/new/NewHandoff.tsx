import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { Data } from '@/api/call';
import { useAct } from '@/api/query';
import { setParams, useParam, useWorkspace } from '@/app/address';
import { remember, remembered } from '@/app/remember';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { LookGlyph, WorkGlyph } from '@/look/Glyph';
import { Problem } from '@/look/Problem';
import { complaint } from '@/things/fields';
import { blank, type Draft, inputOf } from './draft';
import { HandoffFields } from './HandoffFields';

/** What the address says of a hand-off that is being written, gone. */
export const asked = { new: undefined, task: undefined, to: undefined };

/** Where the draft is kept. */
const kept = 'draft.handoff';

/** Hands off a piece of work. What was typed is kept until it has been handed off. */
export function NewHandoff({ onClose }: { onClose: () => void }) {
  const workspace = useWorkspace();
  const [task] = useParam('task');
  const [to] = useParam('to');
  const [draft, setDraft] = useState<Draft>(() => {
    const before = { ...blank, ...remembered<Partial<Draft>>(kept, {}) };
    const chosen: Partial<Draft> = to ? { strategy: 'direct', word: to } : {};
    return { ...before, ...chosen, workspace: workspace || before.workspace, task: task || before.task };
  });
  const create = useAct('handoff_create', { onSuccess: () => remember(kept, null) });

  function change(part: Partial<Draft>) {
    const next = { ...draft, ...part };
    setDraft(next);
    remember(kept, next);
  }

  function send(event?: FormEvent) {
    event?.preventDefault();
    if (!create.isPending) create.mutate(inputOf(draft));
  }

  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    const form = event.currentTarget as HTMLFormElement;
    if (form.reportValidity()) send();
  }

  const about = complaint(create.error);
  return (
    <Dialog title={create.data ? 'Handed off' : 'Hand off'} onClose={onClose} wide>
      {create.data ? (
        <Done
          created={create.data}
          onAnother={() => {
            setDraft({ ...blank, workspace: draft.workspace });
            create.reset();
          }}
        />
      ) : (
        <form onSubmit={send} onKeyDown={press} className="flex flex-col gap-4">
          <HandoffFields draft={draft} onChange={change} about={about} />
          {create.error && !fields.some(about) && <Problem error={create.error} />}
          <div className="sticky -bottom-5 -mx-5 -mb-5 flex justify-end gap-2 border-t bg-raised px-5 py-3">
            <Button look="quiet" onClick={onClose}>
              Not now
            </Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Hand off
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** Fields that say themselves what is wrong with them. */
const fields = ['target', 'payload', 'expires_at', 'depends_on', 'acceptance_criteria', 'verify_by', 'max_attempts', 'priority'];

/** Who can take it now, and whether anybody can. */
export function offerWords({ eligible_count: count, notified }: Data<'handoff_create'>): string {
  if (count === undefined) return notified?.length ? `${notified.join(', ')} has been told.` : 'It is open.';
  return count === 1 ? 'One agent can take it now.' : `${count || 'No'} agents can take it now.`;
}

function Done({ created, onAnother }: { created: Data<'handoff_create'>; onAnother: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-start gap-2" role="status">
        <span className="flex h-5 items-center">{created.warning ? <LookGlyph tone="warn" /> : <WorkGlyph status="OPEN" />}</span>
        <span>{created.warning ?? offerWords(created)}</span>
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onAnother}>Hand off another</Button>
        <Button look="primary" onClick={() => setParams({ ...asked, see: `handoff:${created.handoff_id}` }, 'push')}>
          Open it
        </Button>
      </div>
    </div>
  );
}
