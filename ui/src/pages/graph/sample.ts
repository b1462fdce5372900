// For tests: small answers of the hub.

import type { Data, Item } from '@/api/call';

type Answer = Data<'observe_graph'>;
type Node = Answer['nodes'][number];
type Handoff = Item<'observe_handoffs'>;

export const node = (agent_id: string, more: Partial<Node> = {}): Node => ({
  agent_id,
  role: null,
  capabilities: null,
  is_active: true,
  has_key: true,
  last_seen_at: '2026-05-20T10:00:00Z',
  presence: 'present',
  sessions: 1,
  inbox: { unread: 0, delivered: 0, read: 0, parked: 0 },
  ...more,
});

export const edge = (from: string, to: string, count: number, unread = 0, delivered = 0, last_at = '2026-05-20T10:00:00Z') => ({
  from,
  to,
  count,
  last_at,
  in_flight: { unread, delivered },
});

export const handoff = (from_agent_id: string, status: string, more: Partial<Handoff> = {}): Handoff => ({
  handoff_id: `hof_${from_agent_id}_${status}`,
  workspace_id: 'w1',
  status,
  created_at: '2026-05-20T10:00:00Z',
  updated_at: '2026-05-20T10:00:00Z',
  from_agent_id,
  from_session_id: null,
  target: null,
  visibility: 'public',
  claimed_by: null,
  claimed_session_id: null,
  lease_expires_at: null,
  attempt: 0,
  max_attempts: 3,
  priority: 0,
  expires_at: null,
  task_id: null,
  depends_on: [],
  blocked: false,
  payload: null,
  result: null,
  rejected_reason: null,
  acceptance_criteria: [],
  verify_by: null,
  feedback: null,
  ...more,
});

export const session = (
  agent_id: string,
  workspace_id: string,
  more: Partial<Item<'observe_sessions'>> = {},
): Item<'observe_sessions'> => ({
  session_id: `ses_${agent_id}_${workspace_id}`,
  agent_id,
  workspace_id,
  status: 'active',
  started_at: '2026-05-20T08:00:00Z',
  last_heartbeat_at: '2026-05-20T10:00:00Z',
  closed_at: null,
  presence: 'present',
  metadata: null,
  ...more,
});

export const entry = (agent_id: string, more: Partial<Data<'agent_entry'>> = {}): Data<'agent_entry'> => ({
  agent_id,
  role: null,
  capabilities: null,
  metadata: null,
  is_active: true,
  has_key: true,
  created_at: '2026-05-01T10:00:00Z',
  last_seen_at: '2026-05-20T10:00:00Z',
  permissions: null,
  preset_id: null,
  ...more,
});

export const graph = (nodes: Node[], messages: Answer['edges']['messages'] = [], handoffs: Handoff[] = []): Answer => ({
  workspace_id: null,
  generated_at: '2026-05-20T10:00:00Z',
  window_hours: 24,
  nodes,
  channels: [],
  edges: { messages, handoffs },
  truncated: false,
});
