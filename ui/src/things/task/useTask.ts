import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, HubError } from '@/api/call';
import type { Task } from './moves';

/** A task by its id alone, or faster where its workspace is known. */
export function useTask(id: string, workspace?: string) {
  const cache = useQueryClient();
  return useQuery({
    queryKey: ['task_get', id],
    queryFn: async ({ signal }): Promise<Task> => {
      const place = workspace ?? seen(cache, id)?.workspace_id ?? (await search(id, signal)).workspace_id;
      return call('task_get', { project_root: place, task_id: id, agent_id: 'operator' }, signal);
    },
    placeholderData: () => seen(cache, id),
  });
}

/** The task as a list has shown it already. */
function seen(cache: QueryClient, id: string): Task | undefined {
  const before = cache.getQueryData<Task>(['task_get', id]);
  if (before) return before;
  const lists = cache.getQueriesData<{ items?: Task[]; pages?: { items: Task[] }[] }>({ queryKey: ['observe_tasks'] });
  return lists
    .flatMap(([, data]) => data?.items ?? data?.pages?.flatMap((page) => page.items) ?? [])
    .find((task) => task.task_id === id);
}

/** Tasks are read by workspace. Which one it is in only the list of all tells. */
async function search(id: string, signal: AbortSignal): Promise<Task> {
  let cursor: string | undefined;
  do {
    const page = await call('observe_tasks', { limit: 1000, cursor }, signal);
    const found = page.items.find((task) => task.task_id === id);
    if (found) return found;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  throw new HubError('NOT_FOUND', `There is no task ${id}.`, 404);
}
