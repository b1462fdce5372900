import { Lock, RotateCcw } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useMayAdminister } from '@/api/me';
import { again, useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { SelectField, TextField } from '@/look/Field';
import { Tag } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import { Switch } from '@/look/Switch';
import { lockedBy, readValue, type Setting, shownValue, sourceWord, textOf, unitHint } from '../knobs';

/** One setting: what it is, what it is set to and by whom. Each is saved by itself, with its error beside it. */
export function Knob({ setting }: { setting: Setting }) {
  const mayAdminister = useMayAdminister();
  const [draft, setDraft] = useState<string>();
  const change = useAct('settings_change');
  const about = useId();
  const locked = lockedBy(setting);

  async function send(value: unknown) {
    const sent = change.mutateAsync({ values: { [setting.key]: value } as never });
    const done = await sent.then(() => again('settings_list')).catch(() => 'refused');
    if (done !== 'refused') setDraft(undefined);
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)_260px] gap-x-6 gap-y-2 border-line-soft border-b py-3 last:border-b-0 max-wide:grid-cols-1">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <code className="break-all font-strong text-small">{setting.key}</code>
          <Tag tone={setting.source === 'stored' ? 'accent' : 'quiet'}>{sourceWord(setting)}</Tag>
          {setting.requires_restart && !locked && <Tag tone="warn">after a restart</Tag>}
        </div>
        <p id={about} className="text-text-2">
          {setting.description}
        </p>
        {locked && (
          <p className="mt-0.5 flex items-start gap-1.5 text-small text-text-3">
            <Lock size={12} className="mt-0.5 shrink-0" aria-hidden="true" />
            <span className="min-w-0 break-words">{locked}</span>
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        {locked ? (
          <Fixed setting={setting} />
        ) : (
          <Editor
            setting={setting}
            draft={draft}
            disabled={!mayAdminister}
            busy={change.isPending}
            about={about}
            onDraft={setDraft}
            onSend={send}
          />
        )}
        {setting.source === 'stored' && setting.editable && mayAdminister && draft === undefined && (
          <Button
            look="quiet"
            className="h-6 self-start px-1! text-small max-wide:h-8"
            icon={<RotateCcw size={12} aria-hidden="true" />}
            busy={change.isPending}
            onClick={() => send(null)}
          >
            Reset to {shownValue(setting.default)}
          </Button>
        )}
        <Problem error={change.error} />
      </div>
    </div>
  );
}

/** A value that cannot be changed here. */
function Fixed({ setting }: { setting: Setting }) {
  return textOf(setting.value) ? (
    <code className="break-all text-small">{shownValue(setting.value)}</code>
  ) : (
    <span className="text-text-3">not set</span>
  );
}

type EditorProps = {
  setting: Setting;
  draft?: string;
  disabled: boolean;
  busy: boolean;
  about: string;
  onDraft: (draft: string | undefined) => void;
  onSend: (value: unknown) => void;
};

/** The field that a setting's type asks for. A switch holds at once; everything else is saved. */
function Editor({ setting, draft, disabled, busy, about, onDraft, onSend }: EditorProps) {
  const text = draft ?? textOf(setting.value);
  const dirty = draft !== undefined && draft !== textOf(setting.value);
  const read = readValue(setting, text);
  const wrong = dirty && 'wrong' in read ? read.wrong : undefined;
  if (setting.type === 'bool') {
    return (
      <Switch
        label={setting.key}
        checked={setting.value === true}
        disabled={disabled || busy}
        describedBy={about}
        onChange={onSend}
      />
    );
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (dirty && 'value' in read) onSend(read.value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !dirty) return;
        event.stopPropagation();
        onDraft(undefined);
      }}
    >
      <Entry setting={setting} text={text} wrong={wrong} disabled={disabled} onDraft={onDraft} />
      {dirty && (
        <div className="flex gap-2">
          <Button look="primary" type="submit" busy={busy} disabled={!!wrong}>
            Save
          </Button>
          <Button look="quiet" onClick={() => onDraft(undefined)}>
            Undo
          </Button>
        </div>
      )}
    </form>
  );
}

type EntryProps = Pick<EditorProps, 'setting' | 'disabled' | 'onDraft'> & { text: string; wrong?: string };

function Entry({ setting, text, wrong, disabled, onDraft }: EntryProps): ReactNode {
  const shared = { label: setting.key, hideLabel: true, disabled, value: text };
  if (setting.type === 'enum') {
    return (
      <SelectField {...shared} onChange={(event) => onDraft(event.target.value)}>
        {setting.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      {...shared}
      {...(setting.type === 'int' && { type: 'number', min: setting.min ?? undefined, max: setting.max ?? undefined, step: 1 })}
      error={wrong}
      hint={setting.type === 'list' ? 'With commas between them' : unitHint(setting.key, text) || undefined}
      onChange={(event) => onDraft(event.target.value)}
    />
  );
}
