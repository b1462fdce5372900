import { useState } from 'react';
import type { Data } from '@/api/call';
import { useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { SelectField, TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { Scopes, usualScopes } from '../Scopes';

const ends: [days: string, word: string][] = [
  ['', 'Never'],
  ['7', 'In a week'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['on', 'On a day…'],
];

/** When a key ends, as the hub wants it. A day ends where it ends for the reader. */
export function endOf(choice: string, day: string, now = Date.now()): string | undefined {
  if (choice === 'on') return day ? new Date(`${day}T23:59:59`).toISOString() : undefined;
  return choice ? new Date(now + Number(choice) * 86_400_000).toISOString() : undefined;
}

/** Asks what one more key is for. */
export function NewKey({
  agentId,
  onMade,
  onClose,
}: {
  agentId: string;
  onMade: (made: Data<'key_create'>) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(usualScopes);
  const [end, setEnd] = useState('');
  const [day, setDay] = useState('');
  const create = useAct('key_create', { onSuccess: onMade });
  return (
    <Dialog title={`A key for ${agentId}`} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ agent_id: agentId, name: name.trim() || undefined, scopes, expires_at: endOf(end, day) });
        }}
      >
        <TextField
          label="Name"
          hint="What it is for, for people"
          placeholder="laptop"
          value={name}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <Scopes value={scopes} onChange={setScopes} />
        <div className="grid grid-cols-2 gap-3">
          <SelectField label="Ends" value={end} onChange={(event) => setEnd(event.target.value)}>
            {ends.map(([days, word]) => (
              <option key={days} value={days}>
                {word}
              </option>
            ))}
          </SelectField>
          {end === 'on' && (
            <TextField label="Last day" type="date" required value={day} onChange={(event) => setDay(event.target.value)} />
          )}
        </div>
        <Problem error={create.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
