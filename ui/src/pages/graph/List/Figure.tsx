const numbers = new Intl.NumberFormat();

/** A number in a row, that leads to what it counts. */
export function Figure({ value, label, onClick }: { value: number; label: string; onClick: () => void }) {
  if (value === 0) return <span className="text-text-3">–</span>;
  return (
    <button
      type="button"
      aria-label={`${value} ${label}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.stopPropagation()}
      className="min-h-6 min-w-6 rounded-small text-right hover:text-accent hover:underline"
    >
      {numbers.format(value)}
    </button>
  );
}
