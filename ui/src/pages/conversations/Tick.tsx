import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { LookGlyph, laneWord, MailGlyph } from '@/look/Glyph';
import { clockTime, exact } from '@/look/moment';
import { groupOf, operator } from '@/things/message/place';
import { deliveryTo, laneSummary, type Message, messageTitle, stage, toWords, worstLane } from '@/things/message/words';

/** How far a message came, below its bubble: one's own in every lane, others' only while it waits for the one who looks. */
export function Tick({ message, as, mine }: { message: Message; as: string; mine: boolean }) {
  if (!mine) return <Waits message={message} as={as} />;
  const lane = stage(message);
  const group = groupOf(message);
  const only = message.deliveries.length === 1 && !group ? message.deliveries[0] : undefined;
  const at = only?.read_at ?? only?.delivered_at ?? message.created_at;
  return (
    <p
      className={`mt-1 flex items-center gap-1.5 text-small ${worstLane(message) === 'parked' || !lane ? 'text-warn' : 'text-text-2'}`}
    >
      {lane ? <MailGlyph lane={lane} /> : <LookGlyph />}
      <span>
        {group && `to ${toWords(message)} · `}
        {laneSummary(message)}
        {group ? ' · ' : ' '}
        <time dateTime={at} title={exact(at)}>
          {clockTime(at)}
        </time>
      </span>
    </p>
  );
}

function Waits({ message, as }: { message: Message; as: string }) {
  const status = deliveryTo(message, as)?.status;
  if (!status || status === 'read') return null;
  return (
    <p className={`mt-1 flex items-center gap-1.5 text-small ${status === 'parked' ? 'text-warn' : 'text-text-2'}`}>
      <MailGlyph lane={status} />
      {as === operator && status !== 'parked' ? 'new' : `${laneWord(status)} for ${as}`}
    </p>
  );
}

/** The beginning of a message that stands elsewhere; leads to it. */
export function Quote({ id }: { id: string }) {
  const { data } = useOp('observe_message', { message_id: id });
  const known = data?.message_id === id ? (data as Message) : undefined;
  return (
    <button
      type="button"
      onClick={() => inspect('message', id)}
      className="mb-1 flex min-h-6 min-w-0 max-w-full items-center gap-1.5 border-line-strong border-l-2 pl-2 text-left text-small text-text-2 hover:text-text"
    >
      <span className="truncate">
        {known ? (
          <>
            <span className="font-strong">{known.from_agent_id}</span> {messageTitle(known)}
          </>
        ) : (
          'An earlier message'
        )}
      </span>
    </button>
  );
}
