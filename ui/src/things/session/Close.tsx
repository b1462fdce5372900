import { useAct } from '@/api/query';
import { useWorkspaceName } from '@/app/TopBar';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { Problem } from '@/look/Problem';

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
    <Dialog title="Close the session?" onClose={onDone}>
      <p className="mb-4 text-text-2">
        {session.agent_id} leaves {workspace || 'the workspace'}: broadcasts there no longer reach it, and calls with this session
        are refused. Its mail, its claims and its keys stay; it may open another session at any time.
      </p>
      <Problem error={close.error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={onDone}>
          Keep it
        </Button>
        <Button look="danger-primary" busy={close.isPending} onClick={() => close.mutate({ session_id: session.session_id })}>
          Close the session
        </Button>
      </div>
    </Dialog>
  );
}
