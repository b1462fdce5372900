import { useMemo, useState } from 'react';

const most = 500;

const looks: Record<string, string> = {
  '+': 'bg-ok-wash text-ok',
  '-': 'bg-bad-wash text-bad',
  '@': 'text-info',
};

/** A line of a patch: what it adds, takes away, or says about itself. */
export function lookOf(line: string): string {
  if (/^(\+\+\+|---|diff |index |new file|deleted file|rename )/.test(line)) return 'font-strong';
  return looks[line[0] ?? ''] ?? 'text-text-2';
}

/** A patch, line by line. The signs say what the colours say. */
export function Diff({ text }: { text: string }) {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const [shown, setShown] = useState(most);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable */}
      <pre tabIndex={0} className="max-h-[60vh] overflow-auto rounded bg-sunk py-2 text-small">
        <code className="block w-max min-w-full">
          {lines.slice(0, shown).map((line, i) => (
            <span key={i} className={`block px-3 ${lookOf(line)}`}>
              {line || ' '}
            </span>
          ))}
        </code>
      </pre>
      {lines.length > shown && (
        <button type="button" onClick={() => setShown(lines.length)} className="mt-1 min-h-6 text-accent">
          Show all {lines.length.toLocaleString()} lines
        </button>
      )}
    </>
  );
}
