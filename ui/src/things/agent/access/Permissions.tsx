import { useState } from 'react';
import { CheckField, SelectField, TextField } from '@/look/Field';
import { allows, limits, type Permissions, peersPath, permissions, said, saying, wordsOf } from './rules';

type Props = { value: unknown; onChange: (next: Permissions) => void; disabled?: boolean };

/** What a preset allows: a tick for everything that is not forbidden. */
export function PresetPermissions({ value, onChange, disabled }: Props) {
  return (
    <fieldset disabled={disabled} className="flex flex-col gap-4">
      <legend className="mb-2 font-strong text-small text-text-2">What it allows</legend>
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 max-wide:grid-cols-1">
        {permissions.map(({ path, label, explains }) => (
          <CheckField
            key={path}
            label={label}
            hint={explains}
            checked={allows(path, value)}
            onChange={(event) => onChange(saying(value, path, event.target.checked ? undefined : false))}
          />
        ))}
      </div>
      <Bounds value={value} onChange={onChange} />
    </fieldset>
  );
}

/** What an agent may do by itself, which outranks its preset. */
export function OwnPermissions({ value, onChange, preset }: Props & { preset?: unknown }) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="sr-only">Its own permissions</legend>
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 max-wide:grid-cols-1">
        {permissions.map(({ path, label, explains }) => (
          <SelectField
            key={path}
            label={label}
            hint={explains}
            value={String(said(value, path) ?? '')}
            onChange={({ target }) => onChange(saying(value, path, target.value === '' ? undefined : target.value === 'true'))}
          >
            <option value="">As its preset: {allows(path, undefined, preset) ? 'allowed' : 'forbidden'}</option>
            <option value="true">Allowed</option>
            <option value="false">Forbidden</option>
          </SelectField>
        ))}
      </div>
      <Bounds value={value} onChange={onChange} />
    </fieldset>
  );
}

/** With whom, and how much. */
function Bounds({ value, onChange }: Props) {
  const peers = said(value, peersPath);
  const [text, setText] = useState(Array.isArray(peers) ? peers.join(', ') : '');
  return (
    <>
      <TextField
        label="May write only to"
        placeholder="everybody"
        hint="Names of agents, with commas between them; blank for everybody"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const names = wordsOf(target.value);
          onChange(saying(value, peersPath, names.length > 0 ? names : undefined));
        }}
      />
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 max-wide:grid-cols-1">
        {limits.map(({ path, label, explains }) => (
          <TextField
            key={path}
            type="number"
            min={0}
            label={label}
            hint={explains}
            placeholder="0"
            value={String(said(value, path) ?? '')}
            onChange={({ target }) =>
              onChange(saying(value, path, target.value === '' ? undefined : Math.max(0, Number(target.value) || 0)))
            }
          />
        ))}
      </div>
    </>
  );
}
