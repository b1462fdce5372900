import type { Handoff } from './moves';

/** A hand-off for tests. */
export function sample(part: Partial<Handoff> = {}): Handoff {
  return {
    handoff_id: 'hof_1',
    workspace_id: 'w1',
    status: 'OPEN',
    created_at: '2026-05-20T10:00:00Z',
    updated_at: '2026-05-20T10:00:00Z',
    from_agent_id: 'ines',
    from_session_id: null,
    target: { strategy: 'broadcast' } as never,
    visibility: 'public',
    claimed_by: null,
    claimed_session_id: null,
    lease_expires_at: null,
    attempt: 0,
    max_attempts: 0,
    priority: 0,
    expires_at: null,
    task_id: null,
    depends_on: [],
    blocked: false,
    payload: 'Mend the race',
    result: null,
    rejected_reason: null,
    acceptance_criteria: [],
    verify_by: null,
    feedback: null,
    ...part,
  };
}
