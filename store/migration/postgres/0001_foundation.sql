-- Times are text of fixed width, so text order is time order; collation "C"
-- sorts it as SQLite does. JSON is text.
CREATE TABLE schema_migrations (
	version BIGINT PRIMARY KEY,
	name TEXT COLLATE "C" NOT NULL,
	applied_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE workspaces (
	workspace_id TEXT COLLATE "C" PRIMARY KEY,
	display_name TEXT COLLATE "C",
	root_realpath TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	last_seen_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE agents (
	agent_id TEXT COLLATE "C" PRIMARY KEY,
	role TEXT COLLATE "C",
	capabilities TEXT COLLATE "C",
	metadata TEXT COLLATE "C",
	is_active BIGINT NOT NULL DEFAULT 1,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	last_seen_at TEXT COLLATE "C"
);
CREATE INDEX idx_agents_role ON agents (role, agent_id);

-- What each agent can do, a row a word, so that nobody scans the registry.
CREATE TABLE agent_capabilities (
	capability TEXT COLLATE "C" NOT NULL,
	agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	PRIMARY KEY (capability, agent_id)
);
CREATE INDEX idx_agent_capabilities_agent ON agent_capabilities (agent_id);

CREATE TABLE api_keys (
	key_id TEXT COLLATE "C" PRIMARY KEY,
	agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	key_hash TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_api_keys_hash ON api_keys (key_hash);
CREATE INDEX idx_api_keys_agent ON api_keys (agent_id);

CREATE TABLE sessions (
	session_id TEXT COLLATE "C" PRIMARY KEY,
	agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	status TEXT COLLATE "C" NOT NULL,
	secret_hash TEXT COLLATE "C" NOT NULL,
	metadata TEXT COLLATE "C",
	started_at TEXT COLLATE "C" NOT NULL,
	last_heartbeat_at TEXT COLLATE "C" NOT NULL,
	closed_at TEXT COLLATE "C"
);
CREATE INDEX idx_sessions_workspace ON sessions (workspace_id, status, last_heartbeat_at, agent_id);
CREATE INDEX idx_sessions_agent ON sessions (agent_id);

-- Numbers come from event_counter, whose row lock lasts until the commit: so
-- they become visible in their order, and none is given twice.
CREATE TABLE events (
	event_id BIGINT PRIMARY KEY,
	workspace_id TEXT COLLATE "C" REFERENCES workspaces (workspace_id),
	stream TEXT COLLATE "C" NOT NULL,
	type TEXT COLLATE "C" NOT NULL,
	actor_agent_id TEXT COLLATE "C",
	task_id TEXT COLLATE "C",
	handoff_id TEXT COLLATE "C",
	visibility TEXT COLLATE "C",
	target TEXT COLLATE "C",
	payload TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE TABLE event_counter (last BIGINT NOT NULL);
INSERT INTO event_counter (last) VALUES (0);
CREATE INDEX idx_events_stream ON events (workspace_id, stream, event_id);

CREATE TABLE channels (
	channel_id TEXT COLLATE "C" PRIMARY KEY,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	name TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_channels_name ON channels (workspace_id, name);

CREATE TABLE messages (
	message_id TEXT COLLATE "C" PRIMARY KEY,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	channel_id TEXT COLLATE "C" REFERENCES channels (channel_id),
	from_agent_id TEXT COLLATE "C" NOT NULL,
	from_session_id TEXT COLLATE "C",
	target TEXT COLLATE "C",
	subject TEXT COLLATE "C" NOT NULL,
	body TEXT COLLATE "C" NOT NULL,
	artifacts TEXT COLLATE "C",
	parent_message_id TEXT COLLATE "C" REFERENCES messages (message_id),
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_messages_parent ON messages (parent_message_id) WHERE parent_message_id IS NOT NULL;

CREATE TABLE message_deliveries (
	delivery_id TEXT COLLATE "C" PRIMARY KEY,
	message_id TEXT COLLATE "C" NOT NULL REFERENCES messages (message_id),
	recipient_agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (agent_id) ON DELETE CASCADE,
	status TEXT COLLATE "C" NOT NULL,
	attempts BIGINT NOT NULL DEFAULT 0,
	delivered_at TEXT COLLATE "C",
	lease_expires_at TEXT COLLATE "C",
	read_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_deliveries_message ON message_deliveries (message_id, recipient_agent_id);
-- The inbox proper: what is waiting or in flight, oldest first. It holds all that
-- is needed to say which of it can be taken.
CREATE INDEX idx_deliveries_pending ON message_deliveries (recipient_agent_id, delivery_id, status, lease_expires_at) WHERE status IN ('unread', 'delivered');
CREATE INDEX idx_deliveries_parked ON message_deliveries (recipient_agent_id, delivery_id) WHERE status = 'parked';
CREATE INDEX idx_deliveries_history ON message_deliveries (recipient_agent_id, read_at, delivery_id) WHERE status = 'read';

-- MCP sessions outlive the process: clients do not recover from losing one.
CREATE TABLE mcp_sessions (
	session_id TEXT COLLATE "C" PRIMARY KEY,
	agent_id TEXT COLLATE "C" NOT NULL,
	state TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX idx_mcp_sessions_age ON mcp_sessions (updated_at);

CREATE TABLE idempotency_keys (
	operation TEXT COLLATE "C" NOT NULL,
	scope TEXT COLLATE "C" NOT NULL,
	idempotency_key TEXT COLLATE "C" NOT NULL,
	body_hash TEXT COLLATE "C" NOT NULL,
	answer TEXT COLLATE "C",
	made_id TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (operation, scope, idempotency_key)
);
CREATE INDEX idx_idempotency_age ON idempotency_keys (created_at);
