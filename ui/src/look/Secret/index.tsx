import { Check, Copy } from 'lucide-react';
import { Button } from '../Button';
import { useCopied } from '../Copy';

/** Something that is shown once: a key or a secret. Only the component that got it keeps it. */
export function Secret({
  title = 'Copy the key now. It is shown once.',
  hint = 'The hub keeps only its hash. If you lose it, rotate the key.',
  label = 'Key',
  value,
  onCopy,
}: {
  title?: string;
  hint?: string;
  label?: string;
  value: string;
  onCopy?: () => void;
}) {
  const [copied, copy] = useCopied();
  return (
    <section className="rounded bg-accent-wash p-4" aria-label={label}>
      <p className="font-strong">{title}</p>
      <p className="text-text-2">{hint}</p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <output className="min-w-[200px] flex-1 break-all rounded border border-line-strong bg-raised px-3 py-2 font-mono text-small">
          {value}
        </output>
        <Button
          look="primary"
          className="max-wide:w-full"
          icon={copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
          onClick={() => copy(value).then(onCopy)}
        >
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
    </section>
  );
}
