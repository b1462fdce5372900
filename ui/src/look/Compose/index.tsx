import { CornerUpLeft, X } from 'lucide-react';
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { IconButton } from '../Button';
import { Problem } from '../Problem';
import { sends } from '../sends';

/** Where one writes: fields in a frame. From every one of them Ctrl-Enter, or ⌘-Enter, sends. */
export function Compose({
  error,
  notice,
  onSend,
  className = '',
  children,
}: {
  error?: Error | null;
  /** What the hub had to say to what was sent last. */
  notice?: ReactNode;
  onSend: () => void;
  /** Of the frame. */
  className?: string;
  children: ReactNode;
}) {
  function press(event: KeyboardEvent) {
    if (!sends(event)) return;
    event.preventDefault();
    onSend();
  }

  return (
    <div className="shrink-0 px-6 pt-2 pb-4 max-wide:px-3 max-wide:pb-3">
      {error && (
        <div className="mb-2">
          <Problem error={error} onRetry={onSend} />
        </div>
      )}
      {notice}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key sends from every field in it */}
      <div
        onKeyDown={press}
        className={`rounded border border-line-strong bg-raised px-3 py-2 focus-within:border-accent focus-within:shadow-[0_0_0_1px_var(--accent)] ${className}`}
      >
        {children}
      </div>
    </div>
  );
}

/** The field for the words. It grows with them. */
export function ComposeText(props: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={2}
      {...props}
      className="field-sizing-content max-h-[35vh] min-h-11 w-full resize-none bg-transparent py-0.5 outline-none placeholder:text-text-3"
    />
  );
}

/** What is being answered, with a way out. */
export function Answering({ children, onEnd }: { children: ReactNode; onEnd: () => void }) {
  return (
    <div className="-mx-3 -mt-2 mb-2 flex items-center gap-2 border-b pr-1 pl-3 text-small text-text-2">
      <CornerUpLeft size={14} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">Answers {children}</span>
      <IconButton label="Do not answer it" onClick={onEnd}>
        <X size={14} />
      </IconButton>
    </div>
  );
}
