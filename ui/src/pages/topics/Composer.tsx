import { SendHorizontal } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { newAttempt } from '@/api/attempt';
import { useAct } from '@/api/query';
import { modKey } from '@/app/TopBar';
import { Button, Segmented } from '@/look/Button';
import { Answering, Compose, ComposeText } from '@/look/Compose';
import { gist, type Post } from '@/things/topic/words';
import { type DraftHold, types } from './draft';

type Props = {
  topic: string;
  posts: Post[];
  hold: DraftHold;
  field: RefObject<HTMLTextAreaElement | null>;
  onSent: (post: Post) => void;
};

const words = { message: 'Message', question: 'Question', answer: 'Answer' };

/** Where a person writes, as the operator. What is typed is kept until it is sent. */
export function Composer({ topic, posts, hold, field, onSent }: Props) {
  const { draft, change, clear } = hold;
  const [warnings, setWarnings] = useState<string[]>([]);
  const send = useAct('topic_post', {
    onSuccess: (sent) => {
      clear();
      setWarnings((sent.warnings ?? []).map((warning) => warning.message ?? warning.code));
      onSent(sent.message);
    },
  });
  const answered = posts.find((post) => post.message_id === draft.replyTo);
  const isReady = draft.text.trim() !== '';

  function submit() {
    if (!isReady || send.isPending) return;
    // The same words under the same name: after a lost answer, sending again posts nothing twice.
    const attempt = draft.attempt || newAttempt();
    change({ attempt });
    send.mutate({
      topic_id: topic,
      content_markdown: draft.text,
      message_type: draft.type,
      reply_to: draft.replyTo || undefined,
      client_message_id: attempt,
    });
  }

  return (
    <Compose error={send.error} notice={<Warnings words={warnings} />} onSend={submit} className="max-w-[880px]">
      {draft.replyTo && (
        <Answering onEnd={() => change({ replyTo: '' })}>
          {answered ? `${answered.sender}: ${gist(answered.content_markdown)}` : 'a post further up'}
        </Answering>
      )}
      <ComposeText
        ref={field}
        aria-label="Write a post"
        placeholder="Write in Markdown; @name calls an agent"
        value={draft.text}
        onChange={(event) => change({ text: event.target.value, attempt: '' })}
      />
      <div className="mt-1 flex items-center gap-2">
        <Segmented
          label="Kind of post"
          value={draft.type}
          options={types.map((type) => [type, words[type]])}
          onChange={(type) => change({ type, attempt: '' })}
        />
        <span className="flex-1" />
        {draft.text && !send.isPending && <span className="text-small text-text-3 max-wide:hidden">draft kept</span>}
        <Button
          look="primary"
          busy={send.isPending}
          disabled={!isReady}
          onClick={submit}
          icon={<SendHorizontal size={14} aria-hidden="true" className="wide:hidden" />}
        >
          <span className="max-wide:sr-only">Post</span>
          <span className="opacity-80 max-wide:hidden" aria-hidden="true">
            {modKey}↵
          </span>
        </Button>
      </div>
    </Compose>
  );
}

function Warnings({ words }: { words: string[] }) {
  if (words.length === 0) return null;
  return (
    <p role="status" className="mb-2 rounded bg-warn-wash px-3 py-1.5 text-warn">
      Posted. {words.join(' ')}
    </p>
  );
}
