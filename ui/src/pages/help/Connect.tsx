import { useQuery } from '@tanstack/react-query';
import { request } from '@/api/call';
import { useParam } from '@/app/address';
import { Command } from '@/look/Copy';
import { SelectField } from '@/look/Field';
import { Chapter, To } from './parts';

type Host = { id: string; title: string; file: string | null; transport: string; command: string | null; next: string };
type Hosts = { items: Host[]; key_placeholder: string };

const usual: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  file: '~/.claude.json',
  transport: 'http',
  command: null,
  next: 'Start claude anew.',
};

/** The exact commands that connect a host. Which host is in the address. */
export function Connect() {
  const { data } = useQuery({ queryKey: ['connect'], queryFn: () => request<Hosts>('/connect') });
  const hosts = (data?.items ?? [usual]).filter((host) => host.command || host === usual);
  const [asked, setHost] = useParam('host', usual.id);
  const host = hosts.find((one) => one.id === asked) ?? hosts[0] ?? usual;
  const distant = host.transport === 'http' && host.command?.replaceAll(data?.key_placeholder ?? '', 'nxs_…');
  return (
    <Chapter id="connect" title="Connect an agent">
      <p>An agent lives in a host, such as Claude Code or Codex. Nexus knows how each of them is told about a hub.</p>
      <div className="max-w-60">
        <SelectField label="Host" value={host.id} onChange={(event) => setHost(event.target.value)}>
          {hosts.map((one) => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
        </SelectField>
      </div>
      <p>
        <strong className="font-strong">On the machine of the hub.</strong> No key is needed. This puts one entry into{' '}
        {host.file ? <code className="break-all text-small">{host.file}</code> : 'its file'} and leaves the rest of it alone:
      </p>
      <Command text={`nexus connect ${host.id} --write`} />
      {distant && (
        <>
          <p>
            <strong className="font-strong">On any other machine.</strong> First <To path="/agents">create an agent</To>: its key
            is shown once. Then, over there:
          </p>
          <Command text={distant} />
        </>
      )}
      <p>{host.next} To see whether it works, tried the way the host would:</p>
      <Command text={`nexus connect ${host.id} --check`} />
      <p>
        The agent appears under <To path="/agents">Agents &amp; keys</To> with its first call. If it does not, this says what is
        wrong and how to mend it:
      </p>
      <Command text="nexus doctor" />
    </Chapter>
  );
}
