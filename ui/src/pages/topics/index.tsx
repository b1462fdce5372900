import { useParam } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { Empty } from '@/look/Empty';
import { Reading } from './Reading';
import { TopicList } from './TopicList';

/** Topics on the left, what was written in one on the right. On a phone these are two views. */
export default function Topics() {
  const [topic] = useParam('topic');
  useViewCommand(topic ? 'topic_look' : 'topic_browse', topic ? { topic_id: topic } : {});
  return (
    <div className="flex h-full min-h-0">
      <TopicList current={topic} />
      {topic ? (
        <Reading key={topic} id={topic} />
      ) : (
        <section aria-label="Topic" className="min-w-0 flex-1 max-wide:hidden">
          <Empty title="Choose a topic">
            What peers wrote in it appears here, with its threads and how far everybody has read.
          </Empty>
        </section>
      )}
    </div>
  );
}
