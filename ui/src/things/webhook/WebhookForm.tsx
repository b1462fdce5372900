import { useState } from 'react';
import { useAct, useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { useDraft } from '@/app/draft';
import { workspaceName } from '@/app/TopBar';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { SelectField, TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { Secret } from '@/look/Secret';
import type { Webhook } from './words';

const blank = { url: '', name: '', events: '', workspace: '' };
type Draft = typeof blank;

const typesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Makes a webhook and shows its secret, once. */
export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [draft, change, drop] = useDraft<Draft>('draft.webhook', blank);
  const [made, setMade] = useState<{ webhook_id: string; secret: string }>();
  const create = useAct('webhook_create', {
    onSuccess: ({ webhook_id, secret }) => {
      setMade({ webhook_id, secret });
      drop();
    },
  });
  if (made) return <NewSecret {...made} onClose={onClose} />;
  return (
    <Dialog title="Create webhook" onClose={onClose}>
      <Form
        draft={draft}
        onChange={change}
        action="Create webhook"
        busy={create.isPending}
        error={create.error}
        onCancel={() => {
          drop();
          onClose();
        }}
        onSubmit={() =>
          create.mutate({
            url: draft.url.trim(),
            events: typesOf(draft.events),
            name: draft.name.trim() || undefined,
            workspace: draft.workspace || undefined,
          })
        }
      />
    </Dialog>
  );
}

function NewSecret({ webhook_id, secret, onClose }: { webhook_id: string; secret: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  function leave() {
    if (!copied && !warned) return setWarned(true);
    onClose();
    inspect('webhook', webhook_id);
  }
  return (
    <Dialog title="Its secret" onClose={leave}>
      <div className="flex flex-col gap-4">
        <Secret
          label="Secret"
          title="Copy the secret now. It is shown once."
          hint="Every request is signed with it. If you lose it, rotate the secret."
          value={secret}
          onCopy={() => setCopied(true)}
        />
        <div className="flex items-center justify-end gap-3">
          {warned && !copied && (
            <p role="alert" className="min-w-0 flex-1 text-warn">
              The secret has not been copied, and is not shown again.
            </p>
          )}
          <Button onClick={leave}>{warned && !copied ? 'Leave without it' : 'Done'}</Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Changes a webhook. A new address starts anew at once. */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    url: webhook.url,
    name: webhook.name ?? '',
    events: webhook.events.join(', '),
    workspace: webhook.workspace ?? '',
  });
  const update = useAct('webhook_update', { onSuccess: onClose });
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <Form
        draft={draft}
        onChange={(part) => setDraft({ ...draft, ...part })}
        action="Save"
        busy={update.isPending}
        error={update.error}
        onCancel={onClose}
        onSubmit={() =>
          update.mutate({
            webhook_id: webhook.webhook_id,
            events: typesOf(draft.events),
            name: draft.name.trim(),
            workspace: draft.workspace,
            ...(draft.url.trim() !== webhook.url && { url: draft.url.trim() }),
          })
        }
      />
    </Dialog>
  );
}

type FormProps = {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  action: string;
  busy: boolean;
  error: Error | null;
  onCancel: () => void;
  onSubmit: () => void;
};

function Form({ draft, onChange, action, busy, error, onCancel, onSubmit }: FormProps) {
  const { data: workspaces } = useOp('observe_workspaces', {});
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <TextField
        label="Address"
        type="url"
        required
        autoFocus
        placeholder="https://example.com/hooks/nexus"
        hint="Answers 2xx within 10 seconds. Private addresses are refused unless webhook_allow_private is on."
        value={draft.url}
        onChange={(event) => onChange({ url: event.target.value })}
      />
      <TextField
        label="Name"
        placeholder="Release board"
        value={draft.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <EventTypes value={draft.events} onChange={(events) => onChange({ events })} />
      <SelectField label="Workspace" value={draft.workspace} onChange={(event) => onChange({ workspace: event.target.value })}>
        <option value="">All of them, and the system’s own events</option>
        {workspaces?.items.map((item) => (
          <option key={item.workspace_id} value={item.workspace_id}>
            {workspaceName(item)}
          </option>
        ))}
      </SelectField>
      <Problem error={error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button look="primary" type="submit" busy={busy} disabled={!draft.url.trim() || typesOf(draft.events).length === 0}>
          {action}
        </Button>
      </div>
    </form>
  );
}

const families = ['*', 'message.*', 'handoff.*', 'task.*', 'artifact.*', 'session.*', 'agent.*'];

/** Which events: typed, or families of them picked. */
function EventTypes({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const chosen = typesOf(value);
  const pick = (type: string) =>
    onChange((chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type]).join(', '));
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Events"
        required
        placeholder="handoff.*, message.created"
        hint="Types, families of them, or * for all"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="flex flex-wrap gap-1.5" role="group" aria-label="Families of events">
        {families.map((type) => (
          <button
            key={type}
            type="button"
            aria-pressed={chosen.includes(type)}
            onClick={() => pick(type)}
            className="h-6 rounded-small border bg-sunk px-2 font-mono text-small text-text-2 hover:text-text aria-pressed:border-accent aria-pressed:bg-accent-wash aria-pressed:text-accent max-wide:h-8"
          >
            {type}
          </button>
        ))}
      </div>
    </div>
  );
}
