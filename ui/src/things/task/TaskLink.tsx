import { shortId } from '@/look/Copy';
import { TaskGlyph } from '@/look/Glyph';
import { ThingLink } from '../ThingLink';
import { useTask } from './useTask';

/** Leads the inspector to a task, by its title. */
export function TaskLink({ id, workspace }: { id: string; workspace: string }) {
  const { data } = useTask(id, workspace);
  return (
    <ThingLink kind="task" id={id} glyph={data && <TaskGlyph status={data.status} />}>
      {data?.title ?? shortId(id)}
    </ThingLink>
  );
}
