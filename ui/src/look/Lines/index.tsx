import type { ReactNode } from 'react';

/** A part of a page or an inspector, parted by a line. */
export function Section({ title, aside, children }: { title?: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="border-b px-5 py-4 last:border-b-0">
      {(title || aside) && (
        <header className="mb-2 flex items-baseline justify-between gap-3">
          <h3 className="text-text-2">{title}</h3>
          {aside && <span className="text-text-2">{aside}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

/** What is known of a thing, name by name. Blank ones are left out. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  if (known.length === 0) return null;
  return (
    <dl className="grid grid-cols-[minmax(72px,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Knot = { key: string | number; glyph: ReactNode; what: ReactNode; why?: ReactNode; when: ReactNode };

/** What happened to a thing, newest first: knots on a thread. */
export function Thread({ knots }: { knots: Knot[] }) {
  return (
    <ol className="flex flex-col">
      {knots.map((knot) => (
        <li key={knot.key} className="group relative flex gap-3 pb-3 last:pb-0">
          <span className="relative z-10 flex h-5 items-center bg-surface">{knot.glyph}</span>
          <span aria-hidden="true" className="absolute top-5 bottom-0 left-2 w-px -translate-x-px bg-line group-last:hidden" />
          <span className="min-w-0 flex-1">
            <span className="block break-words">{knot.what}</span>
            {knot.why && <span className="block break-words text-small text-text-2">{knot.why}</span>}
          </span>
          <span className="shrink-0 text-small text-text-3">{knot.when}</span>
        </li>
      ))}
    </ol>
  );
}

/** A line across a list where another day begins. */
export function Day({ name, className }: { name: string; className: string }) {
  return (
    <h3 className={`flex items-center gap-3 text-small text-text-2 ${className}`}>
      <span className="h-px flex-1 bg-line" />
      {name}
      <span className="h-px flex-1 bg-line" />
    </h3>
  );
}

/** A number with its word; every number leads to what it counts. */
export function Count({ value, word, onClick }: { value: ReactNode; word: string; onClick?: () => void }) {
  const inner = (
    <>
      <span className="block font-strong text-title">{value}</span>
      <span className="block text-small text-text-2">{word}</span>
    </>
  );
  return onClick ? (
    <button type="button" onClick={onClick} className="rounded-small text-left hover:text-accent">
      {inner}
    </button>
  ) : (
    <span>{inner}</span>
  );
}

/** A word in a small frame, such as a label or a filter. */
export function Tag({
  children,
  tone = 'quiet',
}: {
  children: ReactNode;
  tone?: 'quiet' | 'accent' | 'warn' | 'bad' | 'ok' | 'info';
}) {
  const look = {
    quiet: 'bg-sunk text-text-2',
    accent: 'bg-accent-wash text-accent',
    warn: 'bg-warn-wash text-warn',
    bad: 'bg-bad-wash text-bad',
    ok: 'bg-ok-wash text-ok',
    info: 'bg-info-wash text-info',
  }[tone];
  return <span className={`inline-flex items-center rounded-small px-1.5 text-small ${look}`}>{children}</span>;
}
