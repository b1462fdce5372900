import { useState } from 'react';
import { useAct } from '@/api/query';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { gist, type Post, several } from '@/things/topic/words';
import { withReplies } from './threads';

type Props = { topic: string; posts: Post[]; marked: Set<string>; onMark: (marked: Set<string>) => void };

/** What can be done with the posts that are selected. */
export function SelectionBar({ topic, posts, marked, onMark }: Props) {
  const [asks, setAsks] = useState(false);
  if (marked.size === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label="Selected posts"
      className="flex shrink-0 items-center gap-2 border-t bg-selected px-6 py-2 max-wide:px-4"
    >
      <span className="flex-1">{several(marked.size, 'post')} selected</span>
      <Button look="quiet" onClick={() => onMark(new Set())}>
        Select none
      </Button>
      <Button look="danger" onClick={() => setAsks(true)}>
        Delete…
      </Button>
      {asks && <DeletePosts {...{ topic, posts, marked }} onClose={() => setAsks(false)} onDone={() => onMark(new Set())} />}
    </div>
  );
}

const named = 3;

/** Asks before posts are deleted, and says what goes with them. */
function DeletePosts({
  topic,
  posts,
  marked,
  onClose,
  onDone,
}: Omit<Props, 'onMark'> & { onClose: () => void; onDone: () => void }) {
  const remove = useAct('topic_delete_messages', { onSuccess: onDone });
  const replies = withReplies(posts, marked).size - marked.size;
  const first = posts.filter((post) => marked.has(post.message_id)).slice(0, named);
  return (
    <Ask
      title={`Delete ${several(marked.size, 'post')}`}
      action={`Delete ${several(marked.size + replies, 'post')}`}
      keep="Keep them"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ topic_id: topic, message_ids: [...marked] })}
      onClose={onClose}
    >
      <ul className="list-disc pl-5">
        {first.map((post) => (
          <li key={post.message_id} className="break-words">
            {post.sender}: {gist(post.content_markdown, 100)}
          </li>
        ))}
        {marked.size > first.length && <li>and {marked.size - first.length} more</li>}
      </ul>
      <p className="text-text-2">
        Replies go with what they answer, and replies to those
        {replies > 0 ? `: ${several(replies, 'more post', 'more posts')} here` : ''}. This cannot be undone.
      </p>
    </Ask>
  );
}
