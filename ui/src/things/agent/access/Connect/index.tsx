import { useQuery } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { request } from '@/api/call';
import { remember, remembered } from '@/app/remember';
import { Command, CopyButton } from '@/look/Copy';

/** How one host writes the hub down. The key is not in it: `{{api_key}}` stands for it. */
export type ConnectHost = {
  id: string;
  title: string;
  file: string | null;
  transport: string;
  snippet: string;
  command: string | null;
  next: string;
};

const placeholder = '{{api_key}}';

/** The text with the key in it, or with what stands for a key that is not known any more. */
export const filled = (text: string, key?: string) => text.replaceAll(placeholder, key ?? 'nxs_…');

const useHosts = () =>
  useQuery({ queryKey: ['connect'], queryFn: ({ signal }) => request<{ items: ConnectHost[] }>('/connect', { signal }) });

/** A snippet for every host. The key is put in here, in the page, and goes nowhere. */
export function Connect({ agentId, apiKey, onCopy }: { agentId: string; apiKey?: string; onCopy?: () => void }) {
  const { data, error } = useHosts();
  const hosts = data?.items ?? [];
  if (error) return <ByCommand agentId={agentId} />;
  if (hosts.length === 0) return null;
  const known = remembered('connect.host', 'claude-code');
  return (
    <Tabs.Root
      defaultValue={hosts.some((host) => host.id === known) ? known : hosts[0]!.id}
      onValueChange={(host) => remember('connect.host', host)}
      className="overflow-hidden rounded border"
    >
      <Tabs.List aria-label="Host" className="flex overflow-x-auto border-b bg-sunk px-1">
        {hosts.map((host) => (
          <Tabs.Trigger
            key={host.id}
            value={host.id}
            className="h-9 shrink-0 whitespace-nowrap border-transparent border-b-2 px-2.5 text-text-2 -outline-offset-2 hover:text-text data-[state=active]:border-accent data-[state=active]:font-strong data-[state=active]:text-text"
          >
            {host.title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {hosts.map((host) => (
        <Tabs.Content key={host.id} value={host.id}>
          <Snippet host={host} apiKey={apiKey} onCopy={onCopy} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function Snippet({ host, apiKey, onCopy }: { host: ConnectHost; apiKey?: string; onCopy?: () => void }) {
  const text = filled(host.snippet, apiKey);
  return (
    <>
      <div className="flex items-center justify-between gap-2 px-3 pt-2 text-small text-text-2">
        <code className="min-w-0 truncate" title={host.file ?? undefined}>
          {host.file || 'Where your host keeps its MCP servers'}
        </code>
        <CopyButton text={text} label="Copy" words onCopy={onCopy} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable */}
      <pre tabIndex={0} className="overflow-x-auto px-3 pt-1 pb-3 text-small">
        {text}
      </pre>
      {host.command && (
        <div className="flex items-center justify-between gap-2 border-t px-3 py-1.5">
          <code className="min-w-0 break-words text-small text-text-2">{filled(host.command, apiKey)}</code>
          <CopyButton text={filled(host.command, apiKey)} label="Copy command" onCopy={onCopy} />
        </div>
      )}
      {host.next && <p className="border-t px-3 py-2 text-small text-text-2">{host.next}</p>}
    </>
  );
}

/** For a hub that shows no snippets: the command that prints them. */
function ByCommand({ agentId }: { agentId: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-text-2">On the machine of the host, with the key in NEXUS_API_KEY:</p>
      <Command text={`nexus connect claude-code --transport http --agent ${agentId} --url ${location.origin} --write`} />
    </div>
  );
}
