import { type FormEvent, useState } from 'react';
import type { Input } from '@/api/call';
import { useAct, useOp } from '@/api/query';
import { go, useWorkspace } from '@/app/address';
import { workspaceName } from '@/app/TopBar';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { SelectField, TextArea, TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';

/** What is wrong with a text that should be a JSON object; nothing if it is one, or blank. */
export function jsonFault(text: string): string | undefined {
  if (!text.trim()) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Write an object: {"name": "value"}';
  } catch {
    return 'This is not JSON yet.';
  }
}

/** Opens a topic. One of that name that is open is found instead of made again. */
export function NewTopic({ onClose }: { onClose: () => void }) {
  const here = useWorkspace();
  const [name, setName] = useState('');
  const [workspace, setWorkspace] = useState(here);
  const [metadata, setMetadata] = useState('');
  const { data } = useOp('observe_workspaces', {});
  const fault = jsonFault(metadata);
  const create = useAct('topic_create', { onSuccess: (made) => go('/topics', { topic: made.topic_id }) });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!name.trim() || fault || create.isPending) return;
    create.mutate({
      name: name.trim(),
      mode: 'reuse',
      project_root: data?.items.find((item) => item.workspace_id === workspace)?.root_realpath,
      metadata: metadata.trim() ? (JSON.parse(metadata) as Input<'topic_create'>['metadata']) : undefined,
    });
  }

  return (
    <Dialog title="Open a topic" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          autoFocus
          maxLength={256}
          value={name}
          hint="If an open topic has this name, it is shown instead."
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Workspace"
          value={workspace}
          hint="Keys that are limited to workspaces see only topics of those."
          onChange={(event) => setWorkspace(event.target.value)}
        >
          <option value="">None</option>
          {data?.items.map((item) => (
            <option key={item.workspace_id} value={item.workspace_id}>
              {workspaceName(item)}
            </option>
          ))}
        </SelectField>
        <TextArea
          label="Metadata"
          className="font-mono"
          rows={3}
          placeholder='{"release": "0.9"}'
          value={metadata}
          error={fault}
          hint="JSON to keep with it; may stay blank."
          onChange={(event) => setMetadata(event.target.value)}
        />
        <Problem error={create.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Not now
          </Button>
          <Button type="submit" look="primary" disabled={!name.trim() || !!fault} busy={create.isPending}>
            Open the topic
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
