import { useMayAdminister } from '@/api/me';
import { useOp } from '@/api/query';
import { closeInspector, go } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { TopicGlyph } from '@/look/Glyph';
import { RawJson } from '@/look/Json';
import { Facts, type Knot, Section, Thread } from '@/look/Lines';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { useTopicMoves } from './moves';
import { exportTopic, momentOf, readWords, several, type Topic } from './words';

/** Everybody who ever read in the topic counts, however long ago. */
const ever = 10 * 365 * 86_400;

export default function TopicThing({ id }: { id: string }) {
  const { data, error, refetch, isPlaceholderData } = useOp('topic_look', { topic_id: id });
  const topic = isPlaceholderData ? undefined : data?.topic;
  const workspace = useWorkspaceName(topic?.workspace_id);
  return (
    <Thing
      kind="Topic"
      id={id}
      data={topic}
      error={error}
      onRetry={refetch}
      title={topic?.name}
      subtitle={topic && `${several(topic.message_count, 'post')}${workspace ? ` · ${workspace}` : ''}`}
      avatar={topic && <TopicGlyph status={topic.status} />}
      command={['topic_look', { topic_id: id }]}
    >
      {topic && (
        <>
          <Section title="State">
            <Facts
              facts={[
                ['State', topic.status === 'closed' ? 'Closed: it can be read, nobody writes' : 'Open'],
                ['Reason', topic.close_reason],
                ['Workspace', workspace || 'None'],
              ]}
            />
          </Section>
          <Peers topic={topic} />
          <Section title="Next">
            <Moves topic={topic} />
          </Section>
          {topic.metadata && (
            <Section title="Metadata">
              <RawJson value={topic.metadata} title="What was kept with it" open />
            </Section>
          )}
          <Section title="History">
            <Thread knots={knotsOf(topic)} />
          </Section>
        </>
      )}
    </Thing>
  );
}

/** Who takes part, and how far each has read. */
function Peers({ topic }: { topic: Topic }) {
  const { data } = useOp('topic_presence', { topic_id: topic.topic_id, window_seconds: ever, limit: 200 });
  const peers = data?.topic_id === topic.topic_id ? data.peers : [];
  return (
    <Section title="Peers" aside={peers.length > 0 && String(peers.length)}>
      {peers.length === 0 && <p className="text-text-2">Nobody has joined and read yet.</p>}
      <ul className="flex flex-col gap-2">
        {peers.map((peer) => (
          <li key={peer.agent_name} className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              <AgentName id={peer.agent_name} presence={peer.age_seconds < 300 ? 'present' : 'offline'} />
            </span>
            <span className="text-small text-text-2">{readWords(peer, topic.last_seq)}</span>
            <span className="w-10 text-right text-small text-text-3">
              <Time at={momentOf(peer.updated_at)} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Moves({ topic }: { topic: Topic }) {
  const mayAdminister = useMayAdminister();
  const { ask, dialog } = useTopicMoves(topic, closeInspector);
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="primary" onClick={() => go('/topics', { topic: topic.topic_id })}>
        Read it
      </Button>
      <Button onClick={() => exportTopic(topic.topic_id, 'markdown')}>Export</Button>
      {mayAdminister && <Button onClick={() => ask('rename')}>Rename</Button>}
      {topic.status === 'open' && <Button onClick={() => ask('close')}>Close</Button>}
      {mayAdminister && (
        <Button look="danger" onClick={() => ask('delete')}>
          Delete
        </Button>
      )}
      {dialog}
    </div>
  );
}

function knotsOf(topic: Topic): Knot[] {
  const knots: Knot[] = [
    {
      key: 'opened',
      glyph: <TopicGlyph />,
      what: 'Opened',
      when: <Time at={momentOf(topic.created_at)} />,
    },
  ];
  if (topic.last_seq > 0)
    knots.unshift({
      key: 'written',
      glyph: <TopicGlyph />,
      what: 'Last change',
      why: `${several(topic.last_seq, 'post')} in all${topic.last_seq > topic.message_count ? `, ${topic.last_seq - topic.message_count} deleted` : ''}`,
      when: <Time at={momentOf(topic.last_updated_at)} />,
    });
  if (topic.closed_at)
    knots.unshift({
      key: 'closed',
      glyph: <TopicGlyph status="closed" />,
      what: 'Closed',
      why: topic.close_reason,
      when: <Time at={momentOf(topic.closed_at)} />,
    });
  return knots;
}
