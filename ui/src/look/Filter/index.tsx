import { Search, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { isTyping } from '../Grid';

/** Type to filter. The slash key brings the cursor here from anywhere on the page. */
export function Filter({
  value,
  onChange,
  label = 'Type to filter',
  wide,
}: {
  value: string;
  onChange: (value: string) => void;
  label?: string;
  wide?: boolean;
}) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      ref.current?.focus(); // selecting alone does not, in every browser
      ref.current?.select();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <div
      className={`relative flex h-8 items-center rounded border border-line bg-sunk focus-within:border-line-strong max-wide:h-9 ${wide ? 'min-w-0 flex-1' : 'w-56 max-wide:w-auto max-wide:min-w-0 max-wide:flex-1'}`}
    >
      <Search size={14} className="ml-2.5 shrink-0 text-text-3" aria-hidden="true" />
      <input
        ref={ref}
        value={value}
        aria-label={label}
        placeholder={label}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          if (value) onChange('');
          else ref.current?.blur();
        }}
        className="h-full min-w-0 flex-1 bg-transparent px-2 outline-none placeholder:text-text-3"
      />
      {value ? (
        <button
          type="button"
          aria-label="Clear the filter"
          onClick={() => onChange('')}
          className="mr-1 rounded-small p-1 text-text-3 hover:text-text"
        >
          <X size={14} />
        </button>
      ) : (
        <kbd className="mr-2 rounded-small border bg-raised px-1.5 text-meta text-text-3 max-wide:hidden">/</kbd>
      )}
    </div>
  );
}
