import { type ReactNode, useState } from 'react';
import type { Item } from '@/api/call';
import { useMayAdminister, useMe } from '@/api/me';
import { again, useAct, useOp } from '@/api/query';
import { inspect, useParam } from '@/app/address';
import { Ask } from '@/look/Ask';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { type Column, Grid } from '@/look/Grid';
import { Tag } from '@/look/Lines';
import { exact } from '@/look/moment';
import { Time } from '@/look/Time';
import { Bar } from './Bar';

type SignIn = Item<'sign_in_list'>;

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** What somebody signed in with, as people say it. */
export function browserName(userAgent: string | null): string {
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (userAgent?.slice(0, 40) || 'unknown');
}

const what = 'The list of sign-ins';

const who = (row: SignIn) => row.agent_id ?? 'operator';

/** The people who are signed in here. */
export function SignInList({ tabs }: { tabs: ReactNode }) {
  const mayAdminister = useMayAdminister();
  const { data, error, refetch } = useOp('sign_in_list', {}, { fresh: true, enabled: mayAdminister });
  const own = useMe().data?.sign_in_id;
  const [q, setQ] = useParam('q');
  const [asks, setAsks] = useState<SignIn>();
  const columns: Column<SignIn>[] = [
    {
      title: 'Who',
      width: 'minmax(110px,1fr)',
      cell: (row) => (
        <span className="inline-flex items-center gap-2">
          <AgentName id={who(row)} />
          {row.sign_in_id === own && <Tag tone="accent">you</Tag>}
        </span>
      ),
    },
    {
      title: 'With',
      width: 'minmax(100px,1.2fr)',
      cell: (row) => <span title={row.user_agent ?? ''}>{browserName(row.user_agent)}</span>,
      wideOnly: true,
    },
    {
      title: 'From',
      width: 'minmax(100px,1fr)',
      cell: (row) => <code className="text-small text-text-2">{row.address}</code>,
      wideOnly: true,
    },
    { title: 'Since', width: '56px', cell: (row) => <Time at={row.created_at} /> },
    {
      title: 'Ends',
      width: 'minmax(90px,0.8fr)',
      cell: (row) => <span className="text-text-2">{exact(row.expires_at)}</span>,
      wideOnly: true,
    },
    {
      title: 'Action',
      width: '88px',
      align: 'right',
      cell: (row) => (
        <Button
          look="danger"
          aria-label={`Sign out ${who(row)}`}
          onClick={(event) => {
            event.stopPropagation();
            setAsks(row);
          }}
        >
          Sign out
        </Button>
      ),
    },
  ];
  const asked = q.toLowerCase();
  const rows = (data?.items ?? []).filter((row) =>
    `${who(row)} ${browserName(row.user_agent)} ${row.address}`.toLowerCase().includes(asked),
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Bar tabs={tabs}>
        <Filter value={q} onChange={setQ} />
      </Bar>
      <div className="px-6 max-wide:px-4">
        {mayAdminister ? <Refused error={error} what={what} onRetry={refetch} /> : <Closed what={what} />}
      </div>
      <div className="min-h-0 flex-1">
        {data && (
          <Grid
            label="Sign-ins"
            rows={rows}
            columns={columns}
            keyOf={(row) => row.sign_in_id}
            rowHeight={40}
            onOpen={(row) => inspect('agent', who(row))}
            empty={<NoSignIns narrowed={data.items.length > 0} />}
          />
        )}
      </div>
      {asks && <SignOut of={asks} isOwn={asks.sign_in_id === own} onClose={() => setAsks(undefined)} />}
    </div>
  );
}

function NoSignIns({ narrowed }: { narrowed: boolean }) {
  if (narrowed) return <Empty title="No sign-in fits">Clear the filter to see all of them.</Empty>;
  return (
    <Empty title="Nobody is signed in">
      Browsers that came in with a key appear here. On loopback the hub asks for none, and nobody needs to sign in.
    </Empty>
  );
}

function SignOut({ of: row, isOwn, onClose }: { of: SignIn; isOwn: boolean; onClose: () => void }) {
  const revoke = useAct('sign_in_revoke', {
    onSuccess: () => {
      void again('sign_in_list');
      onClose();
      if (isOwn) location.reload();
    },
  });
  return (
    <Ask
      title={isOwn ? 'Sign out this browser' : `Sign out ${who(row)}`}
      action="Sign out"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ sign_in_id: row.sign_in_id })}
      onClose={onClose}
    >
      <p>
        {browserName(row.user_agent)} at {row.address ?? 'an unknown address'} is out at once, and its streams end. The key that
        opened it stays good: revoke that too if it is lost.
      </p>
    </Ask>
  );
}
