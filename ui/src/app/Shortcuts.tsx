import { Dialog } from '@/look/Dialog';
import { shortcuts } from './keys';
import { modKey } from './TopBar';

const always: [keys: string, does: string, group: string][] = [
  ['j k', 'Move in a list (the arrows too)', 'Lists'],
  ['Enter', 'Inspect', 'Lists'],
  ['x', 'Select', 'Lists'],
  ['/', 'Filter', 'Lists'],
];

/** What can be pressed, by group. */
export function useShortcutTable(): Map<string, [string, string][]> {
  const table = new Map<string, [string, string][]>();
  for (const { keys, does, group } of [...shortcuts(), ...always.map(([keys, does, group]) => ({ keys, does, group }))]) {
    const rows = table.get(group) ?? [];
    if (!rows.some(([known]) => known === keys)) rows.push([keys, does]);
    table.set(group, rows);
  }
  return table;
}

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose} wide>
      <ShortcutList />
    </Dialog>
  );
}

export function ShortcutList() {
  return (
    <div className="columns-2 gap-8 max-wide:columns-1">
      {[...useShortcutTable()].map(([group, rows]) => (
        <section key={group} className="mb-5 break-inside-avoid">
          <h3 className="mb-1 text-text-2">{group}</h3>
          <dl>
            {rows.map(([keys, does]) => (
              <div key={keys} className="flex items-center justify-between gap-3 py-1">
                <dt>{does}</dt>
                <dd className="flex shrink-0 gap-1">
                  {keys.split(' ').map((key) => (
                    <kbd key={key} className="rounded-small border bg-sunk px-1.5 text-small">
                      {key === 'mod' ? modKey.trim() : key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
