import { useState } from 'react';
import type { Data, Input } from '@/api/call';
import { useAct, useOp } from '@/api/query';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { MayDo } from '../MayDo';
import { capabilityWords, type Permissions, wordsOf } from '../rules';

type Entry = Data<'agent_entry'>;
export type Profile = { role: string; name: string; capabilities: string; preset: string; permissions: Permissions };

const metadataOf = (entry: Entry) =>
  entry.metadata && typeof entry.metadata === 'object' ? (entry.metadata as Record<string, unknown>) : {};

/** The name that an agent goes by among people; its id if it has none. */
export function displayName(entry: Pick<Entry, 'agent_id' | 'metadata'>): string {
  const name = metadataOf(entry as Entry).display_name;
  return typeof name === 'string' && name ? name : entry.agent_id;
}

export function profileOf(entry: Entry): Profile {
  const name = metadataOf(entry).display_name;
  return {
    role: entry.role ?? '',
    name: typeof name === 'string' ? name : '',
    capabilities: capabilityWords(entry.capabilities).join(', '),
    preset: entry.preset_id ?? '',
    permissions: (entry.permissions ?? {}) as Permissions,
  };
}

/** Only what was changed, so that what the agent says of itself meanwhile stays. */
export function changes(entry: Entry, next: Profile): Input<'agent_update'> {
  const was = profileOf(entry);
  const input: Input<'agent_update'> = { agent_id: entry.agent_id };
  if (next.role.trim() !== was.role) input.role = next.role.trim();
  if (next.name.trim() !== was.name) {
    const { display_name: _, ...rest } = metadataOf(entry);
    input.metadata = next.name.trim() ? { ...rest, display_name: next.name.trim() } : rest;
  }
  if (wordsOf(next.capabilities).join() !== wordsOf(was.capabilities).join()) input.capabilities = wordsOf(next.capabilities);
  if (next.preset !== was.preset) input.preset_id = next.preset;
  if (JSON.stringify(next.permissions) !== JSON.stringify(was.permissions)) input.permissions = next.permissions as never;
  return input;
}

/** Changes what is said of an agent and what it may do. */
export function EditAgent({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const [profile, setProfile] = useState(() => profileOf(entry));
  const { data: presets } = useOp('preset_list', {});
  const update = useAct('agent_update', { onSuccess: onClose });
  const set = (part: Partial<Profile>) => setProfile({ ...profile, ...part });
  const input = changes(entry, profile);
  return (
    <Dialog title={`Edit ${entry.agent_id}`} onClose={onClose} wide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate(input);
        }}
      >
        <ProfileFields value={profile} onChange={set} />
        <MayDo
          presets={presets?.items ?? []}
          preset={profile.preset}
          permissions={profile.permissions}
          onChange={(preset, permissions) => set({ preset, permissions })}
        />
        <Problem error={update.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={update.isPending} disabled={Object.keys(input).length === 1}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is said of an agent. */
export function ProfileFields({
  value,
  onChange,
}: {
  value: Pick<Profile, 'role' | 'name' | 'capabilities'>;
  onChange: (part: Partial<Profile>) => void;
}) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <TextField
          label="Role"
          placeholder="reviewer"
          hint="Work and mail can be addressed to it"
          value={value.role}
          onChange={(event) => onChange({ role: event.target.value })}
        />
        <TextField
          label="Display name"
          placeholder="none"
          hint="For people; others address it by its name"
          value={value.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </div>
      <TextField
        label="Can do"
        placeholder="go, sql, review.code"
        hint="Words, with commas between them; work can be addressed to each"
        value={value.capabilities}
        onChange={(event) => onChange({ capabilities: event.target.value })}
      />
    </>
  );
}
