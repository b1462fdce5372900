import type { ReactNode } from 'react';
import { HubError } from '@/api/call';
import { useOp } from '@/api/query';
import { useWorkspaceName } from '@/app/TopBar';
import { shortId } from '@/look/Copy';
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
  const tries = attempt > 0 ? String(attempt) : '';
  const facts: [string, ReactNode][] = [
    ['From', <AgentLink key="from" id={handoff.from_agent_id} />],
    [deeds[handoff.status] ?? 'Done by', agent && <Doer key="by" agent={agent} tries={tries} />],
    ['Attempts', !agent && tries],
    ['Parked after', most > 0 && (most === 1 ? 'one lapsed lease' : `${most} lapsed leases`)],
    ['Verifier', verifier(handoff)],
    ['For', targetWords(handoff.target)],
    ['Priority', handoff.priority !== 0 && String(handoff.priority)],
    ['Workspace', workspace],
    ['Task', task && <TaskLink key="task" id={task} workspace={handoff.workspace_id} />],
    [
      'Waits for',
      needs.length > 0 && (
        <Several key="needs">
          {needs.map((id) => (
            <IdLink key={id} id={id} />
          ))}
        </Several>
      ),
    ],
    [
      'Blocks',
      blocked.length > 0 && (
        <Several key="blocks">
          {blocked.map((other) => (
            <HandoffLink key={other.handoff_id} handoff={other} />
          ))}
        </Several>
      ),
    ],
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
function useBlocked(handoff: Handoff): Handoff[] {
  const over = ['COMPLETED', 'CANCELLED'].includes(handoff.status);
  const input = { workspace: handoff.workspace_id, status: 'OPEN', limit: 200 };
  const { data } = useOp('observe_handoffs', input, { enabled: !over });
  if (over) return [];
  return (data?.items ?? []).filter((other) => other.depends_on.includes(handoff.handoff_id));
}

function Several({ children }: { children: ReactNode }) {
  return <span className="flex flex-col items-start">{children}</span>;
}

/** Leads to a hand-off of which only the id is known. */
function IdLink({ id }: { id: string }) {
  const { data, error } = useOp('observe_handoff', { handoff_id: id });
  if (error instanceof HubError && error.status === 404) return <span className="text-text-3">one that is gone</span>;
  if (data?.handoff_id === id) return <HandoffLink handoff={data} />;
  return (
    <ThingLink kind="handoff" id={id}>
      {shortId(id)}
    </ThingLink>
  );
}

function HandoffLink({ handoff }: { handoff: Handoff }) {
  return (
    <ThingLink kind="handoff" id={handoff.handoff_id} glyph={<WorkGlyph status={handoff.status} />}>
      {handoffTitle(handoff)}
    </ThingLink>
  );
}
