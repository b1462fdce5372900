import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

export type Option = { id: string; words: string; glyph?: ReactNode };

type Props = {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  options: Option[];
  picked: string[];
  onPick: (picked: string[]) => void;
  placeholder?: string;
  /** Only one at a time. */
  single?: boolean;
};

const shown = 6;

/** Things picked by typing a part of their name. The arrows choose, Enter takes, Backspace gives the last one back. */
export function Picker({ label, hint, error, options, picked, onPick, placeholder, single }: Props) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const asked = text.trim().toLowerCase();
  const fitting = options
    .filter((option) => !picked.includes(option.id) && `${option.words}\n${option.id}`.toLowerCase().includes(asked))
    .slice(0, shown);
  const now = Math.min(at, fitting.length - 1);
  const listed = open && fitting.length > 0;

  function pick(option: Option) {
    onPick(single ? [option.id] : [...picked, option.id]);
    setText('');
    setAt(0);
    setOpen(false);
  }

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (!listed) setOpen(true);
      else setAt((now + step + fitting.length) % fitting.length);
    } else if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey && listed) {
      event.preventDefault();
      pick(fitting[now]!);
    } else if (event.key === 'Escape' && listed) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'Backspace' && !text) onPick(picked.slice(0, -1));
  }

  return (
    <div className="relative flex flex-col gap-1">
      <label htmlFor={id} className="font-strong text-small text-text-2">
        {label}
      </label>
      <div className="flex min-h-8 flex-wrap items-center gap-1 rounded border border-line-strong bg-raised px-1.5 py-0.5 focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2 max-wide:min-h-9">
        <Chosen options={options} picked={picked} onPick={onPick} />
        <input
          id={id}
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          aria-expanded={listed}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={listed ? `${id}-${now}` : undefined}
          aria-describedby={hint || error ? `${id}-hint` : undefined}
          aria-invalid={!!error || undefined}
          placeholder={picked.length === 0 ? placeholder : undefined}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={press}
          className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none placeholder:text-text-3"
        />
      </div>
      <Suggestions id={id} label={label} options={listed ? fitting : []} at={now} onPick={pick} />
      {(error || hint) && (
        <p id={`${id}-hint`} role={error ? 'alert' : undefined} className={`text-small ${error ? 'text-bad' : 'text-text-3'}`}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

function Chosen({ options, picked, onPick }: Pick<Props, 'options' | 'picked' | 'onPick'>) {
  return picked.map((id) => {
    const option = options.find((other) => other.id === id);
    const words = option?.words ?? id;
    return (
      <span key={id} className="inline-flex max-w-full items-center gap-1 rounded-small bg-sunk pl-1.5 text-small">
        {option?.glyph}
        <span className="truncate">{words}</span>
        <button
          type="button"
          aria-label={`Remove ${words}`}
          onClick={() => onPick(picked.filter((other) => other !== id))}
          className="inline-flex size-6 items-center justify-center rounded-small text-text-3 hover:text-text"
        >
          <X size={12} />
        </button>
      </span>
    );
  });
}

type Listed = { id: string; label: string; options: Option[]; at: number; onPick: (option: Option) => void };

/** They stand in the flow, not over it: a dialog would cut what floats. */
function Suggestions({ id, label, options, at, onPick }: Listed) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label={label} className={options.length > 0 ? 'rounded border p-1' : 'hidden'}>
      {options.map((option, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
        <div
          key={option.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === at}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
          className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-small px-2 hover:bg-hover ${i === at ? 'bg-selected' : ''}`}
        >
          {option.glyph}
          <span className="truncate">{option.words}</span>
        </div>
      ))}
    </div>
  );
}
