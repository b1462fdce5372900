import { Plus, X } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button, IconButton } from '../Button';

/** A list of short texts, one field each. Enter leads to the next one. */
export function ListField({
  label,
  hint,
  error,
  add,
  values,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  /** What the button says. */
  add: string;
  values: string[];
  onChange: (values: string[]) => void;
}) {
  const id = useId();
  const root = useRef<HTMLFieldSetElement>(null);

  /** Changes the list and has the cursor in its place before the next key comes. */
  function set(next: string[], focus: number) {
    flushSync(() => onChange(next));
    root.current?.querySelectorAll('input')[focus]?.focus();
  }

  const more = (after = values.length - 1) => set(values.toSpliced(after + 1, 0, ''), after + 1);

  return (
    <fieldset ref={root} aria-describedby={hint || error ? id : undefined} className="flex flex-col gap-1">
      <legend className="mb-1 font-strong text-small text-text-2">{label}</legend>
      {values.map((value, i) => (
        <div key={i} className="flex gap-1">
          <input
            aria-label={`${label}, ${i + 1}`}
            value={value}
            autoComplete="off"
            onChange={(event) => onChange(values.with(i, event.target.value))}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.metaKey || event.ctrlKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (value.trim()) more(i);
            }}
            className="h-8 min-w-0 flex-1 rounded border border-line-strong bg-raised px-2.5 max-wide:h-9"
          />
          <IconButton
            label={`Remove ${value || `${label}, ${i + 1}`}`}
            onClick={() => set(values.toSpliced(i, 1), Math.max(0, i - 1))}
          >
            <X size={14} />
          </IconButton>
        </div>
      ))}
      <div>
        <Button look="quiet" onClick={() => more()} icon={<Plus size={14} aria-hidden="true" />} className="-ml-2 px-2!">
          {add}
        </Button>
      </div>
      {(error || hint) && (
        <p id={id} role={error ? 'alert' : undefined} className={`text-small ${error ? 'text-bad' : 'text-text-3'}`}>
          {error ?? hint}
        </p>
      )}
    </fieldset>
  );
}
