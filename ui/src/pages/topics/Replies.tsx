import { UnfoldVertical } from 'lucide-react';
import { useState } from 'react';
import type { Post } from '@/things/topic/words';
import { PostRow, type RowTools } from './PostRow';
import { type Branch, folded, holds, sizeOf } from './threads';

/** What answers a post, hung from it by a line. The middle of a long thread is folded. */
export function Replies({ owner, replies, tools }: { owner: Post; replies: Branch[]; tools: RowTools }) {
  const [isOpen, setOpen] = useState(false);
  if (replies.length === 0) return null;
  const { first, hidden, last } = folded(replies);
  const whole = isOpen || hidden.length === 0 || holds(hidden, tools.wanted);
  return (
    <ol aria-label={`Replies to #${owner.seq}`} className="ml-[26px] max-wide:ml-4">
      {(whole ? replies : first).map((reply) => (
        <Reply key={reply.post.message_id} reply={reply} tools={tools} />
      ))}
      {!whole && (
        <li className={`relative flow-root pl-6 before:h-[18px] max-wide:pl-3 ${line}`}>
          <button
            type="button"
            onClick={() => setOpen(true)}
            className="my-1 flex min-h-7 items-center gap-2 rounded px-3 text-small text-text-2 hover:bg-hover hover:text-text"
          >
            <UnfoldVertical size={14} aria-hidden="true" />
            {sizeOf(hidden)} more replies
          </button>
        </li>
      )}
      {!whole && last.map((reply) => <Reply key={reply.post.message_id} reply={reply} tools={tools} />)}
    </ol>
  );
}

/** From the post above to each reply: down along the list, and a bend to the picture. The last bend ends the line. */
const line =
  "before:absolute before:left-0 before:top-0 before:w-5 before:rounded-bl before:border-line-strong before:border-b before:border-l before:content-[''] max-wide:before:w-3 not-last:after:absolute not-last:after:left-0 not-last:after:top-0 not-last:after:bottom-0 not-last:after:border-line-strong not-last:after:border-l not-last:after:content-['']";

function Reply({ reply, tools }: { reply: Branch; tools: RowTools }) {
  return (
    <li className={`relative flow-root pl-6 before:h-[26px] max-wide:pl-3 ${line}`}>
      <PostRow branch={reply} tools={tools} />
      <Replies owner={reply.post} replies={reply.replies} tools={tools} />
    </li>
  );
}
