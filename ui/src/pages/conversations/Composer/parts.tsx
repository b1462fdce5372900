import { ChevronDown, Layers } from 'lucide-react';
import { useOp } from '@/api/query';
import { useWorkspaceName, workspaceName } from '@/app/TopBar';
import { Answering } from '@/look/Compose';
import { Menu } from '@/look/Menu';
import { type Message, messageTitle } from '@/things/message/words';

/** The message that is being answered, as far as it is known. */
export function AnsweringMessage({ id, onEnd }: { id: string; onEnd: () => void }) {
  const { data } = useOp('observe_message', { message_id: id });
  const known = data?.message_id === id ? (data as Message) : undefined;
  return <Answering onEnd={onEnd}>{known ? `${known.from_agent_id}: ${messageTitle(known)}` : 'a message'}</Answering>;
}

/** Where it is written. A choice only where nothing else decides. */
export function WorkspaceChoice({ id, bound, onChange }: { id: string; bound: boolean; onChange: (id: string) => void }) {
  const { data } = useOp('observe_workspaces', {});
  const name = useWorkspaceName(id);
  if (bound) return <span className="min-w-0 truncate text-small text-text-2">in {name}</span>;
  if (data?.items.length === 0) return <span className="text-small text-warn">There is no workspace yet to write in</span>;
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`Workspace: ${name || 'none'}`}
          className="flex h-8 min-w-0 items-center gap-1.5 rounded px-2 text-small text-text-2 hover:bg-hover hover:text-text max-wide:h-9"
        >
          <Layers size={14} aria-hidden="true" className="shrink-0" />
          <span className="truncate">{name || 'Workspace'}</span>
          <ChevronDown size={12} aria-hidden="true" className="shrink-0" />
        </button>
      }
      items={(data?.items ?? []).map((item) => ({
        label: workspaceName(item),
        checked: item.workspace_id === id,
        onSelect: () => onChange(item.workspace_id),
      }))}
    />
  );
}
