import { useState } from 'react';
import type { Data } from '@/api/call';
import { Avatar } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { Secret } from '@/look/Secret';
import { Connect } from '@/things/agent/access/Connect';
import { FirstCall } from '@/things/agent/access/FirstCall';

/** A new agent: its key, once, how to connect it, and whether it has come. Leaving without the key takes two steps. */
export function NewAgent({ made, onClose }: { made: Data<'agent_create'>; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  const leave = () => (copied || warned ? onClose() : setWarned(true));
  return (
    <Dialog title={`Connect ${made.agent_id}`} onClose={leave} wide>
      <div className="flex flex-col gap-5">
        <div className="flex items-center gap-3">
          <Avatar id={made.agent_id} size="large" />
          <div className="min-w-0">
            <p className="truncate font-strong text-title">{made.agent_id}</p>
            <FirstCall agentId={made.agent_id} />
          </div>
        </div>
        <Secret value={made.api_key} onCopy={() => setCopied(true)} />
        <div>
          <h3 className="mb-2 text-text-2">Connect</h3>
          <Connect agentId={made.agent_id} apiKey={made.api_key} onCopy={() => setCopied(true)} />
        </div>
        <div className="flex items-center justify-end gap-3">
          {warned && !copied && (
            <p role="alert" className="min-w-0 flex-1 text-warn">
              The key has not been copied, and is not shown again.
            </p>
          )}
          <Button look={copied ? 'primary' : 'plain'} onClick={leave}>
            {warned && !copied ? 'Leave without it' : 'Done'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
