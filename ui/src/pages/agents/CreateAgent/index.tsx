import { useState } from 'react';
import type { Data, Input } from '@/api/call';
import { useAct, useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { useDraft } from '@/app/draft';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { ProfileFields } from '@/things/agent/access/EditAgent';
import { MayDo } from '@/things/agent/access/MayDo';
import { type Permissions, wordsOf } from '@/things/agent/access/rules';
import { Scopes, usualScopes } from '@/things/agent/access/Scopes';
import { NewAgent } from '../NewAgent';

const blank = {
  id: '',
  role: '',
  name: '',
  capabilities: '',
  preset: '',
  permissions: {} as Permissions,
  scopes: usualScopes,
};
type Draft = typeof blank;

/** What is sent for what was filled in. */
export function creation(draft: Draft): Input<'agent_create'> {
  const words = wordsOf(draft.capabilities);
  return {
    agent_id: draft.id.trim(),
    role: draft.role.trim() || undefined,
    capabilities: words.length > 0 ? words : undefined,
    metadata: draft.name.trim() ? { display_name: draft.name.trim() } : undefined,
    preset_id: draft.preset || undefined,
    permissions: Object.keys(draft.permissions).length > 0 ? (draft.permissions as never) : undefined,
    scopes: draft.scopes.length > 0 ? draft.scopes : undefined,
  };
}

/** Creates an agent, then shows its key, once. What was filled in is kept until then; the key is kept here and nowhere else. */
export function CreateAgent({ onClose }: { onClose: () => void }) {
  const [draft, change, drop] = useDraft<Draft>('draft.agent', blank);
  const [made, setMade] = useState<Data<'agent_create'>>();
  const { data: presets } = useOp('preset_list', {});
  const create = useAct('agent_create', {
    onSuccess: (answer) => {
      setMade(answer);
      drop();
    },
  });
  if (made) {
    return (
      <NewAgent
        made={made}
        onClose={() => {
          onClose();
          inspect('agent', made.agent_id);
        }}
      />
    );
  }
  return (
    <Dialog title="Create agent" onClose={onClose} wide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(creation(draft));
        }}
      >
        <TextField
          label="Name"
          hint="What others call it; it cannot be changed later"
          placeholder="wren"
          required
          maxLength={128}
          autoFocus
          value={draft.id}
          onChange={(event) => change({ id: event.target.value })}
        />
        <ProfileFields value={draft} onChange={change} />
        <MayDo
          presets={presets?.items ?? []}
          preset={draft.preset}
          permissions={draft.permissions}
          onChange={(preset, permissions) => change({ preset, permissions })}
        />
        <Scopes value={draft.scopes} onChange={(scopes) => change({ scopes })} />
        <Problem error={create.error} />
        <div className="flex justify-end gap-2">
          <Button
            look="quiet"
            onClick={() => {
              drop();
              onClose();
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={create.isPending} disabled={!draft.id.trim()}>
            Create agent
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
