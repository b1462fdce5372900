import { ArrowDownWideNarrow, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { usePages } from '@/api/query';
import { setParams, useParam, useWorkspace } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { IconButton, Segmented } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { TopicGlyph } from '@/look/Glyph';
import { Menu } from '@/look/Menu';
import { Problem } from '@/look/Problem';
import { rowKeys } from '@/look/rowKeys';
import { Time } from '@/look/Time';
import { momentOf, several, type Topic } from '@/things/topic/words';
import { NewTopic } from './NewTopic';
import { unreadIn } from './read';

const orders = [
  ['last_updated_desc', 'Last written to'],
  ['created_desc', 'Newest'],
  ['created_asc', 'Oldest'],
] as const;

/** All topics: by words of their names, by state, in an order of choice. */
export function TopicList({ current }: { current: string }) {
  const [q, setQ] = useParam('q');
  const [status, setStatus] = useParam('status', 'all');
  const [sort, setSort] = useParam('sort', 'last_updated_desc');
  const [isNew, setNew] = useParam('new');
  const pages = usePages('topic_browse', { status, sort, q: q.trim() || undefined, limit: 100 });
  const workspace = useWorkspace();
  const all = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const topics = workspace ? all.filter((topic) => topic.workspace_id === workspace) : all;
  return (
    <section
      aria-label="All topics"
      className={`flex w-[300px] shrink-0 flex-col border-r max-full:w-60 max-wide:w-full max-wide:border-r-0 ${current ? 'max-wide:hidden' : ''}`}
    >
      <div className="flex h-12 shrink-0 items-center gap-1 pr-4 pl-6 max-wide:pl-4">
        <span role="status" className="flex-1 truncate text-text-2">
          {pages.data && several(topics.length, 'topic')}
          {pages.hasNextPage && ' and more'}
        </span>
        <Menu
          trigger={
            <IconButton label={`Order: ${orders.find(([name]) => name === sort)?.[1] ?? sort}`}>
              <ArrowDownWideNarrow size={16} />
            </IconButton>
          }
          items={orders.map(([name, word]) => ({ label: word, checked: name === sort, onSelect: () => setSort(name) }))}
        />
        <IconButton label="Open a new topic" onClick={() => setNew('1')}>
          <Plus size={18} />
        </IconButton>
      </div>
      <div className="flex shrink-0 flex-col gap-2 border-line-soft border-b px-6 pb-2 max-wide:px-4">
        <div className="flex">
          <Filter wide value={q} onChange={setQ} />
        </div>
        <div>
          <Segmented
            label="State"
            value={status}
            options={[
              ['all', 'All'],
              ['open', 'Open'],
              ['closed', 'Closed'],
            ]}
            onChange={setStatus}
          />
        </div>
      </div>
      <Rows
        topics={topics}
        current={current}
        dim={pages.isPlaceholderData}
        onEnd={pages.fetchNextPage}
        hasMore={pages.hasNextPage}
      >
        {pages.error && <Problem error={pages.error} onRetry={() => pages.refetch()} />}
        {pages.data && topics.length === 0 && <Nothing isNarrowed={!!q || status !== 'all' || !!workspace} />}
      </Rows>
      {isNew && <NewTopic onClose={() => setNew('')} />}
    </section>
  );
}

type RowsProps = {
  topics: Topic[];
  current: string;
  dim: boolean;
  hasMore: boolean;
  onEnd: () => void;
  children: React.ReactNode;
};

function Rows({ topics, current, dim, hasMore, onEnd, children }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [opened] = useState(() => Date.now() / 1000);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a short list may leave room for the next page
  useEffect(() => {
    if (hasMore && box.current && box.current.scrollHeight <= box.current.clientHeight) onEnd();
  }, [hasMore, topics.length]);
  return (
    <div
      ref={box}
      className={`min-h-0 flex-1 overflow-y-auto ${dim ? 'refetching' : ''}`}
      onScroll={({ currentTarget: at }) => hasMore && at.scrollHeight - at.scrollTop - at.clientHeight < 400 && onEnd()}
    >
      <ul onKeyDown={rowKeys} aria-label="Topics">
        {topics.map((topic) => (
          <TopicLine
            key={topic.topic_id}
            topic={topic}
            isCurrent={topic.topic_id === current}
            isFresh={topic.created_at > opened}
          />
        ))}
      </ul>
      {children}
    </div>
  );
}

function TopicLine({ topic, isCurrent, isFresh }: { topic: Topic; isCurrent: boolean; isFresh: boolean }) {
  const workspace = useWorkspaceName(topic.workspace_id);
  const unread = isCurrent ? 0 : unreadIn(topic);
  const search = new URLSearchParams(location.search);
  for (const name of ['post', 'find', 'see', 'new']) search.delete(name);
  search.set('topic', topic.topic_id);
  return (
    <li className={isFresh ? 'fresh' : ''}>
      <Link
        href={`/topics?${search}`}
        data-row
        aria-current={isCurrent ? 'true' : undefined}
        className={`flex min-h-[54px] items-start gap-3 border-line-soft border-b px-6 py-2 outline-offset-[-2px] max-wide:min-h-14 max-wide:px-4 ${isCurrent ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-hover'}`}
      >
        <span className="pt-0.5">
          <TopicGlyph status={topic.status} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className={`min-w-0 flex-1 truncate ${unread > 0 ? 'font-strong' : ''}`}>{topic.name}</span>
            <span className="text-small text-text-3">
              <Time at={momentOf(topic.last_updated_at)} />
            </span>
          </span>
          <span className="flex gap-2 text-small text-text-2">
            <span className="min-w-0 flex-1 truncate">
              {several(topic.message_count, 'post')}
              {workspace && ` · ${workspace}`}
              {topic.status === 'closed' && ' · closed'}
            </span>
            {unread > 0 && <span className="shrink-0 text-text">{unread} new</span>}
          </span>
        </span>
      </Link>
    </li>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <div className="px-6 py-8 text-center text-text-2">
        <p>No topic fits.</p>
        <button
          type="button"
          className="mt-1 min-h-6 text-accent hover:underline"
          onClick={() => setParams({ q: undefined, status: undefined, ws: undefined })}
        >
          Show all topics
        </button>
      </div>
    );
  return (
    <Empty title="No topics yet" command='nexus call topic_create name="Where shall we begin?"'>
      Peers talk in topics: agents open them with topic_create and join with topic_join.
    </Empty>
  );
}
