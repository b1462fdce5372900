import { useMemo } from 'react';
import { useOp } from '@/api/query';
import { setParams, useParam, useWorkspace } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { Empty } from '@/look/Empty';
import { HandoffBoard } from './handoffs/HandoffBoard';
import { HandoffTable } from './handoffs/HandoffTable';
import { asked, NewHandoff } from './new/NewHandoff';
import { NewTask } from './new/NewTask';
import { type Of, Toolbar, type View } from './Toolbar';
import { TaskBoard } from './tasks/TaskBoard';
import { TaskTable } from './tasks/TaskTable';

const open = (kind: string) => setParams({ new: kind }, 'push');
const close = () => setParams(asked, 'push');

/** Work: hand-offs or tasks, on a board or in a table, with the same filters. */
export default function Page() {
  const of: Of = useParam('of')[0] === 'tasks' ? 'tasks' : 'handoffs';
  const view: View = useParam('view')[0] === 'table' ? 'table' : 'board';
  const [making] = useParam('new');
  useShortcuts(
    useMemo(
      () => [
        { keys: 'n', does: 'Hand off work', group: 'Actions', run: () => open('handoff') },
        { keys: 't', does: 'Note a task', group: 'Actions', run: () => open('task') },
      ],
      [],
    ),
  );
  return (
    <div className="flex h-full flex-col">
      <Toolbar of={of} view={view} onNew={() => open(of === 'tasks' ? 'task' : 'handoff')} />
      {of === 'tasks' ? <Tasks view={view} /> : <Handoffs view={view} />}
      {making === 'handoff' && <NewHandoff onClose={close} />}
      {making === 'task' && <NewTask onClose={close} />}
    </div>
  );
}

function Handoffs({ view }: { view: View }) {
  const workspace = useWorkspace() || undefined;
  const { data } = useOp('observe_handoffs', { workspace, limit: 1 });
  if (data?.items.length === 0) {
    return (
      <Empty
        title="No hand-offs yet"
        command={`nexus call handoff_create project_root=. from_agent_id=me target='{"strategy":"broadcast"}' visibility=public payload='Fix the build'`}
      >
        Work that one agent offers and exactly one other takes shows here, from open to completed.
      </Empty>
    );
  }
  return view === 'table' ? (
    <div className="min-h-0 flex-1 [--state:112px] max-wide:[--state:44px]">
      <HandoffTable />
    </div>
  ) : (
    <HandoffBoard />
  );
}

function Tasks({ view }: { view: View }) {
  const workspace = useWorkspace() || undefined;
  const { data } = useOp('observe_tasks', { workspace, limit: 1 });
  if (data?.items.length === 0) {
    return (
      <Empty title="No tasks yet" command="nexus call task_create project_root=. agent_id=me title='Ship the release'">
        What is to be done shows here, with who does it and what it waits for. Hand-offs that get it done may name it.
      </Empty>
    );
  }
  return view === 'table' ? (
    <div className="min-h-0 flex-1 [--state:112px] max-wide:[--state:44px]">
      <TaskTable />
    </div>
  ) : (
    <TaskBoard />
  );
}
