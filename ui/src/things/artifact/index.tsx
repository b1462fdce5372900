import { Download, ExternalLink } from 'lucide-react';
import { useOp } from '@/api/query';
import { useWorkspaceName } from '@/app/TopBar';
import { ButtonLink } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { JsonTree } from '@/look/Json/Tree';
import { Facts, Section } from '@/look/Lines';
import { exact } from '@/look/moment';
import { size } from '@/look/size';
import { Thing } from '../Thing';
import { AgentLink, ThingLink } from '../ThingLink';
import { useMaker } from './maker';
import { Preview } from './Preview';
import { SentWith } from './SentWith';
import { type Artifact, artifactName, contentOf, typeWord } from './shape';

export default function ArtifactThing({ id }: { id: string }) {
  const input = { artifact_id: id };
  const { data: artifact, error, refetch } = useOp('observe_artifact', input);
  const current = artifact?.artifact_id === id ? artifact : undefined;
  const maker = useMaker(current);
  const name = current ? artifactName(current) : '';
  return (
    <Thing
      kind="Artifact"
      id={id}
      data={current}
      error={error}
      onRetry={refetch}
      title={name}
      subtitle={current && `${typeWord(current.artifact_type)}, ${size(current.size_bytes)}`}
      command={['observe_artifact', input]}
    >
      {current && (
        <>
          <Known artifact={current} maker={maker} />
          {!current.unavailable && <Fetch artifact={current} name={name} />}
          <Preview key={id} artifact={current} name={name} />
          {hasSome(current.metadata) && (
            <Section title="Metadata">
              <JsonTree value={current.metadata} />
            </Section>
          )}
          {maker && <SentWith artifact={current} maker={maker} />}
        </>
      )}
    </Thing>
  );
}

function hasSome(metadata: unknown): boolean {
  return metadata !== null && metadata !== undefined && (typeof metadata !== 'object' || Object.keys(metadata).length > 0);
}

function Known({ artifact, maker }: { artifact: Artifact; maker: string | undefined }) {
  const workspace = useWorkspaceName(artifact.workspace_id);
  return (
    <Section title="State">
      <Facts
        facts={[
          ['Made', exact(artifact.created_at)],
          ['By', maker && <AgentLink id={maker} />],
          [
            'Workspace',
            <ThingLink key="workspace" kind="workspace" id={artifact.workspace_id}>
              {workspace}
            </ThingLink>,
          ],
          ['Kept', artifact.stored === 'path' ? 'as a file in the project' : 'in the hub'],
          [
            'Path',
            artifact.path && (
              <span className="flex items-start justify-between gap-1">
                <code className="min-w-0 break-all text-small">{artifact.path}</code>
                <CopyButton text={artifact.path} label="Copy the path" className="-mt-0.5 shrink-0" />
              </span>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function Fetch({ artifact, name }: { artifact: Artifact; name: string }) {
  const where = contentOf(artifact.artifact_id);
  const opens = artifact.media_type && artifact.media_type !== 'application/octet-stream';
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        <ButtonLink look="primary" href={where} download={name} icon={<Download size={14} aria-hidden="true" />}>
          Download
        </ButtonLink>
        {opens && (
          <ButtonLink href={where} target="_blank" rel="noopener" icon={<ExternalLink size={14} aria-hidden="true" />}>
            Open in a tab
          </ButtonLink>
        )}
      </div>
    </Section>
  );
}
