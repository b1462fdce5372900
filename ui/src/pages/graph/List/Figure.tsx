import type { ReactNode } from 'react';

const numbers = new Intl.NumberFormat();

type Props = { value: number; label: string; hint?: string; glyph?: ReactNode; onClick: () => void };

/** A number in a row, that leads to what it counts. With a glyph, nothing is nothing; without, it is a dash. */
export function Figure({ value, label, hint, glyph, onClick }: Props) {
  if (value === 0) return glyph ? <span /> : <span className="text-text-3">–</span>;
  return (
    <button
      type="button"
      aria-label={`${value} ${label}`}
      title={hint ? `${value} ${label}, ${hint}` : `${value} ${label}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.stopPropagation()}
      className="inline-flex min-h-6 min-w-6 items-center justify-end gap-1 justify-self-start rounded-small hover:text-accent hover:underline"
    >
      {glyph}
      {numbers.format(value)}
    </button>
  );
}
