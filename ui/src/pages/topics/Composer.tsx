import { CornerUpLeft, SendHorizontal, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useAct } from '@/api/query';
import { modKey } from '@/app/TopBar';
import { Button, IconButton, Segmented } from '@/look/Button';
import { Problem } from '@/look/Problem';
import { gist, type Post } from '@/things/topic/words';
import { type DraftHold, newAttempt, types } from './draft';

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

  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  }

  return (
    <div className="shrink-0 px-6 pt-2 pb-4 max-wide:px-3 max-wide:pb-3">
      {send.error && (
        <div className="mb-2">
          <Problem error={send.error} onRetry={submit} />
        </div>
      )}
      {warnings.length > 0 && (
        <p role="status" className="mb-2 rounded bg-warn-wash px-3 py-1.5 text-warn">
          Posted. {warnings.join(' ')}
        </p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key sends from every field in it */}
      <div
        onKeyDown={press}
        className="max-w-[880px] rounded border border-line-strong bg-raised px-3 py-2 focus-within:border-accent focus-within:shadow-[0_0_0_1px_var(--accent)]"
      >
        {draft.replyTo && (
          <Answering post={posts.find((post) => post.message_id === draft.replyTo)} onEnd={() => change({ replyTo: '' })} />
        )}
        <textarea
          ref={field}
          aria-label="Write a post"
          placeholder="Write in Markdown; @name calls an agent"
          rows={2}
          value={draft.text}
          onChange={(event) => change({ text: event.target.value, attempt: '' })}
          className="field-sizing-content max-h-[35vh] min-h-11 w-full resize-none bg-transparent py-0.5 outline-none placeholder:text-text-3"
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
      </div>
    </div>
  );
}

/** What is being answered, with a way out. */
function Answering({ post, onEnd }: { post: Post | undefined; onEnd: () => void }) {
  return (
    <div className="-mx-3 -mt-2 mb-2 flex items-center gap-2 border-b pr-1 pl-3 text-small text-text-2">
      <CornerUpLeft size={14} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        Answers {post ? `${post.sender}: ${gist(post.content_markdown)}` : 'a post further up'}
      </span>
      <IconButton label="Do not answer it" onClick={onEnd}>
        <X size={14} />
      </IconButton>
    </div>
  );
}
