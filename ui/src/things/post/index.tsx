import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { go, inspect } from '@/app/address';
import { AgentName, Avatar } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { TopicGlyph } from '@/look/Glyph';
import { RawJson } from '@/look/Json';
import { Facts, Section, Tag, Thread } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { gist, momentOf, type Post, seenPost, seePost, topicHref } from '../topic/words';

/** One post of a topic, with what it answers and what answers it. */
export default function PostThing({ id }: { id: string }) {
  const { topic, post: postId } = seenPost(id);
  const { data, error, refetch } = useOp('topic_look', { topic_id: topic, focus: postId });
  const posts = data?.topic.topic_id === topic ? data.messages : [];
  const post = posts.find((one) => one.message_id === postId);
  const parent = posts.find((one) => one.message_id === post?.reply_to);
  const replies = posts.filter((one) => one.reply_to === postId);
  const isOpen = useMayAdminister() && data?.topic.status === 'open';
  const gone = data?.topic.topic_id === topic && data.context_mode !== 'focus';
  return (
    <Thing
      kind="Post"
      id={postId}
      data={post ?? (gone ? null : undefined)}
      error={error}
      onRetry={refetch}
      title={post ? `${post.sender} in ${data!.topic.name}` : 'It was deleted'}
      subtitle={post && exact(momentOf(post.created_at))}
      avatar={post && <Avatar id={post.sender} size="large" />}
      command={['topic_look', { topic_id: topic, focus: postId }]}
    >
      {post && (
        <>
          <Section title="State">
            <Facts
              facts={[
                ['Number', `#${post.seq}`],
                ['Type', <Tag key="type">{post.message_type}</Tag>],
                ['From', <AgentName key="from" id={post.sender} />],
                ['Answers', post.reply_to && <Neighbour key="parent" post={parent} />],
              ]}
            />
          </Section>
          <Section title="Next">
            <div className="flex flex-wrap gap-2">
              <Button look="primary" onClick={() => go('/topics', { topic, post: postId })}>
                Read it in its topic
              </Button>
              {isOpen && <Button onClick={() => go('/topics', { topic, post: postId, reply: postId })}>Reply</Button>}
              <Button onClick={() => inspect('topic', topic)}>Open the topic</Button>
              <CopyButton text={location.origin + topicHref(topic, postId)} label="Copy link" words />
            </div>
          </Section>
          <Section title="Text">
            <Markdown text={post.content_markdown} />
          </Section>
          {post.metadata && (
            <Section title="Metadata">
              <RawJson value={post.metadata} title="What was kept with it" open />
            </Section>
          )}
          {replies.length > 0 && (
            <Section title="Replies" aside={String(replies.length)}>
              <Thread
                knots={replies.map((reply) => ({
                  key: reply.message_id,
                  glyph: <TopicGlyph />,
                  what: <Neighbour post={reply} />,
                  when: <Time at={momentOf(reply.created_at)} />,
                }))}
              />
            </Section>
          )}
        </>
      )}
    </Thing>
  );
}

/** A post beside this one. */
function Neighbour({ post }: { post: Post | undefined }) {
  if (!post) return 'a post that is far from here, or deleted';
  return (
    <button type="button" className="text-left hover:text-accent" onClick={() => inspect('post', seePost(post))}>
      {post.sender}: {gist(post.content_markdown, 80)}
    </button>
  );
}
