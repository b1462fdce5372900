import { ChevronDown, X } from 'lucide-react';
import { useState } from 'react';
import { useOp } from '@/api/query';
import { workspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Menu, type MenuItem } from '@/look/Menu';
import { kinds, kindWord } from '@/things/hit';
import { Dates } from './Dates';
import { type Name, type Operator, operatorsOf, withOperator, without } from './query';

const spans = [
  ['1h', 'The last hour'],
  ['24h', 'The last 24 hours'],
  ['7d', 'The last 7 days'],
  ['30d', 'The last 30 days'],
];

/** Conditions by hand: each writes into the query what could be typed there. */
export function Chips({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [dating, setDating] = useState(false);
  const { data: directory } = useOp('agent_directory', { limit: 1000 });
  const { data: workspaces } = useOp('observe_workspaces', {});
  const { data: topics } = useOp('topic_browse', { limit: 50 });
  const taken = operatorsOf(q);
  const item = (name: Name, value: string, label: React.ReactNode = value): MenuItem => ({
    label,
    checked: taken.some((one) => one.name === name && one.value === value),
    onSelect: () => onChange(withOperator(q, name, value)),
  });
  const agents = ['operator', ...(directory?.items ?? []).map((agent) => agent.agent_id).filter((id) => id !== 'operator')];
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Choice name="Kind" items={kinds.map((kind) => item('type', kind, kindWord(kind)))} />
      <Choice name="From" items={agents.map((id) => item('from', id, <AgentName id={id} />))} />
      <Choice
        name="In"
        items={[
          ...(workspaces?.items ?? []).map((workspace) => item('in', workspaceName(workspace))),
          'line',
          ...(topics?.items ?? []).map((topic) =>
            item('in', topic.name, <span className="max-w-72 truncate">{topic.name}</span>),
          ),
        ]}
      />
      <Choice
        name="When"
        items={[
          ...spans.map(([value, word]) => item('after', value!, word)),
          'line',
          { label: 'Between two days…', onSelect: () => setDating(true) },
        ]}
      />
      {taken.map((operator) => (
        <Taken key={operator.start} operator={operator} onEnd={() => onChange(without(q, operator))} />
      ))}
      {dating && <Dates q={q} onChange={onChange} onClose={() => setDating(false)} />}
    </div>
  );
}

function Choice({ name, items }: { name: string; items: (MenuItem | 'line')[] }) {
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-7 items-center gap-1 rounded-full border px-3 text-small text-text-2 hover:border-line-strong hover:text-text max-wide:h-9"
        >
          {name}
          <ChevronDown size={12} aria-hidden="true" />
        </button>
      }
      items={items}
    />
  );
}

function Taken({ operator, onEnd }: { operator: Operator; onEnd: () => void }) {
  const words = `${operator.name}: ${operator.name === 'type' ? kindWord(operator.value).toLowerCase() : operator.value}`;
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded-full bg-accent-wash pl-3 text-accent text-small max-wide:h-9">
      <span className="truncate">{words}</span>
      <button type="button" aria-label={`Take away ${words}`} onClick={onEnd} className="flex size-7 items-center justify-center">
        <X size={12} />
      </button>
    </span>
  );
}
