import { Layers } from 'lucide-react';
import { HubError } from '@/api/call';
import { useOp } from '@/api/query';
import { workspaceName } from '@/app/TopBar';
import { CopyButton } from '@/look/Copy';
import { Count, Facts, Section } from '@/look/Lines';
import { exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { Actions } from './Actions';
import { Analytics } from './Analytics';
import { amount, type Counted, follow, type Workspace } from './counts';
import { Sessions } from './Sessions';

export default function WorkspaceThing({ id }: { id: string }) {
  const input = { workspace: id };
  const { data, error, refetch } = useOp('observe_workspaces', input);
  const workspace = data?.items.find((item) => item.workspace_id === id);
  const missing = data && !workspace ? new HubError('NOT_FOUND', 'There is no such workspace.', 404) : null;
  return (
    <Thing
      kind="Workspace"
      id={id}
      data={workspace}
      error={error ?? missing}
      onRetry={refetch}
      avatar={<Layers size={20} aria-hidden="true" className="mt-0.5 shrink-0 text-text-3" />}
      title={workspace && workspaceName(workspace)}
      subtitle={workspace && <Path path={workspace.root_realpath} />}
      command={['observe_workspaces', input]}
    >
      {workspace && (
        <>
          <State workspace={workspace} countedTo={data?.counted_to ?? 1_000} />
          <Actions workspace={workspace} />
          <Analytics workspace={id} />
          <Sessions workspace={id} />
        </>
      )}
    </Thing>
  );
}

function Path({ path }: { path: string }) {
  return (
    <span className="inline-flex max-w-full items-start gap-1">
      <code className="min-w-0 break-all text-small leading-5">{path}</code>
      <CopyButton text={path} label="Copy the path" className="-my-0.5 shrink-0" />
    </span>
  );
}

const words: [Counted, one: string, many: string][] = [
  ['agents', 'agent here', 'agents here'],
  ['messages', 'message', 'messages'],
  ['handoffs_open', 'open hand-off', 'open hand-offs'],
  ['handoffs_claimed', 'claimed', 'claimed'],
  ['tasks_open', 'open task', 'open tasks'],
];

function State({ workspace, countedTo }: { workspace: Workspace; countedTo: number }) {
  return (
    <Section
      title="State"
      aside={
        <>
          used <Time at={workspace.last_seen_at} suffix=" ago" />
        </>
      }
    >
      <div className="mb-3 grid grid-cols-[repeat(auto-fill,minmax(88px,1fr))] gap-3">
        {words.map(([what, one, many]) => (
          <Count
            key={what}
            value={amount(workspace[what], countedTo)}
            word={workspace[what] === 1 ? one : many}
            onClick={() => follow(what, workspace.workspace_id)}
          />
        ))}
      </div>
      <Facts facts={[['Since', exact(workspace.created_at)]]} />
    </Section>
  );
}
