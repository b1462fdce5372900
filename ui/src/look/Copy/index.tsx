import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';

/** Puts text where the reader can paste it. Where the browser forbids that (no HTTPS, no loopback), it goes the old way. */
export async function copyText(text: string) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** Copies, and says for a moment that it did. */
export function useCopied() {
  const [copied, set] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => set(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, (text: string) => copyText(text).then(() => set(true))] as const;
}

/** A button that copies. */
export function CopyButton({
  text,
  label = 'Copy',
  words = false,
  className = '',
  onCopy,
}: {
  text: string;
  label?: string;
  words?: boolean;
  className?: string;
  onCopy?: () => void;
}) {
  const [copied, copy] = useCopied();
  const Icon = copied ? Check : CopyIcon;
  return (
    <button
      type="button"
      aria-label={words ? undefined : label}
      title={words ? undefined : label}
      onClick={() => copy(text).then(onCopy)}
      className={`inline-flex items-center gap-1.5 rounded-small p-1 text-text-3 hover:bg-hover hover:text-text ${className}`}
    >
      <Icon size={14} aria-hidden="true" />
      {words && <span>{copied ? 'Copied' : label}</span>}
      {!words && (
        <span className="sr-only" role="status">
          {copied ? 'Copied' : ''}
        </span>
      )}
    </button>
  );
}

/** An id, cut in the middle, with a button to copy it whole. */
export function Id({ id, className = '' }: { id: string; className?: string }) {
  return (
    <span className={`inline-flex items-center gap-1 font-mono text-small ${className}`} title={id}>
      {shortId(id)}
      <CopyButton text={id} label={`Copy ${shortId(id)}`} />
    </span>
  );
}

export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

/** A command to copy. */
export function Command({ text }: { text: string }) {
  return (
    <span className="flex items-start justify-between gap-2 rounded border bg-sunk px-3 py-1.5">
      <code className="min-w-0 break-words py-0.5 text-left text-small">{text}</code>
      <CopyButton text={text} label="Copy command" />
    </span>
  );
}
