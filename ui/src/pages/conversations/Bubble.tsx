import { CornerUpLeft } from 'lucide-react';
import { type MouseEvent, memo } from 'react';
import { inspect } from '@/app/address';
import { Avatar } from '@/look/Avatar';
import { IconButton } from '@/look/Button';
import { Markdown } from '@/look/Markdown';
import { clockTime, exact } from '@/look/moment';
import { Artifacts } from '@/things/message/Attached';
import { groupOf } from '@/things/message/place';
import { WorkCard } from '@/things/message/WorkCard';
import { hasOwnSubject, type Message, noticeOf, toWords } from '@/things/message/words';
import type { Row } from './rows';
import { Quote, Tick } from './Tick';

type Props = {
  row: Row;
  as: string;
  selected: boolean;
  fresh: boolean;
  focusable: boolean;
  onReply?: (message: Message) => void;
};

/** One message: own words on the right with their ticks below, others' on the left. A click shows it in the inspector. */
export const Bubble = memo(function Bubble({ row, as, selected, fresh, focusable, onReply }: Props) {
  const { message, mine, head, answers } = row;
  const joined = answers === 'joined' && !mine;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the thread hears the keys
    <article
      data-row={message.message_id}
      tabIndex={focusable ? 0 : -1}
      aria-label={`${mine ? 'You' : message.from_agent_id}, ${clockTime(message.created_at)}`}
      onClick={(event) => isPlainClick(event) && inspect('message', message.message_id)}
      className={`group relative flex rounded outline-offset-2 ${head ? 'mt-4' : 'mt-1'} ${mine ? 'flex-row-reverse' : ''} ${joined ? 'pl-12 max-wide:pl-6' : ''}`}
    >
      {joined && <Connector />}
      {!mine && (
        <span className="w-10 shrink-0 pt-0.5 max-wide:w-9">{head && <Avatar id={message.from_agent_id} size="medium" />}</span>
      )}
      <div className={`flex min-w-0 max-w-[min(85%,680px)] flex-col ${mine ? 'items-end' : 'items-start'}`}>
        {head && !mine && <Head row={row} />}
        {answers === 'quoted' && <Quote id={message.parent_message_id!} />}
        <div className="flex min-w-0 max-w-full items-start gap-1">
          {mine && onReply && <ReplyButton message={message} onReply={onReply} />}
          <Body message={message} mine={mine} selected={selected} fresh={fresh} />
          {!mine && onReply && <ReplyButton message={message} onReply={onReply} />}
        </div>
        <Tick message={message} as={as} mine={mine} />
      </div>
    </article>
  );
});

/** A click that is not meant for a link or button inside, nor ends a selection of text. */
function isPlainClick(event: MouseEvent) {
  return !(event.target as Element).closest('a, button') && !getSelection()?.toString();
}

function Head({ row: { message, answers } }: { row: Row }) {
  const to = groupOf(message);
  return (
    <p className="mb-1 flex flex-wrap items-baseline gap-x-2">
      <span className="font-strong">{message.from_agent_id}</span>
      <time dateTime={message.created_at} title={exact(message.created_at)} className="text-small text-text-2">
        {clockTime(message.created_at)}
        {answers === 'joined' && ' · replied in thread'}
        {to && !answers && ` · to ${toWords(message)}`}
        {message.provenance.sender === 'bus' && ' · told by the hub'}
      </time>
    </p>
  );
}

function Body({ message, mine, selected, fresh }: { message: Message; mine: boolean; selected: boolean; fresh: boolean }) {
  const notice = noticeOf(message);
  const skin = notice || !mine ? 'border bg-raised' : 'bg-accent-wash border border-transparent';
  return (
    <div
      className={`min-w-0 max-w-full cursor-pointer rounded px-3 py-2 ${skin} ${selected ? 'shadow-[0_0_0_2px_var(--accent)]' : ''} ${fresh ? 'fresh' : ''}`}
    >
      {notice ? (
        <WorkCard notice={notice} />
      ) : (
        <>
          {hasOwnSubject(message) && <p className="mb-1 break-words font-strong">{message.subject}</p>}
          <Markdown text={message.body ?? message.preview} />
        </>
      )}
      {(message.artifacts?.length ?? 0) > 0 && (
        <div className="mt-2">
          <Artifacts ids={message.artifacts!} />
        </div>
      )}
    </div>
  );
}

function ReplyButton({ message, onReply }: { message: Message; onReply: (message: Message) => void }) {
  if (message.provenance.sender === 'bus') return null;
  return (
    <IconButton
      label={`Reply to ${message.from_agent_id}`}
      tabIndex={-1}
      onClick={() => onReply(message)}
      className="opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 max-wide:hidden"
    >
      <CornerUpLeft size={14} />
    </IconButton>
  );
}

/** The line from the message above to its answer. */
function Connector() {
  return (
    <span
      aria-hidden="true"
      className="absolute -top-3 left-4 h-8 w-6 rounded-bl border-line-strong border-b border-l max-wide:left-1 max-wide:w-4"
    />
  );
}
