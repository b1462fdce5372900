import { useState } from 'react';
import type { Data } from '@/api/call';
import { useAct } from '@/api/query';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { Dialog } from '@/look/Dialog';
import { Problem } from '@/look/Problem';

/** Gives a key to everybody who has none, and shows them, once. */
export function IssueKeys({ agents, onClose }: { agents: string[]; onClose: () => void }) {
  const [made, setMade] = useState<Data<'admin_issue_keys'>>();
  const issue = useAct('admin_issue_keys', { onSuccess: setMade });
  if (made) return <Issued items={made.items} onClose={onClose} />;
  return (
    <Dialog title="Issue keys" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          {agents.length === 1 ? 'One agent has' : `${agents.length} agents have`} no key. Each gets one with the usual scopes:
          read, write, mcp and rpc. They are shown once, on the next page.
        </p>
        <p className="max-h-40 overflow-y-auto break-words text-text-2">{agents.join(', ')}</p>
        <Problem error={issue.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" busy={issue.isPending} onClick={() => issue.mutate({})}>
            Issue {agents.length === 1 ? 'one key' : `${agents.length} keys`}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Issued({ items, onClose }: { items: Data<'admin_issue_keys'>['items']; onClose: () => void }) {
  const [warned, setWarned] = useState(items.length === 0);
  const all = items.map((item) => `${item.agent_id} ${item.api_key}`).join('\n');
  return (
    <Dialog title="New keys" onClose={() => (warned ? onClose() : setWarned(true))} wide>
      <div className="flex flex-col gap-4">
        <p className="font-strong">
          {items.length === 0 ? 'Everybody has a key already.' : 'Copy them now. They are shown once.'}
        </p>
        {items.length > 0 && (
          <ul className="max-h-[50vh] overflow-y-auto rounded bg-accent-wash px-3 py-1">
            {items.map((item) => (
              <li key={item.agent_id} className="flex flex-wrap items-center gap-x-3 py-1.5">
                <span className="w-32 shrink-0">
                  <AgentName id={item.agent_id} />
                </span>
                <code className="min-w-0 flex-1 break-all text-small">{item.api_key}</code>
                <CopyButton text={item.api_key} label={`Copy the key of ${item.agent_id}`} />
              </li>
            ))}
          </ul>
        )}
        <div className="flex items-center justify-end gap-3">
          {items.length > 0 && <CopyButton text={all} label="Copy all, one a line" words className="h-8" />}
          {warned && items.length > 0 && (
            <p role="alert" className="text-warn">
              They are not shown again.
            </p>
          )}
          <Button onClick={() => (warned ? onClose() : setWarned(true))}>{warned ? 'Close' : 'Done'}</Button>
        </div>
      </div>
    </Dialog>
  );
}
