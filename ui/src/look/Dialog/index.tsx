import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../Button';

const fields = 'input:enabled:not([type=checkbox], [type=radio]), textarea:enabled, select:enabled';

/** A dialog: for asking, not for reading. The browser keeps the focus in it and closes it with Esc. */
export function Dialog({
  title,
  children,
  onClose,
  wide,
  bare,
}: {
  title: string;
  children: ReactNode;
  onClose: () => void;
  wide?: boolean;
  bare?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current!;
    const before = document.activeElement;
    dialog.showModal();
    // The browser would take the button that closes it, which comes first.
    const body = dialog.querySelector('[data-body]');
    const first = body?.querySelector<HTMLElement>(fields) ?? body?.querySelector<HTMLElement>('button:enabled');
    first?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it too
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
      className={`max-h-[85dvh] w-[calc(100vw-24px)] overflow-hidden rounded bg-raised p-0 text-text shadow-float ${wide ? 'max-w-[720px]' : 'max-w-[520px]'} ${bare ? 'mt-[10vh]' : ''}`}
    >
      <div className="flex max-h-[85dvh] flex-col">
        {bare ? (
          <h2 id={id} className="sr-only">
            {title}
          </h2>
        ) : (
          <header className="flex shrink-0 items-center justify-between border-b py-2 pr-2 pl-5">
            <h2 id={id} className="font-strong">
              {title}
            </h2>
            <IconButton label="Close" onClick={onClose}>
              <X size={16} />
            </IconButton>
          </header>
        )}
        <div data-body className={`min-h-0 overflow-y-auto ${bare ? '' : 'p-5'}`}>
          {children}
        </div>
      </div>
    </dialog>
  );
}
