/** On or off, at once. */
export function Switch({
  label,
  checked,
  disabled,
  onChange,
  describedBy,
}: {
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
  describedBy?: string;
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      aria-describedby={describedBy}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className="group inline-flex h-8 items-center gap-2 rounded disabled:opacity-60 max-wide:h-9"
    >
      <span className="flex h-5 w-9 items-center rounded-full border border-line-strong bg-sunk p-0.5 transition-colors group-aria-checked:border-accent group-aria-checked:bg-accent">
        <span className="size-3.5 rounded-full bg-line-strong transition-transform group-aria-checked:translate-x-4 group-aria-checked:bg-on-accent" />
      </span>
      <span className="text-text-2">{checked ? 'on' : 'off'}</span>
    </button>
  );
}
