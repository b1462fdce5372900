import { useState } from 'react';
import type { Item } from '@/api/call';
import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { Avatar, PresenceMark, presenceWord } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { RawJson } from '@/look/Json';
import { Facts, Section } from '@/look/Lines';
import { exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { Doings, useDoings } from '../agent/History';
import { Thing } from '../Thing';
import { ThingLink } from '../ThingLink';
import { CloseSession } from './Close';

type Session = Item<'observe_sessions'>;

/** One stay of an agent in a workspace. */
export default function SessionThing({ id }: { id: string }) {
  const input = { limit: 2000 };
  const { data, error, refetch } = useOp('observe_sessions', input);
  const session = data?.items.find((item) => item.session_id === id);
  const workspace = useWorkspaceName(session?.workspace_id);
  if (data && !session) return <Gone id={id} />;
  return (
    <Thing
      kind="Session"
      id={id}
      data={session}
      error={error}
      onRetry={refetch}
      avatar={session && <Avatar id={session.agent_id} size="large" presence={session.presence} />}
      title={session && `${session.agent_id} in ${workspace}`}
      subtitle={session?.status === 'active' ? 'An open session' : 'A session that has ended'}
      command={['observe_sessions', { agent: session?.agent_id }]}
    >
      {session && <Body session={session} workspace={workspace} />}
    </Thing>
  );
}

/** The newest are known; what is older has no entry of its own. */
function Gone({ id }: { id: string }) {
  return (
    <Thing kind="Session" id={id} data={{}} title="Session not found">
      <Section>It is older than the newest two thousand, or retention has removed it.</Section>
    </Thing>
  );
}

function Body({ session, workspace }: { session: Session; workspace: string }) {
  const [closing, setClosing] = useState(false);
  const isOpen = session.status === 'active';
  return (
    <>
      <Section title="State">
        <p className="mb-2 flex items-center gap-2">
          <PresenceMark presence={session.presence} />
          {isOpen ? presenceWord(session.presence) : 'Closed'}
          <span className="text-text-2">
            {isOpen ? 'open for ' : ''}
            <Time at={isOpen ? session.started_at : session.closed_at} suffix={isOpen ? '' : ' ago'} />
          </span>
        </p>
        <Facts
          facts={[
            [
              'Workspace',
              <ThingLink key="workspace" kind="workspace" id={session.workspace_id}>
                {workspace}
              </ThingLink>,
            ],
            ['Opened', exact(session.started_at)],
            ['Last heard', <Time key="heard" at={session.last_heartbeat_at} suffix=" ago" />],
            ['Closed', session.closed_at && exact(session.closed_at)],
          ]}
        />
      </Section>
      <Section>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => inspect('agent', session.agent_id)}>
            Open {session.agent_id}
          </Button>
          {isOpen && (
            <Button look="danger" onClick={() => setClosing(true)}>
              Close the session
            </Button>
          )}
        </div>
      </Section>
      {!!session.metadata && (
        <Section title="What it says of itself">
          <RawJson value={session.metadata} title="Metadata" open />
        </Section>
      )}
      <History session={session} />
      {closing && <CloseSession session={session} onDone={() => setClosing(false)} />}
    </>
  );
}

/** What the agent did in this workspace while the session was open. */
function History({ session }: { session: Session }) {
  const { events } = useDoings(session.agent_id, 200);
  const during = events.filter(
    (event) =>
      (event.workspace_id === session.workspace_id || event.workspace_id === null) &&
      event.created_at >= session.started_at &&
      (!session.closed_at || event.created_at <= session.closed_at),
  );
  return (
    <Section title="Meanwhile">
      {during.length === 0 ? (
        <p className="text-text-3">The log has nothing from this time.</p>
      ) : (
        <Doings events={during.slice(0, 15)} />
      )}
    </Section>
  );
}
