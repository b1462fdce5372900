import { Download } from 'lucide-react';
import { useState } from 'react';
import { useAct } from '@/api/query';
import { setParams, useWorkspace } from '@/app/address';
import { Button, ButtonLink } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { Section } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import type { Workspace } from './counts';
import { Rename } from './Rename';

/** What can be done with a workspace. */
export function Actions({ workspace }: { workspace: Workspace }) {
  const id = workspace.workspace_id;
  const narrowed = useWorkspace() === id;
  const [renaming, setRenaming] = useState(false);
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        {narrowed ? (
          <Button onClick={() => setParams({ ws: undefined }, 'push')}>Show all workspaces again</Button>
        ) : (
          <Button look="primary" onClick={() => setParams({ ws: id }, 'push')}>
            Narrow everything to it
          </Button>
        )}
        <Button onClick={() => setRenaming(true)}>Rename</Button>
        <ButtonLink
          href={`/api/v1/workspaces/${encodeURIComponent(id)}/events/export`}
          download
          icon={<Download size={14} aria-hidden="true" />}
        >
          Export the log
        </ButtonLink>
        <SharedFile id={id} />
      </div>
      {renaming && <Rename workspace={workspace} onClose={() => setRenaming(false)} />}
    </Section>
  );
}

/** A summary of the workspace as a file, for people and agents who read files. */
function SharedFile({ id }: { id: string }) {
  const write = useAct('shared_md_render');
  return (
    <>
      <Button busy={write.isPending} onClick={() => write.mutate({ workspace_id: id })}>
        Write shared.md
      </Button>
      <div className="w-full empty:hidden" role="status">
        {write.data && (
          <span className="flex items-start justify-between gap-1 text-text-2">
            <span className="min-w-0">
              It is in <code className="break-all text-small">{write.data.path}</code>
            </span>
            <CopyButton text={write.data.path} label="Copy the path of shared.md" className="shrink-0" />
          </span>
        )}
      </div>
      {write.error && (
        <div className="w-full">
          <Problem error={write.error} onRetry={() => write.mutate({ workspace_id: id })} />
        </div>
      )}
    </>
  );
}
