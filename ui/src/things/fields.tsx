import { useId } from 'react';
import { HubError } from '@/api/call';
import { useOp } from '@/api/query';
import { workspaceName } from '@/app/TopBar';
import { SelectField, TextField } from '@/look/Field';

/** Names of what: agents, roles or capabilities. */
type Names = 'direct' | 'role' | 'capability';

/** Capabilities are written as a list of words, or as an object of those that are true. */
function capabilitiesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((word) => typeof word === 'string');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([word, has]) => (has === false || has === null ? [] : [word]));
}

/** Names that are in use: agents, roles or capabilities. */
function useNames(kind: Names): string[] {
  const agents = useOp('agent_directory', { limit: 1000 }).data?.items ?? [];
  const words = agents.flatMap((agent) => {
    if (kind === 'direct') return [agent.agent_id];
    if (kind === 'role') return agent.role ? [agent.role] : [];
    return capabilitiesOf(agent.capabilities);
  });
  return [...new Set(words)].sort();
}

const labels = { direct: 'Agent', role: 'Role', capability: 'Capability' };

/** A field for an agent, a role or a capability, with those that are known. */
export function NameField({
  kind,
  value,
  onChange,
  label = labels[kind],
  error,
  hideLabel,
  optional,
}: {
  kind: Names;
  value: string;
  onChange: (value: string) => void;
  label?: string;
  error?: string | null;
  hideLabel?: boolean;
  optional?: boolean;
}) {
  const id = useId();
  const names = useNames(kind);
  return (
    <>
      <TextField
        label={label}
        hideLabel={hideLabel}
        required={!optional}
        error={error}
        list={id}
        value={value}
        placeholder={names.slice(0, 3).join(', ')}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** In which workspace. The one of the top bar is chosen already. */
export function WorkspaceField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (workspace: string) => void;
  error?: string | null;
}) {
  const { data } = useOp('observe_workspaces', {});
  return (
    <SelectField label="Workspace" required value={value} error={error} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose one</option>
      {(data?.items ?? []).map((workspace) => (
        <option key={workspace.workspace_id} value={workspace.workspace_id}>
          {workspaceName(workspace)}
        </option>
      ))}
    </SelectField>
  );
}

/** The field that the hub complained about, and what it said. */
export function complaint(error: Error | null): (field: string) => string | undefined {
  return (field) => (error instanceof HubError && error.details?.field === field ? error.message : undefined);
}
