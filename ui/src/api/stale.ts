// Which answers an event makes old. Busy logs are met with patience: an answer is fetched again at most once in a while.

import { cache } from './query';

/** What changes with an event, by the first word of its type. */
const touched: Record<string, string[]> = {
  message: [
    'observe_messages',
    'observe_message',
    'observe_peers',
    'observe_graph',
    'observe_attention',
    'observe_activity',
    'observe_analytics',
    'observe_search',
    'observe_workspaces',
  ],
  inbox: ['observe_messages', 'observe_message', 'observe_peers', 'observe_graph', 'observe_attention'],
  handoff: [
    'observe_handoffs',
    'observe_handoff',
    'observe_graph',
    'observe_attention',
    'observe_activity',
    'observe_analytics',
    'observe_messages', // whoever is concerned gets a message of the hub, which is no event of its own
    'observe_peers',
    'task_get',
    'observe_tasks',
    'observe_workspaces',
  ],
  task: ['observe_tasks', 'task_get', 'task_list', 'observe_workspaces'],
  artifact: ['observe_artifacts', 'observe_artifact'],
  session: [
    'observe_sessions',
    'observe_graph',
    'agent_directory',
    'agent_entry',
    'observe_attention',
    'observe_workspaces',
    'observe_analytics',
  ],
  agent: ['agent_directory', 'agent_entry', 'key_list', 'observe_graph', 'observe_attention'],
  key: ['agent_directory', 'agent_entry', 'key_list'],
  preset: ['preset_list', 'agent_directory', 'agent_entry'],
  channel: ['observe_graph', 'channel_list'],
  workspace: ['observe_workspaces', 'observe_graph'],
  topic: ['topic_browse', 'topic_look', 'topic_posts', 'topic_presence', 'messages_search'],
  search: ['search_status'],
  settings: ['settings_list'],
  webhook: ['webhook_list', 'webhook_get', 'webhook_attempts', 'observe_attention'],
};

/** How long an answer stands at least, in milliseconds. Those that count much stand longer. */
const patience: Record<string, number> = {
  observe_graph: 2_000,
  observe_activity: 5_000,
  observe_analytics: 5_000,
  observe_workspaces: 10_000,
  observe_attention: 1_000,
  observe_sessions: 2_000,
};
const usualPatience = 300;

const waiting = new Map<string, ReturnType<typeof setTimeout>>();
const fetched = new Map<string, number>();

/** Says that events of these types happened. */
export function stale(types: string[]) {
  for (const kind of new Set(types.map((type) => type.split('.')[0] ?? ''))) {
    if (kind === 'store') return staleAll();
    for (const name of touched[kind] ?? []) soon(name);
  }
}

/** Says that anything may have changed. */
export function staleAll() {
  void cache.invalidateQueries();
}

function soon(name: string) {
  if (waiting.has(name)) return;
  const due = (fetched.get(name) ?? 0) + (patience[name] ?? usualPatience) - Date.now();
  waiting.set(
    name,
    setTimeout(
      () => {
        waiting.delete(name);
        fetched.set(name, Date.now());
        void cache.invalidateQueries({ predicate: (query) => query.queryKey[0] === name });
      },
      Math.max(due, 0),
    ),
  );
}
