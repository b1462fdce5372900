import { type FormEvent, useState } from 'react';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextField } from '@/look/Field';
import { type Name, operatorsOf, withOperator } from './query';

/** Asks for the days between which something was written. */
export function Dates({ q, onChange, onClose }: { q: string; onChange: (q: string) => void; onClose: () => void }) {
  const known = (name: Name) =>
    operatorsOf(q).find((one) => one.name === name && /^\d{4}-\d\d-\d\d$/.test(one.value))?.value ?? '';
  const [after, setAfter] = useState(() => known('after'));
  const [before, setBefore] = useState(() => known('before'));
  function submit(event: FormEvent) {
    event.preventDefault();
    let next = q;
    if (after) next = withOperator(next, 'after', after);
    if (before) next = withOperator(next, 'before', before);
    onChange(next);
    onClose();
  }
  return (
    <Dialog title="Between two days" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="From this day on"
          type="date"
          autoFocus
          value={after}
          onChange={(event) => setAfter(event.target.value)}
        />
        <TextField label="Before this day" type="date" value={before} onChange={(event) => setBefore(event.target.value)} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Not now
          </Button>
          <Button type="submit" look="primary" disabled={!after && !before}>
            Narrow the search
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
