import { ChevronRight } from 'lucide-react';
import { useState } from 'react';

/** How many members a fold shows at first, and with every further press. */
const most = 100;

/** Folds of up to so many members are open, down to so many levels. */
const few = 20;
const shallow = 2;

/** JSON that is read, not copied: folded where it is large, and drawn only where it is open. */
export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className="overflow-x-auto rounded bg-sunk p-3 font-mono text-small">
      <Value value={value} depth={0} />
    </div>
  );
}

function Value({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  if (value !== null && typeof value === 'object') return <Fold name={name} value={value} depth={depth} />;
  return (
    <div className="break-words pl-4">
      <Name name={name} />
      <Plain value={value} />
    </div>
  );
}

function Fold({ name, value, depth }: { name?: string; value: object; depth: number }) {
  const members = Object.entries(value);
  const isList = Array.isArray(value);
  const [open, setOpen] = useState(depth < shallow && (depth === 0 || members.length <= few));
  const [shown, setShown] = useState(most);
  if (members.length === 0) {
    return (
      <div className="pl-4">
        <Name name={name} />
        {isList ? '[]' : '{}'}
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 max-w-full items-center text-left hover:text-accent"
      >
        <ChevronRight size={12} aria-hidden="true" className={`mr-1 shrink-0 ${open ? 'rotate-90' : ''}`} />
        <span className="min-w-0 break-words">
          <Name name={name} />
          <span className="text-text-3">{memberWords(members.length, isList)}</span>
        </span>
      </button>
      {open && (
        <div className="ml-1.5 border-l pl-2">
          {members.slice(0, shown).map(([key, member]) => (
            <Value key={key} name={isList ? undefined : key} value={member} depth={depth + 1} />
          ))}
          {members.length > shown && (
            <button type="button" onClick={() => setShown(shown + most)} className="min-h-6 pl-4 text-accent">
              Show {Math.min(most, members.length - shown)} more of {members.length.toLocaleString()}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function memberWords(count: number, isList: boolean): string {
  const word = isList ? 'item' : 'field';
  return `${count.toLocaleString()} ${word}${count === 1 ? '' : 's'}`;
}

function Name({ name }: { name?: string }) {
  if (name === undefined) return null;
  return <span className="text-text-2">{name === '' ? '""' : name}: </span>;
}

function Plain({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="whitespace-pre-wrap">{JSON.stringify(value)}</span>;
  return <span className="text-info">{String(value)}</span>;
}
