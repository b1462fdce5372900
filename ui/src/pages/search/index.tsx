import { Search as Glass, X } from 'lucide-react';
import { useDeferredValue, useEffect, useRef } from 'react';
import { useSearch } from '@/api/search';
import { setParams, useParam, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { IconButton, Segmented } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { isTyping } from '@/look/Grid';
import { Problem } from '@/look/Problem';
import { Chips } from './Chips';
import { Hits } from './Hits';
import { IndexState } from './IndexState';
import { Lesson } from './Lesson';
import { operatorsOf, withOperator } from './query';

const usual = 30;
const most = 100;

/** All that was written, by words and by meaning. */
export default function SearchPage() {
  const [q, setQ] = useParam('q');
  const [mode, setMode] = useParam('mode', 'hybrid');
  const [limit, setLimit] = useParam('limit', String(usual));
  const workspace = useWorkspace();
  const asked = useDeferredValue(q.trim());
  const narrowed = workspace && asked && !operatorsOf(asked).some(({ name }) => name === 'in');
  const input = {
    q: narrowed ? withOperator(asked, 'in', workspace) : asked,
    mode,
    limit: Math.min(Number(limit) || usual, most),
  };
  useViewCommand('search', input);
  const found = useSearch(input, { enabled: asked !== '' });
  const hits = asked ? found.data?.items : undefined;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-3 border-b px-6 py-3 max-wide:px-4">
        <div className="flex flex-wrap items-center gap-3">
          <Field value={q} onChange={setQ} />
          <Segmented
            label="How to search"
            value={mode}
            options={[
              ['hybrid', 'Both'],
              ['fts', 'Words'],
              ['semantic', 'Meaning'],
            ]}
            onChange={setMode}
          />
        </div>
        <Chips q={q} onChange={setQ} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {found.error && asked && (
          <div className="px-6 pt-4 max-wide:px-4">
            <Problem error={found.error} onRetry={() => found.refetch()} />
          </div>
        )}
        {asked && (found.data?.warnings.length ?? 0) > 0 && <Warnings warnings={found.data!.warnings} />}
        {!asked && <Lesson onTry={(example) => setQ(example)} />}
        {hits && hits.length === 0 && !found.isFetching && <Nothing mode={mode} />}
        {hits && hits.length > 0 && (
          <Hits
            hits={hits}
            dim={found.isPlaceholderData}
            onMore={hits.length >= input.limit && input.limit < most ? () => setLimit(String(most)) : undefined}
          />
        )}
      </div>
      <IndexState />
    </div>
  );
}

/** The one field. The slash key brings the cursor here; the arrow down leads to what was found. */
function Field({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      ref.current?.select();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <div className="flex h-10 min-w-0 flex-1 items-center rounded border border-line-strong bg-raised focus-within:border-accent focus-within:shadow-[0_0_0_1px_var(--accent)] max-wide:basis-full">
      <Glass size={16} className="ml-3 shrink-0 text-text-3" aria-hidden="true" />
      <input
        ref={ref}
        autoFocus
        type="text"
        role="searchbox"
        aria-label="Search all that was written"
        placeholder="Words, or a question"
        spellCheck={false}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setParams({ limit: undefined });
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || (event.key === 'Enter' && !event.nativeEvent.isComposing)) {
            event.preventDefault();
            document.querySelector<HTMLElement>('#page [data-row]')?.focus();
          } else if (event.key === 'Escape' && value) {
            event.stopPropagation();
            onChange('');
          }
        }}
        className="h-full min-w-0 flex-1 bg-transparent px-3 outline-none placeholder:text-text-3"
      />
      {value && (
        <IconButton label="Clear the search" onClick={() => onChange('')}>
          <X size={16} />
        </IconButton>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: { code: string; message: string }[] }) {
  return (
    <ul role="status" className="mx-6 mt-3 rounded bg-warn-wash px-3 py-1.5 text-warn max-wide:mx-4">
      {warnings.map((warning) => (
        <li key={warning.code + warning.message}>{warning.message}</li>
      ))}
    </ul>
  );
}

function Nothing({ mode }: { mode: string }) {
  return (
    <Empty title="Nothing was found">
      Use fewer words, take a condition away,{' '}
      {mode === 'fts' ? 'or search by meaning too.' : 'or write the beginning of a word with a star: leas*'}
    </Empty>
  );
}
