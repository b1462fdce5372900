import { type FormEvent, useState } from 'react';
import { remember, remembered } from '@/app/remember';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextArea } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { sends } from '@/look/sends';
import type { Move, Question } from './moves';

/** Asks before a move. What was typed is kept until it has been sent, also when the dialog is closed. */
export function AskMove({
  move,
  question,
  draft,
  onSend,
  onClose,
}: {
  move: Move;
  question: Question;
  /** The name under which the words are kept. */
  draft: string;
  onSend: (text: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => remembered(draft, ''));
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  function write(next: string) {
    setText(next);
    remember(draft, next);
  }

  async function send(event?: FormEvent) {
    event?.preventDefault();
    if (busy || (question.required && !text.trim())) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSend(text);
      remember(draft, '');
    } catch (refused) {
      setError(refused as Error);
      setBusy(false);
    }
  }

  return (
    <Dialog title={question.title} onClose={onClose}>
      <form onSubmit={send} className="flex flex-col gap-4">
        <p className="text-text-2">{question.says}</p>
        {!!question.points?.length && (
          <ul className="list-disc pl-5">
            {question.points.map((point) => (
              <li key={point} className="break-words">
                {point}
              </li>
            ))}
          </ul>
        )}
        <TextArea
          label={question.label}
          required={question.required}
          autoFocus
          rows={3}
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => sends(event) && send()}
        />
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {move.verb === 'Cancel' ? 'Keep it' : 'Not now'}
          </Button>
          <Button
            type="submit"
            look={move.danger ? 'danger-primary' : 'primary'}
            busy={busy}
            disabled={question.required && !text.trim()}
          >
            {move.to === 'COMPLETED' ? 'Accept' : move.verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
