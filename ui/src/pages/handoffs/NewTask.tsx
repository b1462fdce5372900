import { setParams, useWorkspace } from '@/app/address';
import { TaskForm } from '@/things/task/TaskForm';

/** Notes something to be done. */
export function NewTask({ onClose }: { onClose: () => void }) {
  const workspace = useWorkspace();
  return (
    <TaskForm
      workspace={workspace}
      onClose={onClose}
      onDone={(id) => setParams({ new: undefined, of: 'tasks', see: `task:${id}` }, 'push')}
    />
  );
}
