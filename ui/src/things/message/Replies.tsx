import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { Avatar } from '@/look/Avatar';
import { Section } from '@/look/Lines';
import { Time } from '@/look/Time';
import { type Message, messageTitle } from './words';

/** The message this one answers, and the answers it got: those that its sender wrote or got. */
export function Replies({ message }: { message: Message }) {
  const parentId = message.parent_message_id;
  const { data: parent } = useOp('observe_message', { message_id: parentId ?? '' }, { enabled: !!parentId });
  const { data } = useOp('observe_messages', {
    agent: message.from_agent_id,
    workspace: message.workspace_id,
    since: message.created_at,
    page_size: 200,
  });
  const replies = (data?.items ?? []).filter((item) => item.parent_message_id === message.message_id).reverse();
  const known = parent?.message_id === parentId ? parent : undefined;
  if (!parentId && replies.length === 0) return null;
  return (
    <Section title="Thread">
      {parentId && (
        <>
          <p className="mb-1 text-small text-text-3">Answers</p>
          {known ? <Line message={known as Message} /> : <p className="text-text-2">A message that is not here any more</p>}
        </>
      )}
      {replies.length > 0 && (
        <>
          <p className={`mb-1 text-small text-text-3 ${parentId ? 'mt-3' : ''}`}>
            {replies.length === 1 ? 'Answered once' : `Answered ${replies.length} times`}
          </p>
          {replies.map((reply) => (
            <Line key={reply.message_id} message={reply} />
          ))}
        </>
      )}
    </Section>
  );
}

function Line({ message }: { message: Message }) {
  return (
    <button
      type="button"
      onClick={() => inspect('message', message.message_id)}
      className="-mx-2 flex min-h-8 w-[calc(100%+16px)] min-w-0 items-center gap-2 rounded-small px-2 text-left hover:bg-hover"
    >
      <Avatar id={message.from_agent_id} size="small" />
      <span className="min-w-0 flex-1 truncate">
        <span className="font-strong">{message.from_agent_id}</span> {messageTitle(message)}
      </span>
      <span className="text-small text-text-3">
        <Time at={message.created_at} />
      </span>
    </button>
  );
}
