-- Times are text of fixed width, so text order is time order. JSON is text.
PRAGMA application_id = 1314411859;

CREATE TABLE schema_migrations (
	version INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at TEXT NOT NULL
);

CREATE TABLE workspaces (
	workspace_id TEXT PRIMARY KEY,
	display_name TEXT,
	root_realpath TEXT NOT NULL,
	created_at TEXT NOT NULL,
	last_seen_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE agents (
	agent_id TEXT PRIMARY KEY,
	role TEXT,
	capabilities TEXT,
	metadata TEXT,
	is_active INTEGER NOT NULL DEFAULT 1,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	last_seen_at TEXT
);
CREATE INDEX idx_agents_role ON agents (role, agent_id);

-- What each agent can do, a row a word, so that nobody scans the registry.
CREATE TABLE agent_capabilities (
	capability TEXT NOT NULL,
	agent_id TEXT NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	PRIMARY KEY (capability, agent_id)
) WITHOUT ROWID;
CREATE INDEX idx_agent_capabilities_agent ON agent_capabilities (agent_id);

CREATE TABLE api_keys (
	key_id TEXT PRIMARY KEY,
	agent_id TEXT NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	key_hash TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_api_keys_hash ON api_keys (key_hash);
CREATE INDEX idx_api_keys_agent ON api_keys (agent_id);

CREATE TABLE sessions (
	session_id TEXT PRIMARY KEY,
	agent_id TEXT NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	status TEXT NOT NULL,
	secret_hash TEXT NOT NULL,
	metadata TEXT,
	started_at TEXT NOT NULL,
	last_heartbeat_at TEXT NOT NULL,
	closed_at TEXT
);
CREATE INDEX idx_sessions_workspace ON sessions (workspace_id, status, last_heartbeat_at, agent_id);
CREATE INDEX idx_sessions_agent ON sessions (agent_id);

-- AUTOINCREMENT: a number is never given twice, whatever retention deletes.
CREATE TABLE events (
	event_id INTEGER PRIMARY KEY AUTOINCREMENT,
	workspace_id TEXT REFERENCES workspaces (workspace_id),
	stream TEXT NOT NULL,
	type TEXT NOT NULL,
	actor_agent_id TEXT,
	task_id TEXT,
	handoff_id TEXT,
	visibility TEXT,
	target TEXT,
	payload TEXT,
	created_at TEXT NOT NULL
);
CREATE INDEX idx_events_stream ON events (workspace_id, stream, event_id);

CREATE TABLE channels (
	channel_id TEXT PRIMARY KEY,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	name TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_channels_name ON channels (workspace_id, name);

CREATE TABLE messages (
	message_id TEXT PRIMARY KEY,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	channel_id TEXT REFERENCES channels (channel_id),
	from_agent_id TEXT NOT NULL,
	from_session_id TEXT,
	target TEXT,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,
	artifacts TEXT,
	parent_message_id TEXT REFERENCES messages (message_id),
	created_at TEXT NOT NULL
);
CREATE INDEX idx_messages_parent ON messages (parent_message_id) WHERE parent_message_id IS NOT NULL;

CREATE TABLE message_deliveries (
	delivery_id TEXT PRIMARY KEY,
	message_id TEXT NOT NULL REFERENCES messages (message_id),
	recipient_agent_id TEXT NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	status TEXT NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	delivered_at TEXT,
	lease_expires_at TEXT,
	read_at TEXT,
	created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_deliveries_message ON message_deliveries (message_id, recipient_agent_id);
-- The inbox proper: what is waiting or in flight, oldest first. It holds all that
-- is needed to say which of it can be taken.
CREATE INDEX idx_deliveries_pending ON message_deliveries (recipient_agent_id, delivery_id, status, lease_expires_at) WHERE status IN ('unread', 'delivered');
CREATE INDEX idx_deliveries_parked ON message_deliveries (recipient_agent_id, delivery_id) WHERE status = 'parked';
CREATE INDEX idx_deliveries_history ON message_deliveries (recipient_agent_id, read_at, delivery_id) WHERE status = 'read';

-- MCP sessions outlive the process: clients do not recover from losing one.
CREATE TABLE mcp_sessions (
	session_id TEXT PRIMARY KEY,
	agent_id TEXT NOT NULL,
	state TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
);

CREATE INDEX idx_mcp_sessions_age ON mcp_sessions (updated_at);

CREATE TABLE idempotency_keys (
	operation TEXT NOT NULL,
	scope TEXT NOT NULL,
	idempotency_key TEXT NOT NULL,
	body_hash TEXT NOT NULL,
	answer TEXT,
	made_id TEXT,
	created_at TEXT NOT NULL,
	PRIMARY KEY (operation, scope, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX idx_idempotency_age ON idempotency_keys (created_at);
