import type { ReactNode } from 'react';
import { HubError } from '@/api/call';
import { useOp } from '@/api/query';
import { useWorkspaceName } from '@/app/TopBar';
import { WorkGlyph } from '@/look/Glyph';
import { Facts } from '@/look/Lines';
import { AgentLink, ThingLink } from '../ThingLink';
import { TaskLink } from '../task/TaskLink';
import { handoffTitle, targetWords } from '../title';
import type { Handoff } from './moves';

/** Who decides whether it is done, if that is one agent. */
export function verifierOf({ verify_by: verify, from_agent_id: creator }: Handoff): string | null {
  const { kind, agent_id: agent } = (verify ?? {}) as { kind?: string; agent_id?: string };
  return kind === 'creator' ? creator : (agent ?? null);
}

const deeds: Record<string, string> = { CLAIMED: 'Held by', REJECTED: 'Rejected by' };

/** Who has to do with it, and what other work has. */
export function People({ handoff }: { handoff: Handoff }) {
  const { claimed_by: agent, attempt, max_attempts: most, depends_on: needs, task_id: task } = handoff;
  const workspace = useWorkspaceName(handoff.workspace_id);
  const blocked = useBlocked(handoff);
  const tries = attempt > 0 ? `${attempt}${most > 0 ? ` of ${most}` : ''}` : '';
  const facts: [string, ReactNode][] = [
    ['From', <AgentLink key="from" id={handoff.from_agent_id} />],
    [deeds[handoff.status] ?? 'Done by', agent && <Doer key="by" agent={agent} tries={tries} />],
    ['Attempts', !agent && tries],
    ['Verifier', verifier(handoff)],
    ['For', targetWords(handoff.target)],
    ['Priority', handoff.priority !== 0 && String(handoff.priority)],
    ['Workspace', workspace],
    ['Task', task && <TaskLink key="task" id={task} workspace={handoff.workspace_id} />],
    ['Waits for', needs.length > 0 && <Several key="needs" ids={needs} />],
    ['Blocks', blocked.length > 0 && <Several key="blocks" ids={blocked} />],
  ];
  return <Facts facts={facts} />;
}

function Doer({ agent, tries }: { agent: string; tries: string }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <AgentLink id={agent} />
      {tries && <span className="text-text-2">attempt {tries}</span>}
    </span>
  );
}

function verifier(handoff: Handoff): ReactNode {
  const one = verifierOf(handoff);
  const { capability } = (handoff.verify_by ?? {}) as { capability?: string };
  return one ? <AgentLink id={one} /> : capability && `capability ${capability}`;
}

/** Open work that waits for this. */
function useBlocked(handoff: Handoff): string[] {
  const over = ['COMPLETED', 'CANCELLED'].includes(handoff.status);
  const { data } = useOp('observe_handoffs', { workspace: handoff.workspace_id, status: 'OPEN', limit: 200 }, { enabled: !over });
  if (over) return [];
  return (data?.items ?? []).filter((other) => other.depends_on.includes(handoff.handoff_id)).map((other) => other.handoff_id);
}

function Several({ ids }: { ids: string[] }) {
  return (
    <span className="flex flex-col items-start">
      {ids.map((id) => (
        <HandoffLink key={id} id={id} />
      ))}
    </span>
  );
}

function HandoffLink({ id }: { id: string }) {
  const { data, error } = useOp('observe_handoff', { handoff_id: id });
  if (error instanceof HubError && error.status === 404) return <span className="text-text-3">one that is gone</span>;
  const handoff = data?.handoff_id === id ? data : undefined;
  return (
    <ThingLink kind="handoff" id={id} glyph={handoff && <WorkGlyph status={handoff.status} />}>
      {handoff ? handoffTitle(handoff) : id}
    </ThingLink>
  );
}
