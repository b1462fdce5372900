import { ChevronRight } from 'lucide-react';
import { useOp } from '@/api/query';
import { SelectField, TextArea, TextField } from '@/look/Field';
import { TaskGlyph, WorkGlyph } from '@/look/Glyph';
import { ListField } from '@/look/ListField';
import { Picker } from '@/look/Picker';
import { NameField, WorkspaceField } from '@/things/fields';
import { handoffTitle } from '@/things/title';
import type { Draft } from './draft';
import { TargetFields } from './TargetFields';

type Props = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** What the hub says about a field. */
  about: (field: string) => string | undefined;
};

/** The form: what and for whom first, the terms folded until somebody wants them. */
export function HandoffFields({ draft, onChange, about }: Props) {
  return (
    <>
      <TextArea
        label="What to do"
        hint="The first line is its name. Markdown, or a JSON object."
        error={about('payload')}
        required
        autoFocus
        rows={5}
        value={draft.payload}
        onChange={(event) => onChange({ payload: event.target.value })}
      />
      <TargetFields draft={draft} onChange={onChange} error={about('target')} />
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <WorkspaceField value={draft.workspace} onChange={(workspace) => onChange({ workspace, dependsOn: [], task: '' })} />
        <SelectField label="Seen by" value={draft.visibility} onChange={(event) => onChange({ visibility: event.target.value })}>
          <option value="public">everybody</option>
          <option value="eligible">those who may take it</option>
          <option value="private">those it concerns</option>
        </SelectField>
      </div>
      <details className="group" open={hasTerms(draft)}>
        <summary className="flex list-none items-center gap-1.5 py-1 text-text-2 hover:text-text">
          <ChevronRight size={14} aria-hidden="true" className="transition-transform group-open:rotate-90" />
          Terms: order, time, proof
        </summary>
        <div className="mt-3 flex flex-col gap-4">
          <Proof draft={draft} onChange={onChange} about={about} />
          <Limits draft={draft} onChange={onChange} about={about} />
          <Links draft={draft} onChange={onChange} about={about} />
        </div>
      </details>
    </>
  );
}

function hasTerms({ criteria, verify, priority, expires, maxAttempts, dependsOn, task }: Draft): boolean {
  return criteria.length + dependsOn.length > 0 || [verify, priority, expires, maxAttempts, task].some(Boolean);
}

function Proof({ draft, onChange, about }: Props) {
  const { verify } = draft;
  return (
    <>
      <ListField
        label="Acceptance criteria"
        hint="What must hold when it is done. Somebody then verifies it."
        error={about('acceptance_criteria')}
        add="Add a criterion"
        values={draft.criteria}
        onChange={(criteria) => onChange({ criteria })}
      />
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <SelectField
          label="Verified by"
          error={about('verify_by')}
          value={verify}
          onChange={(event) => onChange({ verify: event.target.value as Draft['verify'], verifier: '' })}
        >
          <option value="">{draft.criteria.length > 0 ? 'you, as there are criteria' : 'nobody'}</option>
          <option value="creator">you</option>
          <option value="agent">one agent</option>
          <option value="capability">a capability</option>
        </SelectField>
        {(verify === 'agent' || verify === 'capability') && (
          <NameField
            kind={verify === 'agent' ? 'direct' : 'capability'}
            value={draft.verifier}
            onChange={(verifier) => onChange({ verifier })}
          />
        )}
      </div>
    </>
  );
}

function Limits({ draft, onChange, about }: Props) {
  return (
    <div className="grid grid-cols-3 gap-3 max-wide:grid-cols-1">
      <TextField
        label="Priority"
        hint="−100 to 100; usual is 0"
        error={about('priority')}
        type="number"
        min={-100}
        max={100}
        value={draft.priority}
        onChange={(event) => onChange({ priority: event.target.value })}
      />
      <TextField
        label="Expires"
        hint="If nobody took it by then"
        error={about('expires_at')}
        type="datetime-local"
        value={draft.expires}
        onChange={(event) => onChange({ expires: event.target.value })}
      />
      <TextField
        label="Attempts"
        hint="Then it is parked for a person"
        error={about('max_attempts')}
        type="number"
        min={1}
        max={1000}
        value={draft.maxAttempts}
        onChange={(event) => onChange({ maxAttempts: event.target.value })}
      />
    </div>
  );
}

const unfinished = ['OPEN', 'CLAIMED', 'VERIFYING', 'PARKED'];

function Links({ draft, onChange, about }: Props) {
  const { workspace } = draft;
  const asked = { enabled: !!workspace };
  const handoffs = useOp('observe_handoffs', { workspace, limit: 200 }, asked).data?.items ?? [];
  const tasks = useOp('observe_tasks', { workspace, limit: 200 }, asked).data?.items ?? [];
  if (!workspace) return <p className="text-small text-text-3">Choose a workspace to link it with other work.</p>;
  return (
    <>
      <Picker
        label="Waits for"
        hint="It is offered when all of these are completed."
        error={about('depends_on')}
        placeholder="Type a part of a hand-off’s name"
        options={handoffs
          .filter((handoff) => unfinished.includes(handoff.status))
          .map((handoff) => ({
            id: handoff.handoff_id,
            words: handoffTitle(handoff),
            glyph: <WorkGlyph status={handoff.status} />,
          }))}
        picked={draft.dependsOn}
        onPick={(dependsOn) => onChange({ dependsOn })}
      />
      <Picker
        label="Task"
        single
        placeholder="Type a part of a task’s title"
        options={tasks.map((task) => ({ id: task.task_id, words: task.title, glyph: <TaskGlyph status={task.status} /> }))}
        picked={draft.task ? [draft.task] : []}
        onPick={([task]) => onChange({ task: task ?? '' })}
      />
    </>
  );
}
