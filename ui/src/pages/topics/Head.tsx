import { ArrowLeft, Ellipsis, Search } from 'lucide-react';
import { useMayAdminister } from '@/api/me';
import { inspect, setParams } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { Avatar } from '@/look/Avatar';
import { IconButton } from '@/look/Button';
import { copyText } from '@/look/Copy';
import { TopicGlyph } from '@/look/Glyph';
import { Menu } from '@/look/Menu';
import { useTopicMoves } from '@/things/topic/moves';
import { exportTopic, type Peer, several, type Topic, topicHref } from '@/things/topic/words';

const shownPeers = 4;

/** Which topic it is, who is there, and what can be done with it. */
export function Head({ topic, peers, onFind }: { topic: Topic | undefined; peers: Peer[]; onFind: () => void }) {
  const workspace = useWorkspaceName(topic?.workspace_id);
  const about = topic && [several(topic.message_count, 'post'), workspace, topic.status === 'closed' && 'closed'];
  return (
    <header className="flex h-14 shrink-0 items-center gap-3 border-b px-6 max-wide:gap-2 max-wide:px-4">
      <IconButton
        label="Back to all topics"
        onClick={() => setParams({ topic: undefined, post: undefined, find: undefined }, 'push')}
        className="-ml-2 wide:hidden"
      >
        <ArrowLeft size={18} />
      </IconButton>
      {topic && <TopicGlyph status={topic.status} />}
      <div className="min-w-0 flex-1">
        <h2 className="truncate font-strong" title={topic?.name}>
          {topic?.name ?? '…'}
        </h2>
        <p className="truncate text-small text-text-2">{about?.filter(Boolean).join(' · ')}</p>
      </div>
      {topic && <Here topic={topic} peers={peers} />}
      <IconButton label="Find in this topic" aria-keyshortcuts="f" onClick={onFind}>
        <Search size={16} />
      </IconButton>
      {topic && <More topic={topic} />}
    </header>
  );
}

/** Who was active in the last minutes; it leads to how far everybody has read. */
function Here({ topic, peers }: { topic: Topic; peers: Peer[] }) {
  const names = peers.map((peer) => peer.agent_name);
  return (
    <button
      type="button"
      title={names.length > 0 ? `Here in the last minutes: ${names.join(', ')}` : 'Nobody was here in the last minutes'}
      onClick={() => inspect('topic', topic.topic_id)}
      className="flex h-8 shrink-0 items-center gap-2 rounded px-2 text-small text-text-2 hover:bg-hover hover:text-text max-wide:hidden"
    >
      <span className="flex gap-1">
        {names.slice(0, shownPeers).map((name) => (
          <Avatar key={name} id={name} size="small" />
        ))}
      </span>
      {names.length > 0 ? `${names.length} here` : 'Nobody here'}
    </button>
  );
}

function More({ topic }: { topic: Topic }) {
  const mayAdminister = useMayAdminister();
  const { ask, dialog } = useTopicMoves(topic, () => setParams({ topic: undefined, post: undefined }));
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} />
          </IconButton>
        }
        items={[
          { label: 'Details and peers', onSelect: () => inspect('topic', topic.topic_id) },
          { label: 'Copy link', onSelect: () => void copyText(location.origin + topicHref(topic.topic_id)) },
          'line',
          { label: 'Export as Markdown', onSelect: () => exportTopic(topic.topic_id, 'markdown') },
          { label: 'Export as JSON', onSelect: () => exportTopic(topic.topic_id, 'json') },
          'line',
          { label: 'Rename…', disabled: !mayAdminister, onSelect: () => ask('rename') },
          { label: 'Close…', disabled: topic.status !== 'open', onSelect: () => ask('close') },
          { label: 'Delete…', danger: true, disabled: !mayAdminister, onSelect: () => ask('delete') },
        ]}
      />
      {dialog}
    </>
  );
}
