import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '@/look/Button';
import { SelectField, TextField } from '@/look/Field';
import { NameField } from '@/things/fields';
import type { Draft, Later, Rule, Strategy } from './draft';

const strategies: [Strategy, string][] = [
  ['broadcast', 'anybody'],
  ['direct', 'one agent'],
  ['role', 'a role'],
  ['capability', 'a capability'],
  ['mixed', 'any of several'],
  ['direct_with_fallback', 'one agent, later others'],
];

const ruleKinds: [Rule['strategy'], string][] = [
  ['direct', 'agent'],
  ['role', 'role'],
  ['capability', 'capability'],
];

type Props = { draft: Draft; onChange: (change: Partial<Draft>) => void; error?: string | null };

/** Who may take it. */
export function TargetFields({ draft, onChange, error }: Props) {
  const { strategy, word } = draft;
  const named = strategy === 'direct' || strategy === 'role' || strategy === 'capability' ? strategy : undefined;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <SelectField
          label="For"
          value={strategy}
          error={named || strategy === 'direct_with_fallback' ? undefined : error}
          onChange={(event) => onChange({ strategy: event.target.value as Strategy })}
        >
          {strategies.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        {named && <NameField kind={named} value={word} error={error} onChange={(next) => onChange({ word: next })} />}
        {strategy === 'direct_with_fallback' && (
          <NameField kind="direct" value={word} error={error} onChange={(next) => onChange({ word: next })} />
        )}
      </div>
      {strategy === 'mixed' && <Rules draft={draft} onChange={onChange} />}
      {strategy === 'direct_with_fallback' && <Fallback draft={draft} onChange={onChange} />}
    </div>
  );
}

function Rules({ draft, onChange }: Props) {
  const set = (rules: Rule[]) => onChange({ rules });
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="sr-only">Any of these</legend>
      {draft.rules.map((rule, i) => (
        <div key={i} className="flex items-start gap-1">
          <div className="w-32 shrink-0">
            <RuleKind
              kind={rule.strategy}
              label={`Kind of rule ${i + 1}`}
              kinds={ruleKinds}
              onChange={(strategy) => set(draft.rules.with(i, { strategy, word: '' }))}
            />
          </div>
          <div className="min-w-0 flex-1">
            <NameField
              kind={rule.strategy}
              label={`Name of rule ${i + 1}`}
              hideLabel
              value={rule.word}
              onChange={(word) => set(draft.rules.with(i, { ...rule, word }))}
            />
          </div>
          <IconButton
            label={`Remove rule ${i + 1}`}
            disabled={draft.rules.length === 1}
            onClick={() => set(draft.rules.toSpliced(i, 1))}
          >
            <X size={14} />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          look="quiet"
          icon={<Plus size={14} aria-hidden="true" />}
          className="-ml-2 px-2!"
          onClick={() => set([...draft.rules, { strategy: 'capability', word: '' }])}
        >
          Add a rule
        </Button>
      </div>
    </fieldset>
  );
}

function Fallback({ draft, onChange }: Props) {
  const { fallback } = draft;
  return (
    <div className="grid grid-cols-3 gap-3 max-wide:grid-cols-1">
      <TextField
        label="Others after, in seconds"
        type="number"
        min={0}
        value={draft.fallbackAfter}
        onChange={(event) => onChange({ fallbackAfter: event.target.value })}
      />
      <RuleKind
        kind={fallback.strategy}
        label="Then for"
        showLabel
        kinds={[['broadcast', 'anybody'] as [Later['strategy'], string], ...ruleKinds]}
        onChange={(strategy) => onChange({ fallback: { strategy, word: '' } })}
      />
      {fallback.strategy !== 'broadcast' && (
        <NameField
          kind={fallback.strategy}
          value={fallback.word}
          onChange={(word) => onChange({ fallback: { ...fallback, word } })}
        />
      )}
    </div>
  );
}

function RuleKind<K extends string>({
  kind,
  label,
  kinds,
  showLabel,
  onChange,
}: {
  kind: K;
  label: string;
  kinds: [K, string][];
  showLabel?: boolean;
  onChange: (kind: K) => void;
}) {
  return (
    <SelectField label={label} hideLabel={!showLabel} value={kind} onChange={(event) => onChange(event.target.value as K)}>
      {kinds.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectField>
  );
}
