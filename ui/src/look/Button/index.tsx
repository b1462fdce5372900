import type { ComponentProps, ReactNode } from 'react';

const looks = {
  primary: 'bg-accent text-on-accent font-strong hover:opacity-90',
  plain: 'border bg-raised font-strong hover:bg-hover',
  quiet: 'text-text-2 hover:bg-hover hover:text-text',
  danger: 'text-bad hover:bg-bad-wash',
  'danger-primary': 'bg-bad text-surface font-strong hover:opacity-90',
};

export type ButtonLook = keyof typeof looks;

const shape =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded px-3 transition-colors max-wide:h-9';

/** A button. Its words are a verb. While `busy` it keeps its place and takes no second press. */
export function Button({
  look = 'plain',
  busy,
  icon,
  children,
  className = '',
  ...rest
}: ComponentProps<'button'> & { look?: ButtonLook; busy?: boolean; icon?: ReactNode }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={`${shape} disabled:cursor-default disabled:opacity-50 ${looks[look]} ${className}`}
    >
      {icon}
      {children}
    </button>
  );
}

/** A link that looks like a button: for what the browser itself fetches, such as a file. */
export function ButtonLink({
  look = 'plain',
  icon,
  children,
  className = '',
  ...rest
}: ComponentProps<'a'> & { look?: ButtonLook; icon?: ReactNode }) {
  return (
    <a {...rest} className={`${shape} ${looks[look]} ${className}`}>
      {icon}
      {children}
    </a>
  );
}

/** A button that is only a picture; its name is for those who do not see it, and on hover. */
export function IconButton({ label, children, className = '', ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded text-text-2 hover:bg-hover hover:text-text disabled:opacity-50 max-wide:size-9 ${className}`}
    >
      {children}
    </button>
  );
}

/** A choice of a few, side by side. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="inline-flex h-8 rounded border bg-sunk max-wide:h-9" aria-label={label}>
      {options.map(([option, word]) => (
        <label
          key={option}
          className="relative flex cursor-pointer items-center rounded px-3 text-text-2 has-checked:bg-raised has-checked:font-strong has-checked:text-text has-checked:shadow-[0_0_0_1px_var(--line)] has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
        >
          <input
            type="radio"
            className="absolute inset-0 cursor-pointer appearance-none opacity-0"
            checked={value === option}
            onChange={() => onChange(option)}
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}
