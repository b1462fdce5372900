import { useState } from 'react';
import type { Item } from '@/api/call';
import { useAct } from '@/api/query';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { PresetPermissions } from '@/things/agent/access/Permissions';
import type { Permissions } from '@/things/agent/access/rules';

type Preset = Item<'preset_list'>;
type Props = { preset?: Preset; used: number; readOnly: boolean; onClose: () => void };

/** One preset: made, changed or, where it is built in, looked at and copied. */
export function PresetForm({ preset, used, readOnly, onClose }: Props) {
  const [copies, setCopies] = useState(false);
  const [asks, setAsks] = useState(false);
  const [name, setName] = useState(preset?.name ?? '');
  const [description, setDescription] = useState(preset?.description ?? '');
  const [flags, setFlags] = useState((preset?.flags ?? {}) as Permissions);
  const create = useAct('preset_create', { onSuccess: onClose });
  const update = useAct('preset_update', { onSuccess: onClose });
  const isNew = !preset || copies;
  const locked = readOnly || (!!preset?.builtin && !copies);
  if (asks && preset) return <DeletePreset preset={preset} used={used} onBack={() => setAsks(false)} onClose={onClose} />;

  function save() {
    const said = { name: name.trim(), description: description.trim(), flags: flags as never };
    if (isNew) create.mutate(said);
    else update.mutate({ preset_id: preset.preset_id, ...said });
  }

  return (
    <Dialog title={isNew ? 'Create preset' : `Preset ${preset.name}`} onClose={onClose} wide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Name"
          required
          maxLength={100}
          autoFocus={isNew}
          disabled={locked}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="What it is for"
          disabled={locked}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <PresetPermissions value={flags} onChange={setFlags} disabled={locked} />
        {!isNew && used > 0 && !locked && (
          <p className="text-text-2">
            A change holds at once for {used === 1 ? 'the agent that has' : `all ${used} agents that have`} it.
          </p>
        )}
        <Problem error={create.error ?? update.error} />
        <div className="flex justify-end gap-2">
          {preset && !isNew && !locked && (
            <Button look="danger" className="mr-auto" onClick={() => setAsks(true)}>
              Delete
            </Button>
          )}
          <Button look="quiet" onClick={onClose}>
            {locked ? 'Close' : 'Cancel'}
          </Button>
          {preset?.builtin && !copies && !readOnly && (
            <Button
              look="primary"
              onClick={() => {
                setCopies(true);
                setName(`${preset.name} copy`);
              }}
            >
              Copy to change
            </Button>
          )}
          {!locked && (
            <Button look="primary" type="submit" busy={create.isPending || update.isPending} disabled={!name.trim()}>
              {isNew ? 'Create preset' : 'Save'}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function DeletePreset({
  preset,
  used,
  onBack,
  onClose,
}: {
  preset: Preset;
  used: number;
  onBack: () => void;
  onClose: () => void;
}) {
  const remove = useAct('preset_delete', { onSuccess: onClose });
  return (
    <Ask
      title={`Delete ${preset.name}`}
      action="Delete preset"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ preset_id: preset.preset_id })}
      onClose={onBack}
    >
      <p>
        {used > 0
          ? `${used === 1 ? 'One agent has' : `${used} agents have`} it. The hub keeps a preset while it is in use: give them another first.`
          : 'No agent has it. It cannot be brought back.'}
      </p>
    </Ask>
  );
}
