import { type ComponentProps, type ReactNode, useId } from 'react';

const control =
  'w-full rounded border border-line-strong bg-raised px-2.5 text-text placeholder:text-text-3 disabled:opacity-60 aria-invalid:border-bad';

type Labelled = { label: string; hint?: ReactNode; error?: string | null; hideLabel?: boolean };

function Frame({ id, label, hint, error, hideLabel, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-strong text-small text-text-2'}>
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-hint`} className="text-bad text-small" role="alert">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="text-small text-text-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: Labelled) => ({
  id,
  'aria-invalid': !!error || undefined,
  'aria-describedby': hint || error ? `${id}-hint` : undefined,
});

export function TextField({ label, hint, error, hideLabel, className = '', ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hideLabel }}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...described(id, { label, hint, error })}
        className={`h-8 max-wide:h-9 ${control} ${className}`}
      />
    </Frame>
  );
}

export function TextArea({ label, hint, error, hideLabel, className = '', ...rest }: Labelled & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hideLabel }}>
      <textarea
        rows={4}
        {...rest}
        {...described(id, { label, hint, error })}
        className={`resize-y py-1.5 ${control} ${className}`}
      />
    </Frame>
  );
}

export function SelectField({
  label,
  hint,
  error,
  hideLabel,
  className = '',
  children,
  ...rest
}: Labelled & ComponentProps<'select'>) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hideLabel }}>
      <select {...rest} {...described(id, { label, hint, error })} className={`h-8 max-wide:h-9 ${control} ${className}`}>
        {children}
      </select>
    </Frame>
  );
}

/** Yes or no, with the words beside it. */
export function CheckField({ label, hint, ...rest }: { label: ReactNode; hint?: ReactNode } & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-small text-text-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
