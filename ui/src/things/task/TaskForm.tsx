import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { call, type Input } from '@/api/call';
import { useOp } from '@/api/query';
import { useDraft } from '@/app/draft';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { SelectField, TextArea, TextField } from '@/look/Field';
import { TaskGlyph } from '@/look/Glyph';
import { Picker } from '@/look/Picker';
import { Problem } from '@/look/Problem';
import { sends } from '@/look/sends';
import { complaint, NameField, WorkspaceField } from '../fields';
import { changesOf, type Draft, draftOf } from './draft';
import { type Task, taskStatuses, taskWord } from './moves';

type Props = {
  /** The task to change; without one a new one is made. */
  task?: Task;
  workspace: string;
  onClose: () => void;
  onDone: (taskId: string) => void;
};

/** A task, new or changed. What was typed is kept until the hub has taken it. */
export function TaskForm({ task, workspace, onClose, onDone }: Props) {
  const name = task ? `draft.task.${task.task_id}` : 'draft.task';
  const [draft, change, drop] = useDraft(name, draftOf(task), { given: { workspace } });
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);

  async function send(event?: FormEvent) {
    event?.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    const input = { project_root: draft.workspace, agent_id: 'operator', ...changesOf(draft, task) };
    try {
      const { task_id } = task
        ? await call('task_update', { ...input, task_id: task.task_id })
        : await call('task_create', input as Input<'task_create'>);
      drop();
      onDone(task_id);
    } catch (refused) {
      setError(refused as Error);
      setBusy(false);
    }
  }

  function press(event: KeyboardEvent<HTMLFormElement>) {
    if (sends(event) && event.currentTarget.reportValidity()) void send();
  }

  const about = complaint(error);
  return (
    <Dialog title={task ? 'Change the task' : 'Note a task'} onClose={onClose} wide>
      <form onSubmit={send} onKeyDown={press} className="flex flex-col gap-4">
        <Fields draft={draft} onChange={change} about={about} isNew={!task} />
        <Links draft={draft} onChange={change} about={about} self={task?.task_id} />
        {error && !fields.some(about) && <Problem error={error} />}
        <div className="sticky -bottom-5 -mx-5 -mb-5 flex justify-end gap-2 border-t bg-raised px-5 py-3">
          <Button look="quiet" onClick={onClose}>
            Not now
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            {task ? 'Change' : 'Note it'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Fields that say themselves what is wrong with them. */
const fields = ['title', 'description', 'reason', 'status', 'labels', 'priority', 'parent_id', 'depends_on'];

type Part = { draft: Draft; onChange: (change: Partial<Draft>) => void; about: (field: string) => string | undefined };

function Fields({ draft, onChange, about, isNew }: Part & { isNew: boolean }) {
  return (
    <>
      <TextField
        label="Title"
        required
        autoFocus
        maxLength={500}
        error={about('title')}
        value={draft.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextArea
        label="What is to be done"
        hint="Markdown"
        error={about('description')}
        value={draft.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        {isNew && (
          <WorkspaceField value={draft.workspace} onChange={(workspace) => onChange({ workspace, parent: '', dependsOn: [] })} />
        )}
        <SelectField
          label="State"
          error={about('status')}
          value={draft.status}
          onChange={(event) => onChange({ status: event.target.value })}
        >
          {taskStatuses.map((status) => (
            <option key={status} value={status}>
              {taskWord(status)}
            </option>
          ))}
        </SelectField>
        <NameField
          kind="direct"
          label="Assignee"
          optional
          value={draft.assignee}
          onChange={(assignee) => onChange({ assignee })}
        />
        <TextField
          label="Priority"
          hint="−100 to 100; usual is 0"
          type="number"
          min={-100}
          max={100}
          error={about('priority')}
          value={draft.priority}
          onChange={(event) => onChange({ priority: event.target.value })}
        />
        <TextField
          label="Labels"
          hint="Words, parted by commas"
          error={about('labels')}
          value={draft.labels}
          onChange={(event) => onChange({ labels: event.target.value })}
        />
      </div>
      {(draft.status === 'blocked' || draft.status === 'cancelled') && (
        <TextField
          label={draft.status === 'blocked' ? 'What it waits for' : 'Why'}
          required={draft.status === 'blocked'}
          error={about('reason')}
          value={draft.reason}
          onChange={(event) => onChange({ reason: event.target.value })}
        />
      )}
    </>
  );
}

function Links({ draft, onChange, about, self }: Part & { self?: string }) {
  const { workspace } = draft;
  const { data } = useOp('observe_tasks', { workspace, limit: 200 }, { enabled: !!workspace });
  if (!workspace) return <p className="text-small text-text-3">Choose a workspace to link it with other tasks.</p>;
  const options = (data?.items ?? [])
    .filter((task) => task.task_id !== self)
    .map((task) => ({ id: task.task_id, words: task.title, glyph: <TaskGlyph status={task.status} /> }));
  return (
    <>
      <Picker
        label="Part of"
        single
        placeholder="Type a part of a task’s title"
        error={about('parent_id')}
        options={options}
        picked={draft.parent ? [draft.parent] : []}
        onPick={([parent]) => onChange({ parent: parent ?? '' })}
      />
      <Picker
        label="Waits for"
        placeholder="Type a part of a task’s title"
        error={about('depends_on')}
        options={options}
        picked={draft.dependsOn}
        onPick={(dependsOn) => onChange({ dependsOn })}
      />
    </>
  );
}
