import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { isTyping } from '../Grid';

/** One condition: what is compared, and with what. */
export type Token = { name: string; value: string };

/** What can be chosen for a condition. */
export type Suggestions = { name: string; word: string; values: string[] };

type Props = {
  label: string;
  tokens: Token[];
  onChange: (tokens: Token[]) => void;
  suggestions: Suggestions[];
};

const most = 12;

/** Conditions as words in a field: type a part of one, choose with the arrows, take away with Backspace. */
export function TokenFilter({ label, tokens, onChange, suggestions }: Props) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const choices = open ? matching(suggestions, text, tokens) : [];

  useEffect(() => {
    function press(event: globalThis.KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  function choose(token: Token) {
    onChange([...tokens, token]);
    setText('');
    setAt(0);
  }

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && choices.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      const chosen = choices[Math.min(at, choices.length - 1)];
      if (chosen) choose(chosen);
    } else if (event.key === 'Backspace' && !text) {
      onChange(tokens.slice(0, -1));
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (text) setText('');
      else field.current?.blur();
    }
  }

  return (
    <div className="relative min-w-0 flex-1 max-wide:basis-full">
      <div className="flex min-h-8 flex-wrap items-center gap-1.5 rounded border border-line-strong bg-sunk px-2.5 py-1 max-wide:min-h-9">
        <Search size={14} className="shrink-0 text-text-3" aria-hidden="true" />
        {tokens.map((token, i) => (
          <span
            key={`${token.name}:${token.value}`}
            className="inline-flex max-w-full items-center gap-1 rounded-small bg-accent-wash pl-1.5 text-accent text-small"
          >
            <span className="truncate">
              {token.name}: {token.value}
            </span>
            <button
              type="button"
              aria-label={`Take away ${token.name}: ${token.value}`}
              onClick={() => onChange(tokens.toSpliced(i, 1))}
              className="rounded-small p-1 hover:bg-hover"
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <input
          ref={field}
          role="combobox"
          aria-label={label}
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={choices.length > 0 ? `${id}-${Math.min(at, choices.length - 1)}` : undefined}
          placeholder={tokens.length === 0 ? label : ''}
          value={text}
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={press}
          className="h-5 min-w-24 flex-1 bg-transparent outline-none placeholder:text-text-3"
        />
        <kbd className="rounded-small border bg-raised px-1.5 text-meta text-text-3 max-wide:hidden">/</kbd>
      </div>
      {choices.length > 0 && (
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label="Conditions"
          className="absolute top-full left-0 z-30 mt-1 max-h-80 w-full max-w-[420px] overflow-y-auto rounded bg-raised p-1 shadow-float"
        >
          {choices.map((choice, i) => (
            <div
              key={`${choice.name}:${choice.value}`}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onPointerDown={(event) => {
                event.preventDefault(); // the field keeps the focus
                choose(choice);
              }}
              className={`flex min-h-8 cursor-pointer items-center gap-3 rounded-small px-2 hover:bg-hover ${i === at ? 'bg-selected' : ''}`}
            >
              <span className="w-16 shrink-0 text-small text-text-3">{choice.word}</span>
              <span className="truncate">{choice.value}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** What fits the text: `name:part`, or a part of any value. What cannot be completed can be taken as it was typed, with its name. */
export function matching(suggestions: Suggestions[], text: string, taken: Token[]): (Token & { word: string })[] {
  const [, name = '', part = ''] = /^(?:(\w+):)?(.*)$/.exec(text.trim()) ?? [];
  const sought = part.trim().toLowerCase();
  const found = suggestions
    .filter((group) => !name || group.name === name)
    .flatMap((group) => group.values.map((value) => ({ name: group.name, word: group.word, value })))
    .filter(({ value }) => value.toLowerCase().includes(sought))
    .filter((choice) => !taken.some((token) => token.name === choice.name && token.value === choice.value))
    .slice(0, most);
  const group = suggestions.find((known) => known.name === name);
  if (group && part.trim() && !found.some(({ value }) => value === part.trim()))
    found.push({ name, word: group.word, value: part.trim() });
  return found;
}
