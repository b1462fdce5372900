import { useAct } from '@/api/query';
import { useWorkspaceName } from '@/app/TopBar';
import { Ask } from '@/look/Ask';

/** Asks before it ends somebody's session. */
export function CloseSession({
  session,
  onDone,
}: {
  session: { session_id: string; agent_id: string; workspace_id: string };
  onDone: () => void;
}) {
  const workspace = useWorkspaceName(session.workspace_id);
  const close = useAct('admin_close_session', { onSuccess: onDone });
  return (
    <Ask
      title="Close the session?"
      action="Close the session"
      keep="Keep it"
      busy={close.isPending}
      error={close.error}
      onConfirm={() => close.mutate({ session_id: session.session_id })}
      onClose={onDone}
    >
      <p className="text-text-2">
        {session.agent_id} leaves {workspace || 'the workspace'}: broadcasts there no longer reach it, and calls with this session
        are refused. Its mail, its claims and its keys stay; it may open another session at any time.
      </p>
    </Ask>
  );
}
