import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '@/api/call';
import { useLive } from '@/api/live';
import { type Me, useMe } from '@/api/me';
import { useShade } from '@/app/theme';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { Facts } from '@/look/Lines';
import { Problem } from '@/look/Problem';
import { browserFacts, type Info } from './facts';
import { Libraries, Licence } from './Licences';
import { Chapter } from './parts';

const trust: Record<string, string> = {
  open: 'open: the secret of a session is checked where one is given',
  strict: 'strict: what matters is done only with the secret of a session',
};

export function About() {
  const { data: info, error, refetch } = useQuery({ queryKey: ['info'], queryFn: () => request<Info>('/info') });
  const { data: me } = useMe();
  return (
    <Chapter id="about" title="About">
      <Problem error={error} onRetry={() => void refetch()} />
      <Facts
        facts={[
          ['Version', info?.package_version],
          ['Schema', info?.schema_version],
          ['Trust', info && (trust[info.trust_mode] ?? info.trust_mode)],
          ['You are', me && <Who me={me} />],
          ['You may', me?.scopes.join(', ')],
        ]}
      />
      {me?.sign_in_id && <SignOut />}
      {info && <Report info={info} />}
      <Licence />
      <Libraries />
    </Chapter>
  );
}

function Who({ me }: { me: Me }) {
  if (me.agent_id) return <AgentName id={me.agent_id} />;
  if (me.person) return me.person;
  return me.kind === 'operator' ? 'the operator of this hub' : me.kind;
}

function SignOut() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  async function leave() {
    setBusy(true);
    setError(undefined);
    try {
      await request('/sign-out', { method: 'POST' });
      location.reload();
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button busy={busy} onClick={() => void leave()}>
        Sign out
      </Button>
      <Problem error={error} />
    </div>
  );
}

/** What helps whoever reads a report. */
function Report({ info }: { info: Info }) {
  const live = useLive((now) => now.state);
  const text = browserFacts(info, live, useShade());
  return (
    <div>
      <h3 className="mb-1 text-text-2">For a report</h3>
      <div className="relative rounded bg-sunk p-3 pr-10">
        <CopyButton text={text} label="Copy the facts" className="absolute top-1.5 right-1.5" />
        <pre className="whitespace-pre-wrap break-words text-small">{text}</pre>
      </div>
      <p className="mt-1 text-small text-text-3">No names, no keys and nothing that was written is in it.</p>
    </div>
  );
}
