import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { MailGlyph } from '@/look/Glyph';
import { Section, Thread } from '@/look/Lines';
import { Time } from '@/look/Time';
import type { Artifact } from './shape';

/** For how long after it was made a maker is expected to send an artifact. */
const soon = 3_600_000;

/** The messages that its maker sent it with, soon after. The hub keeps no way back from an artifact to all that refer to it. */
export function SentWith({ artifact, maker }: { artifact: Artifact; maker: string }) {
  const { data } = useOp('observe_messages', {
    workspace: artifact.workspace_id,
    from_agent: maker,
    since: artifact.created_at,
    until: new Date(Date.parse(artifact.created_at) + soon).toISOString(),
    include_body: true,
    page_size: 50,
  });
  const messages = (data?.items ?? []).filter((message) => message.artifacts?.includes(artifact.artifact_id));
  if (messages.length === 0) return null;
  return (
    <Section title="Sent with">
      <Thread
        knots={messages.map((message) => ({
          key: message.message_id,
          glyph: <MailGlyph lane="sent" />,
          what: (
            <button type="button" className="text-left hover:text-accent" onClick={() => inspect('message', message.message_id)}>
              {message.subject || 'A message'}
            </button>
          ),
          why: `from ${message.from_agent_id}`,
          when: <Time at={message.created_at} />,
        }))}
      />
    </Section>
  );
}
