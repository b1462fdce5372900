import { type ReactNode, useState } from 'react';
import { Button } from '../Button';
import { Dialog } from '../Dialog';
import { TextField } from '../Field';
import { Problem } from '../Problem';

/** Asks before something that cannot be undone. What is to be lost is said in `children`; `typed` must be typed first. */
export function Ask({
  title,
  children,
  action,
  keep = 'Cancel',
  typed,
  busy,
  error,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  /** The way out, in words. */
  keep?: string;
  typed?: string;
  busy?: boolean;
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const sure = !typed || text.trim() === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (sure && !busy) onConfirm();
        }}
      >
        <div className="flex flex-col gap-2">{children}</div>
        {typed && <TextField label={`Type ${typed} to go on`} value={text} autoFocus onChange={(e) => setText(e.target.value)} />}
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose} autoFocus={!typed}>
            {keep}
          </Button>
          <Button type="submit" look="danger-primary" busy={busy} disabled={!sure}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
