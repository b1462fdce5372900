import { useState } from 'react';
import type { Item } from '@/api/call';
import { inspect } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { PresenceMark, presenceWord } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { Section } from '@/look/Lines';
import { Time } from '@/look/Time';
import { CloseSession } from '../session/Close';

type Session = Item<'observe_sessions'>;

/** Where an agent is now: its open sessions. */
export function Sessions({ sessions }: { sessions: Session[] }) {
  const [closing, setClosing] = useState<Session>();
  const open = sessions.filter((session) => session.status === 'active');
  return (
    <Section title="Sessions" aside={open.length > 0 ? open.length : undefined}>
      {open.length === 0 && <p className="text-text-3">{sessions.length > 0 ? 'None is open.' : 'It has never opened one.'}</p>}
      <ul>
        {open.map((session) => (
          <Row key={session.session_id} session={session} onClose={() => setClosing(session)} />
        ))}
      </ul>
      {closing && <CloseSession session={closing} onDone={() => setClosing(undefined)} />}
    </Section>
  );
}

function Row({ session, onClose }: { session: Session; onClose: () => void }) {
  const workspace = useWorkspaceName(session.workspace_id);
  return (
    <li className="flex min-h-8 items-center gap-2">
      <button
        type="button"
        onClick={() => inspect('session', session.session_id)}
        className="-ml-2 flex h-7 min-w-0 flex-1 items-center gap-2 rounded px-2 text-left hover:bg-hover"
      >
        <PresenceMark presence={session.presence} />
        <span className="sr-only">{presenceWord(session.presence)}</span>
        <span className="truncate">{workspace}</span>
        <span className="ml-auto shrink-0 text-small text-text-3">
          <Time at={session.started_at} />
        </span>
      </button>
      <Button look="quiet" className="h-7 px-2" aria-label={`Close the session in ${workspace}`} onClick={onClose}>
        Close
      </Button>
    </li>
  );
}
