import { Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { Item } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { setParams, useParam } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { type Column, Grid } from '@/look/Grid';
import { Tag } from '@/look/Lines';
import { restrictions } from '@/things/agent/access/rules';
import { Bar } from './Bar';
import { PresetForm } from './PresetForm';

type Row = Item<'preset_list'> & { used: number };

const columns: Column<Row>[] = [
  {
    title: 'Preset',
    width: 'minmax(110px,1fr)',
    cell: (row) => (
      <span className="inline-flex items-center gap-2">
        <span className="first-letter:uppercase">{row.name}</span>
        {row.builtin && <Tag>built in</Tag>}
      </span>
    ),
  },
  {
    title: 'For',
    width: 'minmax(100px,1.6fr)',
    cell: (row) => <span className="text-text-2">{row.description}</span>,
    wideOnly: true,
  },
  {
    title: 'May not',
    width: 'minmax(100px,2fr)',
    cell: (row) => <span className="text-text-2">{restrictions(row.flags).join('; ') || '–'}</span>,
    wideOnly: true,
  },
  {
    title: 'Agents',
    width: '64px',
    align: 'right',
    cell: (row) => (
      <button
        type="button"
        aria-label={`${row.used} agents have ${row.name}`}
        className="min-h-6 min-w-6 rounded-small text-right hover:text-accent"
        onClick={(event) => {
          event.stopPropagation();
          setParams({ tab: undefined, q: row.name }, 'push');
        }}
      >
        {row.used}
      </button>
    ),
  },
];

/** Sets of permissions with a name. */
export function PresetList({ tabs }: { tabs: ReactNode }) {
  const { data, error, refetch } = useOp('preset_list', {});
  const { data: agents } = useOp('agent_directory', {});
  const mayAdminister = useMayAdminister();
  const [q, setQ] = useParam('q');
  const [open, setOpen] = useParam('preset');
  useShortcuts(
    useMemo(() => [{ keys: 'c', does: 'Create preset', group: 'Actions', run: () => setParams({ preset: 'new' }) }], []),
  );
  const rows = (data?.items ?? []).map((preset) => ({
    ...preset,
    used: (agents?.items ?? []).filter((agent) => agent.preset_id === preset.preset_id).length,
  }));
  const shown = rows.filter((row) => `${row.name} ${row.description ?? ''}`.toLowerCase().includes(q.toLowerCase()));
  const opened = rows.find((row) => row.preset_id === open);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Bar
        tabs={tabs}
        aside={
          <Button
            look="primary"
            icon={<Plus size={14} aria-hidden="true" />}
            disabled={!mayAdminister}
            onClick={() => setOpen('new')}
          >
            Create preset
          </Button>
        }
      >
        <Filter value={q} onChange={setQ} />
      </Bar>
      <div className="flex flex-col gap-3 px-6 max-wide:px-4">
        {!mayAdminister && <Closed what="Changing presets" />}
        <Refused error={error} what="The list of presets" onRetry={refetch} />
      </div>
      <div className="min-h-0 flex-1">
        {data && (
          <Grid
            label="Presets"
            rows={shown}
            columns={columns}
            keyOf={(row) => row.preset_id}
            rowHeight={40}
            onOpen={(row) => setOpen(row.preset_id)}
            empty={<Empty title="No preset fits">Clear the filter to see all of them.</Empty>}
          />
        )}
      </div>
      {(opened || open === 'new') && data && (
        <PresetForm key={open} preset={opened} used={opened?.used ?? 0} readOnly={!mayAdminister} onClose={() => setOpen('')} />
      )}
    </div>
  );
}
