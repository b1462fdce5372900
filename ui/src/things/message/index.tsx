import { CornerUpLeft, MessagesSquare } from 'lucide-react';
import { useMesh } from '@/api/mesh';
import { useAct, useOp } from '@/api/query';
import { go } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { LookGlyph, MailGlyph } from '@/look/Glyph';
import { Facts, Section, Thread } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { clockTime } from '@/look/moment';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { Attached } from './Attached';
import { stepsOf } from './knots';
import { Lanes } from './Lanes';
import { answerTo, conversationOf, operator } from './place';
import { Replies } from './Replies';
import { WorkCard } from './WorkCard';
import { hasOwnSubject, type Message, noticeOf, reached, stage, toWords } from './words';

export default function MessageThing({ id }: { id: string }) {
  const input = { message_id: id };
  const { data, error, refetch } = useOp('observe_message', input);
  const message = data?.message_id === id ? (data as Message) : undefined;
  return (
    <Thing
      kind="Message"
      id={id}
      data={message}
      error={error}
      onRetry={refetch}
      title={message && `To ${toWords(message)}`}
      subtitle={message && <Written message={message} />}
      command={['observe_message', input]}
    >
      {message && <Parts message={message} />}
    </Thing>
  );
}

function Written({ message }: { message: Message }) {
  const by = message.provenance.sender === 'bus' ? 'Notice of the hub, for ' : 'By ';
  return (
    <>
      {by}
      {message.from_agent_id} · {clockTime(message.created_at)}, <Time at={message.created_at} suffix=" ago" />
    </>
  );
}

/** State, who, next actions, evidence, history: in this order. */
function Parts({ message }: { message: Message }) {
  const workspace = useWorkspaceName(message.workspace_id);
  const { channels } = useMesh();
  const channel = message.channel_id && (channels.get(message.channel_id)?.name ?? message.channel_id);
  const notice = noticeOf(message);
  return (
    <>
      <Section title="State">
        <State message={message} />
      </Section>
      {message.deliveries.length > 0 && <Lanes message={message} />}
      <Section>
        <Facts
          facts={[
            ['From', <AgentName key="from" id={message.from_agent_id} />],
            ['Known by', proof(message)],
            ['Channel', channel && `#${channel}`],
            ['Workspace', workspace],
          ]}
        />
      </Section>
      <Actions message={message} />
      <Section
        title={hasOwnSubject(message) && !notice ? <strong className="font-strong text-text">{message.subject}</strong> : 'Text'}
      >
        {notice ? <WorkCard notice={notice} /> : <Markdown text={message.body ?? message.preview} />}
      </Section>
      <Attached ids={message.artifacts ?? []} />
      <Replies message={message} />
      <Section title="History">
        <Thread
          knots={stepsOf(message, operator).map((step) => ({
            ...step,
            glyph: <MailGlyph lane={step.lane} />,
            when: step.at && <Time at={step.at} />,
          }))}
        />
      </Section>
    </>
  );
}

function State({ message }: { message: Message }) {
  const { through, read, all } = reached(message);
  if (all === 0)
    return (
      <p className="flex items-start gap-2">
        <LookGlyph />
        <span>
          Reached nobody <span className="text-text-2">Nobody matched when it was sent. It is kept, but in no inbox.</span>
        </span>
      </p>
    );
  const one = all === 1 && message.deliveries[0];
  const words = { unread: 'Queued', delivered: 'Delivered', read: 'Read', parked: 'Parked' };
  return (
    <p className="flex items-center gap-2">
      <MailGlyph lane={stage(message) ?? 'sent'} />
      {one
        ? (words[one.status as keyof typeof words] ?? one.status)
        : `Reached ${through} of ${all}${message.more_deliveries ? '+' : ''}`}
      <span className="text-text-2">
        {one ? (
          <Time at={one.read_at ?? one.delivered_at ?? one.created_at} suffix=" ago" />
        ) : (
          read > 0 && `${read} ${read === 1 ? 'has' : 'have'} read it`
        )}
      </span>
    </p>
  );
}

/** How the sender was known. */
function proof({ provenance, from_agent_id }: Message): string {
  if (provenance.sender === 'bus') return 'the hub itself';
  const how = { key: 'its key', session: 'its session', claimed: 'its word only' }[provenance.proof] ?? provenance.proof;
  const told = provenance.sender === 'operator' ? `the operator${from_agent_id === operator ? '' : ', in its name'}` : how;
  return provenance.via ? `${told}, with the key of ${provenance.via}` : told;
}

function Actions({ message }: { message: Message }) {
  const requeue = useAct('inbox_requeue');
  const parked = message.deliveries.filter(({ status }) => status === 'parked');
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        {message.provenance.sender !== 'bus' && (
          <Button icon={<CornerUpLeft size={14} aria-hidden="true" />} onClick={() => go('/conversations', answerTo(message))}>
            Reply
          </Button>
        )}
        {parked.map(({ recipient_agent_id: agent }) => (
          <Button
            key={agent}
            busy={requeue.isPending}
            onClick={() => requeue.mutate({ agent_id: agent, message_ids: [message.message_id] })}
          >
            Requeue for {agent}
          </Button>
        ))}
        <Button
          look="quiet"
          icon={<MessagesSquare size={14} aria-hidden="true" />}
          onClick={() => go('/conversations', { ...conversationOf(message), see: `message:${message.message_id}` })}
        >
          Open conversation
        </Button>
      </div>
      {requeue.error && (
        <div className="mt-2">
          <Problem error={requeue.error} />
        </div>
      )}
    </Section>
  );
}
