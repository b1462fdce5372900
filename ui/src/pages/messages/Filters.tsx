import { useMesh } from '@/api/mesh';
import { setParams, useParam, useWorkspace } from '@/app/address';
import { Button } from '@/look/Button';
import { SelectField } from '@/look/Field';
import { Filter } from '@/look/Filter';
import type { Filters as Chosen } from './find';

/** The row below the bar: words, from, to, channel, lane. Everything is in the address. */
export function Filters({ chosen, count }: { chosen: Chosen; count?: string }) {
  const [q, setQ] = useParam('q');
  const { agents, channels } = useMesh();
  const workspace = useWorkspace();
  const names = [...agents.keys()].sort();
  const set = (name: string) => (value: string) => setParams({ [name]: value || undefined });
  const here = [...channels.values()].filter((channel) => !workspace || channel.workspace_id === workspace);
  const any = chosen.from || chosen.to || chosen.channel || chosen.lane || chosen.undelivered;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-6 py-2 max-wide:px-4">
      <Filter value={q} onChange={setQ} label="Search words" />
      <div className="flex min-w-0 gap-2 max-wide:w-full max-wide:overflow-x-auto max-wide:p-0.5">
        <Choice
          label="From"
          all="From anyone"
          value={chosen.from}
          options={names.map((name) => [name, name])}
          onChange={set('from')}
        />
        <Choice label="To" all="To anyone" value={chosen.to} options={names.map((name) => [name, name])} onChange={set('to')} />
        <Choice
          label="Channel"
          all="Any channel"
          value={chosen.channel}
          options={here.map((channel) => [channel.channel_id, `#${channel.name}`])}
          onChange={set('channel')}
        />
        <Choice
          label="Lane"
          all="In any lane"
          value={chosen.undelivered ? 'nobody' : chosen.lane}
          options={[
            ['unread', 'Queued'],
            ['delivered', 'Delivered'],
            ['read', 'Read'],
            ['parked', 'Parked'],
            ['nobody', 'Reached nobody'],
          ]}
          onChange={(lane) =>
            setParams(
              lane === 'nobody' ? { lane: undefined, undelivered: '1' } : { lane: lane || undefined, undelivered: undefined },
            )
          }
        />
      </div>
      {any && (
        <Button look="quiet" onClick={() => setParams(Object.fromEntries(every.map((name) => [name, undefined])))}>
          Clear
        </Button>
      )}
      <span className="ml-auto text-text-2 max-wide:hidden" role="status">
        {count}
      </span>
    </div>
  );
}

const every = ['from', 'to', 'channel', 'lane', 'undelivered'];

function Choice({
  label,
  all,
  value,
  options,
  onChange,
}: {
  label: string;
  all: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}) {
  const known = !value || options.some(([option]) => option === value);
  return (
    <div className="shrink-0">
      <SelectField
        hideLabel
        label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`max-w-40 ${value ? 'font-strong' : 'border-line! text-text-2!'}`}
      >
        <option value="">{all}</option>
        {!known && <option value={value}>{value}</option>}
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
