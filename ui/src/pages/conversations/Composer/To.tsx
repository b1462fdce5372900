import { Megaphone, Users, X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useMesh } from '@/api/mesh';
import { closeness } from '@/app/Palette';
import { Avatar } from '@/look/Avatar';
import { type Recipient, recipientWords, sameRecipient, suggestions, withRecipient } from './recipient';

/** How many suggestions are shown. */
const few = 8;

/** Whom it is for: chips, and a field that suggests agents, roles, capabilities, channels and everybody. */
export function To({
  to,
  workspace,
  focus,
  onChange,
}: {
  to: Recipient[];
  workspace: string;
  focus?: boolean;
  onChange: (to: Recipient[]) => void;
}) {
  const mesh = useMesh();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const words = (one: Recipient) => recipientWords(one, mesh.channels);
  const asked = text.trim();
  const options = !open
    ? []
    : suggestions(mesh, workspace)
        .filter((one) => !to.some((other) => sameRecipient(one, other)))
        .map((one) => ({ one, score: closeness(words(one), asked) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, few)
        .map(({ one }) => one);
  const now = Math.min(at, options.length - 1);

  function pick(one: Recipient | undefined) {
    if (!one) return;
    onChange(withRecipient(to, one));
    setText('');
    setAt(0);
    setOpen(false);
    field.current?.focus();
  }

  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      setAt(options.length > 0 ? (now + step + options.length) % options.length : 0);
    } else if (event.key === 'Enter' || (event.key === ',' && asked)) {
      event.preventDefault();
      pick(options[now]);
    } else if (event.key === 'Escape' && (open || text)) {
      event.stopPropagation();
      setOpen(false);
      setText('');
    } else if (event.key === 'Backspace' && !text) onChange(to.slice(0, -1));
  }

  return (
    <div className="relative flex flex-wrap items-center gap-1.5">
      <span className="text-text-2" id={`${id}-to`}>
        To
      </span>
      {to.map((one) => (
        <Chip
          key={one.kind + one.id}
          one={one}
          words={words(one)}
          onRemove={() => onChange(to.filter((other) => !sameRecipient(one, other)))}
        />
      ))}
      <input
        ref={field}
        autoFocus={focus}
        role="combobox"
        aria-label="To: agent, role, capability, channel or everybody"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={options[now] ? `${id}-${now}` : undefined}
        placeholder={hint(to)}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
          setAt(0);
        }}
        onFocus={() => setOpen(to.length === 0)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
        className="h-7 min-w-12 flex-1 bg-transparent outline-none placeholder:text-text-3"
      />
      {options.length > 0 && (
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label="Suggestions"
          className="absolute bottom-full left-0 z-20 mb-2 w-72 max-w-full rounded bg-raised p-1 shadow-float"
        >
          {options.map((one, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
            <div
              key={one.kind + one.id}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === now}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(one)}
              onPointerMove={() => setAt(i)}
              className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-small px-2 max-wide:min-h-10 ${i === now ? 'bg-selected' : ''}`}
            >
              <Picture one={one} />
              <span className="truncate">{words(one)}</span>
              {one.kind === 'agent' && (
                <span className="ml-auto truncate text-small text-text-3">{mesh.agents.get(one.id)?.role}</span>
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function hint(to: Recipient[]): string {
  if (to.length === 0) return 'agent, role, capability, channel or everybody';
  return to.every(({ kind }) => kind === 'channel') ? 'everybody present, or somebody' : 'add';
}

function Chip({ one, words, onRemove }: { one: Recipient; words: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-7 min-w-0 max-w-full items-center gap-1.5 rounded border bg-sunk pl-1.5">
      <Picture one={one} />
      <span className="truncate">{words}</span>
      <button
        type="button"
        aria-label={`Remove ${words}`}
        onClick={onRemove}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-small text-text-2 hover:text-text"
      >
        <X size={12} />
      </button>
    </span>
  );
}

function Picture({ one: { kind, id } }: { one: Recipient }) {
  if (kind === 'agent') return <Avatar id={id} size="small" />;
  if (kind === 'channel') return null; // its name begins with the sign
  const Icon = { everybody: Megaphone, role: Users, capability: Users }[kind];
  return <Icon size={14} className="mx-0.5 shrink-0 text-text-2" aria-hidden="true" />;
}
