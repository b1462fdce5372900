import { useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { go, inspect } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { shortId } from '@/look/Copy';
import { RawJson } from '@/look/Json';
import { Facts, Section, Thread } from '@/look/Lines';
import { exact } from '@/look/moment';
import { Thing } from '../Thing';
import { eventKnot } from './knot';
import { eventSubject, eventWords } from './words';

export default function EventThing({ id }: { id: string }) {
  const number = Number(id);
  const arrived = useLive((live) => live.events.find((event) => event.event_id === number));
  const input = { after: number - 1, limit: 1 };
  const { data, error, refetch } = useOp('observe_events', input, { enabled: !arrived && Number.isSafeInteger(number) });
  const event = arrived ?? data?.items.find((item) => item.event_id === number);
  const workspace = useWorkspaceName(event?.workspace_id);
  const subject = event && eventSubject(event);
  return (
    <Thing
      kind="Event"
      id={id}
      data={event}
      error={error}
      onRetry={refetch}
      title={event?.type}
      subtitle={event && eventWords(event)}
      command={['observe_events', input]}
    >
      {event && (
        <>
          <Section title="State">
            <Facts
              facts={[
                ['When', <span key="when">{exact(event.created_at)}</span>],
                ['By', event.actor_agent_id && <AgentName id={event.actor_agent_id} />],
                ['Stream', event.stream],
                ['Workspace', workspace],
              ]}
            />
          </Section>
          <Section>
            <div className="flex flex-wrap gap-2">
              {subject && (
                <Button look="primary" onClick={() => inspect(subject.kind, subject.id)}>
                  Open the {subject.kind === 'handoff' ? 'hand-off' : subject.kind}
                </Button>
              )}
              {event.trace_id && <Button onClick={() => go('/events', { trace: event.trace_id! })}>Follow the trace</Button>}
            </div>
          </Section>
          <Section title="Payload">
            <RawJson value={event.payload} title="What it carries" open />
          </Section>
          {event.trace_id && <Trace trace={event.trace_id} />}
        </>
      )}
    </Thing>
  );
}

/** What the same request caused. */
function Trace({ trace }: { trace: string }) {
  const { data } = useOp('observe_events', { trace, limit: 50 });
  return (
    <Section title="Trace" aside={<code className="text-small">{shortId(trace)}</code>}>
      <Thread knots={(data?.items ?? []).map((event) => eventKnot(event, { what: event.type, why: eventWords(event) }))} />
    </Section>
  );
}
