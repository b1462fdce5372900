import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import type { Item } from '@/api/call';
import { Tag } from '@/look/Lines';
import { OwnPermissions } from './Permissions';
import { type Permissions, restrictions } from './rules';

type Preset = Item<'preset_list'>;

/** What an agent may do: a preset, and what is its own, which outranks it. */
export function MayDo({
  presets,
  preset,
  permissions,
  onChange,
}: {
  presets: Preset[];
  preset: string;
  permissions: Permissions;
  onChange: (preset: string, permissions: Permissions) => void;
}) {
  const name = useId();
  const chosen = presets.find((one) => one.preset_id === preset);
  const own = restrictions(permissions).length + Object.keys(permissions).length > 0;
  const none = { preset_id: '', name: 'No preset', description: 'Everything, unless forbidden below.' };
  return (
    <>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-2 font-strong text-small text-text-2">May do</legend>
        <div className="grid grid-cols-2 gap-x-6 gap-y-1 max-wide:grid-cols-1">
          {[none, ...presets].map((one) => (
            <label key={one.preset_id} className="flex cursor-pointer items-start gap-2 rounded-small py-1">
              <input
                type="radio"
                name={name}
                className="mt-0.5 size-4 shrink-0 accent-accent"
                checked={preset === one.preset_id}
                onChange={() => onChange(one.preset_id, permissions)}
              />
              <span className="min-w-0">
                <span className="block first-letter:uppercase">{one.name}</span>
                <span className="block text-small text-text-3">{one.description}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <details open={own} className="group">
        <summary className="flex list-none items-center gap-1.5 py-1 text-text-2 hover:text-text">
          <ChevronRight size={14} aria-hidden="true" className="transition-transform group-open:rotate-90" />
          Its own permissions, which outrank the preset {own && <Tag tone="accent">set</Tag>}
        </summary>
        <div className="pt-3">
          <OwnPermissions value={permissions} preset={chosen?.flags} onChange={(next) => onChange(preset, next)} />
        </div>
      </details>
    </>
  );
}
