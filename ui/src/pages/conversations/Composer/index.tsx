import { Paperclip, SendHorizontal, X } from 'lucide-react';
import { type ClipboardEvent, type RefObject, useState } from 'react';
import type { Data } from '@/api/call';
import { useMesh } from '@/api/mesh';
import { useAct, useOp } from '@/api/query';
import { useWorkspace } from '@/app/address';
import { modKey } from '@/app/TopBar';
import { Button, IconButton } from '@/look/Button';
import { Compose, ComposeText } from '@/look/Compose';
import { LookGlyph } from '@/look/Glyph';
import { Attach } from './Attach';
import { asMessage, attemptKey, type Draft, type DraftHold, endAttempt } from './draft';
import { AnsweringMessage, WorkspaceChoice } from './parts';
import type { Recipient } from './recipient';
import { To } from './To';

type Props = {
  hold: DraftHold;
  /** Whom the conversation is with. */
  usual: Recipient[];
  /** Where its last message was written. */
  lastWorkspace?: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onSent?: (sent: Data<'message_create'>) => void;
};

/** Where the operator writes. What is typed is kept until it is sent. */
export function Composer({ hold, usual, lastWorkspace, field, onSent }: Props) {
  const { draft, change, clear } = hold;
  const [attaching, setAttaching] = useState<{ file?: File }>();
  const [named, setNamed] = useState(false);
  const [warning, setWarning] = useState('');
  const to = draft.to ?? usual;
  const workspace = useChosenWorkspace(draft, to, lastWorkspace);
  const send = useAct('message_create', {
    onSuccess: (sent) => {
      endAttempt();
      setNamed(false);
      clear();
      setWarning(sent.warning ?? '');
      onSent?.(sent);
    },
  });
  const ready = draft.body.trim() !== '' && to.length > 0 && workspace.id !== '';

  function submit() {
    if (!ready || send.isPending) return;
    const message = asMessage(draft, to, workspace.id);
    send.mutate({ ...message, idempotency_key: attemptKey(message) });
  }

  function paste(event: ClipboardEvent) {
    const file = event.clipboardData.files[0];
    if (!file) return;
    event.preventDefault();
    setAttaching({ file });
  }

  return (
    <>
      <Compose error={send.error} notice={warning && <Warning words={warning} onClose={() => setWarning('')} />} onSend={submit}>
        {draft.reply && <AnsweringMessage id={draft.reply} onEnd={() => change({ reply: '' })} />}
        <To to={to} workspace={workspace.id} focus={usual.length === 0 && !draft.to} onChange={(next) => change({ to: next })} />
        {(named || draft.subject) && (
          <input
            aria-label="Subject"
            autoFocus={named}
            placeholder="Subject; without one, the first line is it"
            value={draft.subject}
            onChange={(event) => change({ subject: event.target.value })}
            className="h-7 w-full bg-transparent font-strong outline-none placeholder:font-normal placeholder:text-text-3"
          />
        )}
        <ComposeText
          ref={field}
          aria-label="Message"
          placeholder="Write in Markdown"
          value={draft.body}
          onChange={(event) => change({ body: event.target.value })}
          onPaste={paste}
        />
        <Pieces artifacts={draft.artifacts} onChange={(artifacts) => change({ artifacts })} />
        <div className="mt-1 flex items-center gap-2">
          <IconButton label="Attach an artifact" className="-ml-2" disabled={!workspace.id} onClick={() => setAttaching({})}>
            <Paperclip size={16} />
          </IconButton>
          {!named && !draft.subject && (
            <Button look="quiet" className="px-2 text-small" onClick={() => setNamed(true)}>
              Subject
            </Button>
          )}
          <WorkspaceChoice {...workspace} onChange={(id) => change({ workspace: id })} />
          <span className="flex-1" />
          {draft.body && !send.isPending && <span className="text-small text-text-3 max-wide:hidden">draft kept</span>}
          <Button
            look="primary"
            busy={send.isPending}
            disabled={!ready}
            title={missing(draft.body, to, workspace.id)}
            onClick={submit}
            icon={<SendHorizontal size={14} aria-hidden="true" className="wide:hidden" />}
          >
            Send <span className="opacity-80 max-wide:hidden">{modKey}↵</span>
          </Button>
        </div>
      </Compose>
      {attaching && (
        <Attach
          workspace={workspace.id}
          file={attaching.file}
          taken={draft.artifacts.map(({ id }) => id)}
          onClose={() => setAttaching(undefined)}
          onChoose={(piece) => {
            change({ artifacts: [...draft.artifacts.filter(({ id }) => id !== piece.id), piece] });
            setAttaching(undefined);
          }}
        />
      )}
    </>
  );
}

function missing(body: string, to: Recipient[], workspace: string): string | undefined {
  if (to.length === 0) return 'Say whom it is for';
  if (!workspace) return 'Choose a workspace';
  return body.trim() ? undefined : 'Write something';
}

/** An answer stays in the workspace of its question, and a channel is in one; else the address, a choice, or where the talk was last. */
function useChosenWorkspace({ reply, workspace: chosen }: Draft, to: Recipient[], last: string | undefined) {
  const address = useWorkspace();
  const { data: parent } = useOp('observe_message', { message_id: reply }, { enabled: !!reply });
  const { data } = useOp('observe_workspaces', {});
  const { channels } = useMesh();
  const channel = channels.get(to.find(({ kind }) => kind === 'channel')?.id ?? '');
  const bound = (reply && parent?.message_id === reply && parent.workspace_id) || channel?.workspace_id || address;
  return { id: bound || chosen || last || data?.items[0]?.workspace_id || '', bound: !!bound };
}

function Warning({ words, onClose }: { words: string; onClose: () => void }) {
  return (
    <div role="status" className="mb-2 flex items-start gap-2 rounded bg-warn-wash py-1 pr-1 pl-3 text-warn">
      <span className="py-1">
        <LookGlyph />
      </span>
      <p className="min-w-0 flex-1 break-words py-1">Sent. {words}</p>
      <IconButton label="Hide this" onClick={onClose} className="size-7!">
        <X size={14} />
      </IconButton>
    </div>
  );
}

function Pieces({
  artifacts,
  onChange,
}: {
  artifacts: { id: string; name: string }[];
  onChange: (artifacts: { id: string; name: string }[]) => void;
}) {
  if (artifacts.length === 0) return null;
  return (
    <ul className="my-1 flex flex-wrap gap-1.5" aria-label="Goes along">
      {artifacts.map((piece) => (
        <li key={piece.id} className="inline-flex h-7 max-w-64 items-center gap-1.5 rounded border bg-sunk pl-2 text-small">
          <Paperclip size={12} className="shrink-0 text-text-3" aria-hidden="true" />
          <span className="truncate">{piece.name}</span>
          <button
            type="button"
            aria-label={`Take ${piece.name} off`}
            onClick={() => onChange(artifacts.filter(({ id }) => id !== piece.id))}
            className="inline-flex size-6 shrink-0 items-center justify-center text-text-2 hover:text-text"
          >
            <X size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
