import { useOp } from '@/api/query';
import { workspaceName } from '@/app/TopBar';
import { CheckField } from '@/look/Field';

/** What a key that is made without scopes may be used for. */
export const usualScopes = ['read', 'write', 'mcp', 'rpc'];

const scopes: [name: string, lets: string][] = [
  ['read', 'Call what only looks'],
  ['write', 'Call what changes something'],
  ['mcp', 'Come in at /mcp, as hosts do'],
  ['rpc', 'Come in over JSON-RPC'],
  ['admin', 'Run the hub: agents, keys, settings, webhooks, backup, reset'],
];

/** What a key is for. */
export function Scopes({ value, onChange }: { value: string[]; onChange: (next: string[]) => void }) {
  const { data } = useOp('observe_workspaces', {});
  const set = (scope: string, has: boolean) => onChange(has ? [...value, scope] : value.filter((other) => other !== scope));
  const limited = value.filter((scope) => scope.startsWith('workspace:'));
  const box = (scope: string, label: React.ReactNode, hint?: string) => (
    <CheckField
      key={scope}
      label={label}
      hint={hint}
      checked={value.includes(scope)}
      onChange={(event) => set(scope, event.target.checked)}
    />
  );
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-strong text-small text-text-2">What the key is for</legend>
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 max-wide:grid-cols-1">
        {scopes.map(([name, lets]) => box(name, <code>{name}</code>, lets))}
      </div>
      {value.length === 0 && <p className="text-small text-text-2">None chosen: the hub gives read, write, mcp and rpc.</p>}
      {(data?.items.length ?? 0) > 0 && (
        <details open={limited.length > 0}>
          <summary className="text-text-2 hover:text-text">
            {limited.length > 0 ? `In ${limited.length} of the workspaces only` : 'In every workspace; limit it'}
          </summary>
          <div className="mt-2 flex max-h-40 flex-col gap-2 overflow-y-auto pl-3">
            {data?.items.map((item) => box(`workspace:${item.workspace_id}`, workspaceName(item)))}
          </div>
        </details>
      )}
    </fieldset>
  );
}

/** Scopes as words, those of workspaces by the workspace's name. */
export function useScopeWords(): (scopes: string[]) => string {
  const { data } = useOp('observe_workspaces', {});
  return (list) =>
    list
      .map((scope) => {
        const id = scope.startsWith('workspace:') ? scope.slice('workspace:'.length) : '';
        const known = id && data?.items.find((item) => item.workspace_id === id);
        return known ? `only ${workspaceName(known)}` : scope;
      })
      .join(', ');
}
