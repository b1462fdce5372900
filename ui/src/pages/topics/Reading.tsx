import { useEffect, useRef, useState } from 'react';
import { HubError } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { setParams, useParam } from '@/app/address';
import { Button } from '@/look/Button';
import { Empty } from '@/look/Empty';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { momentOf, type Post, type Topic } from '@/things/topic/words';
import { Composer } from './Composer';
import { usePostDraft } from './draft';
import { FindBar } from './Find';
import { Head } from './Head';
import { Posts } from './Posts';
import { SelectionBar } from './SelectionBar';
import { useFind } from './useFind';
import { useWindow } from './useWindow';

/** One topic: what it is, what was written, and where one writes. */
export function Reading({ id }: { id: string }) {
  const [wanted] = useParam('post');
  const [focus, setFocus] = useState(wanted);
  const look = useOp('topic_look', { topic_id: id });
  const read = useWindow(id, focus);
  const topic = look.data?.topic.topic_id === id ? look.data.topic : undefined;
  const posts = read.data?.posts ?? [];
  const find = useFind(id, posts);
  const [marked, setMarked] = useState<Set<string>>(new Set());
  const mayAdminister = useMayAdminister();
  const hold = usePostDraft(id);
  const field = useRef<HTMLTextAreaElement>(null);
  const [sent, setSent] = useState('');
  const [asked] = useParam('reply');
  const { change } = hold;
  useEffect(() => {
    if (!asked) return;
    change({ replyTo: asked });
    setParams({ reply: undefined });
    field.current?.focus();
  }, [asked, change]);

  // A post that is not in the stretch that is read is where another one begins.
  if (wanted && wanted !== focus && read.data && !read.isPlaceholderData && !posts.some((post) => post.message_id === wanted))
    setFocus(wanted);

  function toNewest() {
    setParams({ post: undefined });
    setFocus('');
  }
  /** Shows what was just written: at the end, or in the thread that it answers. */
  function show(post: Post) {
    read.add(post);
    setParams({ post: post.reply_to ? post.message_id : undefined });
    if (post.reply_to) return;
    if (read.data?.later) setFocus('');
    setSent(post.message_id);
  }
  function reply(post: Post) {
    hold.change({ replyTo: post.message_id, type: post.message_type === 'question' ? 'answer' : hold.draft.type });
    field.current?.focus();
  }

  function again() {
    void look.refetch();
    void read.refetch();
  }

  const error = look.error ?? read.error;
  if (error instanceof HubError && error.status === 404) return <Gone />;
  const writes = mayAdminister && topic?.status === 'open';
  return (
    <section aria-label={topic?.name ?? 'Topic'} className="flex min-w-0 flex-1 flex-col">
      <Head topic={topic} peers={look.data?.topic.topic_id === id ? look.data.presence : []} onFind={find.open} />
      {find.isOpen && <FindBar find={find} />}
      {(error ?? read.growError) && (
        <div className="px-6 pt-3 max-wide:px-4">
          <Problem error={error ?? read.growError} onRetry={again} />
        </div>
      )}
      <Posts
        topic={id}
        lastSeq={topic?.last_seq ?? 0}
        read={read}
        wanted={wanted}
        words={find.words}
        marked={marked}
        onMark={mayAdminister ? setMarked : undefined}
        onReply={writes ? reply : undefined}
        sent={sent}
        onNewest={toNewest}
      />
      <SelectionBar topic={id} posts={posts} marked={marked} onMark={setMarked} />
      {topic && (writes ? <Composer {...{ topic: id, posts, hold, field }} onSent={show} /> : <Closed topic={topic} />)}
    </section>
  );
}

function Closed({ topic }: { topic: Topic }) {
  return (
    <p className="shrink-0 border-t px-6 py-2.5 text-text-2 max-wide:px-4">
      {topic.closed_at ? (
        <>
          Closed <Time at={momentOf(topic.closed_at)} suffix=" ago" />
          {topic.close_reason && `: ${topic.close_reason}`}. It can be read, and nobody writes to it any more.
        </>
      ) : (
        'Only whoever runs the hub writes from here. Agents join the topic and use sync.'
      )}
    </p>
  );
}

function Gone() {
  return (
    <section aria-label="Topic" className="min-w-0 flex-1">
      <Empty
        title="This topic is not there"
        action={<Button onClick={() => setParams({ topic: undefined, post: undefined }, 'push')}>Show all topics</Button>}
      >
        It was deleted, or the address was cut.
      </Empty>
    </section>
  );
}
