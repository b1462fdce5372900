import { ChevronDown, Plus } from 'lucide-react';
import { useOp } from '@/api/query';
import { setParams, useParam } from '@/app/address';
import { Button, Segmented } from '@/look/Button';
import { Filter } from '@/look/Filter';
import { Menu } from '@/look/Menu';
import { handoffStatuses, statusWord } from '@/things/handoff/moves';
import { taskStatuses, taskWord } from '@/things/task/moves';
import { priorities } from './filters';

export type Of = 'handoffs' | 'tasks';
export type View = 'board' | 'table';

/** What can be done with the page: what to look at, how, and making a new one. */
export function Toolbar({ of, view, onNew }: { of: Of; view: View; onNew: () => void }) {
  const [text, setText] = useParam('q');
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 py-3 max-wide:px-4">
      <Filter value={text} onChange={setText} />
      <div className="flex min-w-0 flex-wrap items-center gap-1 max-wide:order-last max-wide:w-full">
        <AgentChoice of={of} />
        <PriorityChoice />
        {view === 'table' && <StatusChoice of={of} />}
      </div>
      <span className="flex-1 max-wide:hidden" />
      <div className="flex gap-2 max-wide:order-1 max-wide:w-full max-wide:justify-between">
        <Segmented
          label="What to show"
          value={of}
          options={[
            ['handoffs', 'Hand-offs'],
            ['tasks', 'Tasks'],
          ]}
          onChange={(next) =>
            setParams({ of: next === 'handoffs' ? undefined : next, status: undefined, unfold: undefined }, 'push')
          }
        />
        <Segmented
          label="How to show it"
          value={view}
          options={[
            ['board', 'Board'],
            ['table', 'Table'],
          ]}
          onChange={(next) => setParams({ view: next === 'board' ? undefined : next, status: undefined }, 'push')}
        />
      </div>
      <Button look="primary" onClick={onNew} icon={<Plus size={16} aria-hidden="true" />}>
        {of === 'tasks' ? 'Note a task' : 'Hand off'}
      </Button>
    </div>
  );
}

type Choice = { name: string; label: string; any: string; options: [value: string, word: string][] };

/** One of several, or any. The choice is in the address. */
function Choose({ name, label, any, options }: Choice) {
  const [value] = useParam(name);
  const word = options.find(([option]) => option === value)?.[1] ?? value;
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`${label}: ${value ? word : any}`}
          className={`flex h-8 items-center gap-1 rounded px-2 max-wide:h-9 ${value ? 'border bg-sunk' : 'text-text-2 hover:bg-hover hover:text-text'}`}
        >
          {value ? (
            <>
              <span className="text-text-2">{label.toLowerCase()}</span> {word}
            </>
          ) : (
            label
          )}
          <ChevronDown size={14} aria-hidden="true" />
        </button>
      }
      items={[['', any] as [string, string], ...options].map(([option, words]) => ({
        label: words,
        checked: option === value,
        onSelect: () => setParams({ [name]: option || undefined }),
      }))}
    />
  );
}

function AgentChoice({ of }: { of: Of }) {
  const { data } = useOp('agent_directory', { limit: 1000 });
  const agents = (data?.items ?? []).map((agent) => agent.agent_id).sort();
  return (
    <Choose
      name="agent"
      label={of === 'tasks' ? 'Assignee' : 'Agent'}
      any={of === 'tasks' ? 'Anybody’s' : 'Of any agent'}
      options={agents.map((agent) => [agent, agent])}
    />
  );
}

function PriorityChoice() {
  return (
    <Choose
      name="priority"
      label="Priority"
      any="Any priority"
      options={Object.entries(priorities).map(([name, [words]]) => [name, words])}
    />
  );
}

function StatusChoice({ of }: { of: Of }) {
  const options: [string, string][] =
    of === 'tasks'
      ? taskStatuses.map((status) => [status, taskWord(status)])
      : handoffStatuses.map((status) => [status, statusWord(status)]);
  return <Choose name="status" label="Status" any="Any status" options={options} />;
}
