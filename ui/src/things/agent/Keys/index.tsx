import { ChevronRight, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Item } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useAct, useOp } from '@/api/query';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Command, shortId } from '@/look/Copy';
import { Section } from '@/look/Lines';
import { exact } from '@/look/moment';
import { Secret } from '@/look/Secret';
import { Time, useNow } from '@/look/Time';
import { Connect } from '../access/Connect';
import { NewKey } from '../access/NewKey';
import { useScopeWords } from '../access/Scopes';
import { Stand } from '../access/Stand';

type Key = Item<'key_list'>;

/** The keys of an agent, what it may do, and how to connect it. The rest of the inspector stands around it. */
export function AgentKeys({ agentId }: { agentId: string }) {
  // A key that was just made belongs to one agent's view and goes away with it.
  return <Access key={agentId} agentId={agentId} />;
}

function Access({ agentId }: { agentId: string }) {
  const mayAdminister = useMayAdminister();
  const [made, setMade] = useState<string>();
  if (agentId === 'operator') {
    return (
      <Section title="Keys">
        <p className="mb-2 text-text-2">Whoever runs the hub comes with a key of another kind, a file under its home:</p>
        <Command text="cat ~/.nexus/operator.key" />
      </Section>
    );
  }
  if (!mayAdminister) {
    return (
      <Section title="Keys">
        <Closed what="Who may come in and what they may do" />
      </Section>
    );
  }
  return (
    <>
      <KeySection agentId={agentId} made={made} onMade={setMade} />
      <Stand agentId={agentId} />
      <Section>
        <details open={!!made} className="group">
          <summary className="flex list-none items-center gap-1.5 text-text-2 hover:text-text">
            <ChevronRight size={14} aria-hidden="true" className="transition-transform group-open:rotate-90" />
            Connect a host
          </summary>
          <div className="pt-3">
            <Connect agentId={agentId} apiKey={made} />
          </div>
        </details>
      </Section>
    </>
  );
}

function KeySection({ agentId, made, onMade }: { agentId: string; made?: string; onMade: (key: string) => void }) {
  const { data, error, refetch } = useOp('key_list', { agent_id: agentId }, { fresh: true });
  const [asks, setAsks] = useState<'new' | 'rotate'>();
  const rotate = useAct('agent_regenerate_key', {
    onSuccess: (answer) => {
      onMade(answer.api_key);
      setAsks(undefined);
    },
  });
  const keys = data?.items ?? [];
  const close = () => {
    rotate.reset();
    setAsks(undefined);
  };
  return (
    <Section title="Keys" aside={keys.length > 1 ? keys.length : undefined}>
      {made && (
        <div className="mb-3">
          <Secret value={made} />
        </div>
      )}
      <Refused error={error} what="The list of keys" onRetry={refetch} />
      {data && keys.length === 0 && <p className="text-text-2">None: nobody can come in as {agentId}.</p>}
      <ul>
        {keys.map((key) => (
          <KeyRow key={key.key_id} of={key} />
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button icon={<Plus size={14} aria-hidden="true" />} onClick={() => setAsks('new')}>
          Create key
        </Button>
        {keys.length > 0 && (
          <Button look="quiet" onClick={() => setAsks('rotate')}>
            Rotate {keys.length > 1 ? 'all' : 'key'}
          </Button>
        )}
      </div>
      {asks === 'new' && (
        <NewKey
          agentId={agentId}
          onClose={close}
          onMade={(answer) => {
            onMade(answer.api_key);
            close();
          }}
        />
      )}
      {asks === 'rotate' && (
        <Ask
          title={`Rotate the ${keys.length > 1 ? 'keys' : 'key'} of ${agentId}`}
          action="Rotate"
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate({ agent_id: agentId })}
          onClose={close}
        >
          <p>
            {keys.length > 1 ? `All ${keys.length} keys are` : 'The key is'} dead at once: whatever uses {names(keys)} is cut off,
            open streams and sign-ins too. One new key takes their place, with the usual scopes.
          </p>
        </Ask>
      )}
    </Section>
  );
}

const names = (keys: Key[]) => (keys.length > 1 ? keys.map(nameOf).join(', ') : 'it');

const nameOf = (key: Key) => key.name || shortId(key.key_id);

/** One key: what it is for, until when, and when it was last used. */
function KeyRow({ of: key }: { of: Key }) {
  const [asks, setAsks] = useState(false);
  const words = useScopeWords();
  const now = useNow();
  const revoke = useAct('key_revoke', { onSuccess: () => setAsks(false) });
  const ended = !!key.expires_at && Date.parse(key.expires_at) <= now;
  return (
    <li className="flex items-start justify-between gap-2 border-line-soft border-b py-2 last:border-b-0">
      <div className="min-w-0">
        <p className="truncate" title={key.key_id}>
          {key.name ?? <code className="text-small">{shortId(key.key_id)}</code>}
        </p>
        <p className="break-words text-small text-text-2">{words(key.scopes)}</p>
        <p className="text-small text-text-3">
          {key.last_used_at ? (
            <>
              used <Time at={key.last_used_at} suffix=" ago" />
            </>
          ) : (
            'never used'
          )}
          {' · '}
          {key.expires_at ? (
            <span className={ended ? 'text-bad' : ''}>
              {ended ? 'ended' : 'ends'} {exact(key.expires_at)}
            </span>
          ) : (
            'no end'
          )}
        </p>
      </div>
      <Button look="danger" aria-label={`Revoke ${nameOf(key)}`} onClick={() => setAsks(true)}>
        Revoke
      </Button>
      {asks && (
        <Ask
          title={`Revoke ${nameOf(key)}`}
          action="Revoke"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate({ agent_id: key.agent_id, key_id: key.key_id })}
          onClose={() => {
            revoke.reset();
            setAsks(false);
          }}
        >
          <p>
            Whatever {key.agent_id} does with this key is cut off at once, open streams and sign-ins too. It cannot be brought
            back; its other keys stay good.
          </p>
        </Ask>
      )}
    </li>
  );
}
