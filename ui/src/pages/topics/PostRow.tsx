import { CornerDownRight, CornerUpLeft } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { inspect, setParams } from '@/app/address';
import { Avatar } from '@/look/Avatar';
import { IconButton } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { Tag } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { clockTime, exact } from '@/look/moment';
import { momentOf, type Post, seePost, topicHref } from '@/things/topic/words';
import type { Branch, Root } from './threads';

export type RowTools = {
  wanted: string;
  focused: string | undefined;
  seen: string | undefined;
  /** When the page was opened: what came later tints for a moment. */
  opened: number;
  readers: Map<string, string[]>;
  marked: Set<string>;
  isMarking: boolean;
  onMark?: (id: string) => void;
  onReply?: (post: Post) => void;
};

/** One post. A click shows it in the inspector. */
export function PostRow({ branch, tools }: { branch: Branch & Partial<Root>; tools: RowTools }) {
  const { post } = branch;
  const id = post.message_id;
  const isWanted = tools.wanted === id;
  const isShown = tools.seen === id;
  const readers = tools.readers.get(id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list hears the keys
    <article
      data-row={id}
      tabIndex={tools.focused === id ? 0 : -1}
      aria-label={`${post.sender}, ${clockTime(momentOf(post.created_at))}, #${post.seq}`}
      aria-current={isWanted ? 'true' : undefined}
      onClick={(event) => isPlainClick(event) && inspect('post', seePost(post))}
      className={`group relative flex cursor-pointer gap-3 rounded px-3 outline-offset-[-2px] max-wide:gap-2 ${branch.goesOn ? 'py-1' : 'mt-1 pt-2 pb-1'} ${isWanted || isShown || tools.marked.has(id) ? 'bg-selected' : 'hover:bg-hover'} ${isWanted ? 'shadow-[inset_2px_0_0_var(--accent)]' : ''} ${post.created_at > tools.opened ? 'fresh' : ''}`}
    >
      <Picture post={post} quiet={!!branch.goesOn} tools={tools} />
      <div className="min-w-0 flex-1">
        {!branch.goesOn && <PostHead post={post} to={branch.to} readers={readers} />}
        {branch.elsewhere && <Elsewhere id={branch.elsewhere} />}
        <div data-body>
          <Markdown text={post.content_markdown} />
        </div>
        {branch.goesOn && <Readers names={readers} />}
      </div>
      <Tools post={post} onReply={tools.onReply} />
    </article>
  );
}

/** A click that is not meant for something inside, nor ends a selection of text. */
function isPlainClick(event: MouseEvent) {
  return !(event.target as Element).closest('a, button, input, summary') && !getSelection()?.toString();
}

/** Who wrote it; while posts are being selected, or under the pointer, whether it is. */
function Picture({ post, quiet, tools }: { post: Post; quiet: boolean; tools: RowTools }) {
  const isMarked = tools.marked.has(post.message_id);
  return (
    <span className="relative flex w-7 shrink-0 justify-center pt-0.5">
      <span className={tools.onMark ? (tools.isMarking ? 'invisible' : 'group-hover:invisible') : ''}>
        {!quiet && <Avatar id={post.sender} />}
      </span>
      {tools.onMark && (
        <label
          className={`absolute inset-x-0 top-0 flex h-7 items-center justify-center ${tools.isMarking ? '' : 'opacity-0 has-focus-visible:opacity-100 group-hover:opacity-100'}`}
        >
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select #${post.seq}`}
            checked={isMarked}
            onChange={() => tools.onMark?.(post.message_id)}
            className="size-4 accent-accent"
          />
        </label>
      )}
    </span>
  );
}

function PostHead({ post, to, readers }: { post: Post; to?: Post; readers?: string[] }) {
  const at = momentOf(post.created_at);
  return (
    <p className="mb-0.5 flex flex-wrap items-baseline gap-x-2">
      <span className="break-all font-strong">{post.sender}</span>
      <time dateTime={at} title={exact(at)} className="text-small text-text-2">
        {clockTime(at)}
      </time>
      {to && (
        <span className="text-small text-text-2">
          <CornerDownRight size={12} aria-hidden="true" className="mr-1 inline" />
          to {to.sender}
        </span>
      )}
      {post.message_type !== 'message' && <Tag>{post.message_type}</Tag>}
      <Readers names={readers} />
    </p>
  );
}

function Elsewhere({ id }: { id: string }) {
  return (
    <Small onClick={() => setParams({ post: id }, 'push')}>
      <CornerUpLeft size={12} aria-hidden="true" />
      Answers an earlier post
    </Small>
  );
}

function Small({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-6 items-center gap-1.5 rounded-small text-left text-small text-text-2 hover:text-accent"
    >
      {children}
    </button>
  );
}

/** Those who have read up to here. */
function Readers({ names }: { names: string[] | undefined }) {
  if (!names) return null;
  const words = `${new Intl.ListFormat('en').format(names)} ${names.length === 1 ? 'has' : 'have'} read up to here`;
  return (
    <span className="ml-auto flex h-5 items-center justify-end gap-1.5 self-center text-small text-text-3" title={words}>
      <span className="sr-only">{words}</span>
      <span className="flex gap-1" aria-hidden="true">
        {names.slice(0, 6).map((name) => (
          <Avatar key={name} id={name} size="small" />
        ))}
        {names.length > 6 && `+${names.length - 6}`}
      </span>
      <span aria-hidden="true">read</span>
    </span>
  );
}

function Tools({ post, onReply }: { post: Post; onReply?: (post: Post) => void }) {
  return (
    <span className="absolute top-1 right-2 flex items-center rounded bg-raised opacity-0 shadow-float focus-within:opacity-100 group-hover:opacity-100 max-wide:hidden">
      <CopyButton
        text={location.origin + topicHref(post.topic_id, post.message_id)}
        label={`Copy link to #${post.seq}`}
        className="size-7 justify-center"
      />
      {onReply && (
        <IconButton label={`Reply to ${post.sender}`} onClick={() => onReply(post)} className="size-7!">
          <CornerUpLeft size={14} />
        </IconButton>
      )}
    </span>
  );
}
