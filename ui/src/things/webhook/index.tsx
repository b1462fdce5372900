import { useState } from 'react';
import type { Data } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { again, useAct, useOp } from '@/api/query';
import { closeInspector, go, inspect } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Closed, isClosed } from '@/look/Closed';
import { Facts, Section } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import { Secret } from '@/look/Secret';
import { Time } from '@/look/Time';
import { Thing } from '../Thing';
import { Attempts } from './Attempts';
import { State } from './State';
import { EditWebhook } from './WebhookForm';
import { answerWords, type Webhook, webhookName } from './words';

export default function WebhookThing({ id }: { id: string }) {
  const mayAdminister = useMayAdminister();
  const { data, error, refetch } = useOp('webhook_get', { webhook_id: id }, { fresh: true, enabled: mayAdminister });
  const workspace = useWorkspaceName(data?.workspace);
  if (!mayAdminister || isClosed(error)) {
    return (
      <Thing kind="Webhook" id={id} data={null} title="Webhook">
        <Section>
          <Closed what="This webhook" />
        </Section>
      </Thing>
    );
  }
  return (
    <Thing
      kind="Webhook"
      id={id}
      data={data}
      error={error}
      onRetry={refetch}
      title={data && webhookName(data)}
      subtitle={<span className="break-all">{data?.url}</span>}
      command={['webhook_get', { webhook_id: id }]}
    >
      {data && (
        <>
          <Section title="State">
            <p className="mb-2">
              <State webhook={data} />
            </p>
            {data.disabled_reason && <p className="mb-2 text-bad">{data.disabled_reason}</p>}
            <Facts
              facts={[
                ['Events', <Events key="events" types={data.events} />],
                ['Workspace', data.workspace ? workspace : 'all of them, and the system’s own events'],
                ['Done up to', <Position key="position" at={data.position} />],
                ['Created', <Time key="created" at={data.created_at} suffix=" ago" />],
              ]}
            />
          </Section>
          <Actions webhook={data} />
          <Attempts id={id} />
        </>
      )}
    </Thing>
  );
}

/** The types it is told of; each leads to its events. */
function Events({ types }: { types: string[] }) {
  return (
    <span className="flex flex-wrap gap-x-2">
      {types.map((type) => (
        <button
          key={type}
          type="button"
          className="min-h-6 rounded-small font-mono text-small hover:text-accent"
          onClick={() => go('/events', type.includes('*') ? {} : { type })}
        >
          {type}
        </button>
      ))}
    </span>
  );
}

function Position({ at }: { at: number }) {
  if (at === 0) return <span className="text-text-3">nothing yet</span>;
  return (
    <button type="button" className="rounded-small hover:text-accent" onClick={() => inspect('event', String(at))}>
      event {at}
    </button>
  );
}

/** Everything that can be done with it. What comes of it stays in sight. */
function Actions({ webhook }: { webhook: Webhook }) {
  const id = { webhook_id: webhook.webhook_id };
  const [asks, setAsks] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = () => setAsks(undefined);
  const test = useAct('webhook_test', { onSuccess: () => void again('webhook_attempts') });
  const update = useAct('webhook_update');
  const rotate = useAct('webhook_rotate_secret', {
    onSuccess: (answer) => {
      setSecret(answer.secret);
      close();
    },
  });
  const remove = useAct('webhook_delete', { onSuccess: closeInspector });
  return (
    <Section>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" busy={test.isPending} onClick={() => test.mutate(id)}>
          Send a test
        </Button>
        <Button onClick={() => setAsks('edit')}>Edit</Button>
        <Button busy={update.isPending} onClick={() => update.mutate({ ...id, is_active: !webhook.is_active })}>
          {webhook.is_active ? 'Pause' : 'Go on'}
        </Button>
        <Button look="quiet" onClick={() => setAsks('rotate')}>
          Rotate secret
        </Button>
        <Button look="danger" onClick={() => setAsks('delete')}>
          Delete
        </Button>
      </div>
      <div className="flex flex-col gap-3 empty:hidden [&>*]:mt-3">
        <Problem error={test.error ?? update.error} />
        <Tested attempt={test.data} />
        {secret && (
          <Secret
            label="Secret"
            title="Copy the new secret now. It is shown once."
            hint="What is sent from now on is signed with it."
            value={secret}
          />
        )}
      </div>
      {asks === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {asks === 'rotate' && (
        <Ask
          title="Rotate the secret"
          action="Rotate"
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate(id)}
          onClose={close}
        >
          <p>The old secret signs nothing any more. Until the other side has the new one, it should refuse what it is sent.</p>
        </Ask>
      )}
      {asks === 'delete' && (
        <Ask
          title={`Delete ${webhookName(webhook)}`}
          action="Delete webhook"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(id)}
          onClose={close}
        >
          <p>Its attempts and its place in the log go with it. A new one is told only of what happens after it was made.</p>
        </Ask>
      )}
    </Section>
  );
}

/** How a test went. */
function Tested({ attempt }: { attempt?: Data<'webhook_test'> }) {
  if (!attempt) return null;
  return (
    <p role="status" className={`wrap-anywhere ${attempt.error ? 'text-bad' : 'text-ok'}`}>
      Test: {answerWords(attempt)}
    </p>
  );
}
