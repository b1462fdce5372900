-- What a hub needs that a team leaves running: what agents and keys may do,
-- settings that change at run time, sign-ins of people, webhooks.

-- Which request an event came from, where that said.
ALTER TABLE events ADD COLUMN trace_id TEXT;
CREATE INDEX idx_events_trace ON events (trace_id, event_id) WHERE trace_id IS NOT NULL;

-- Permissions are JSON, NULL where everything is allowed.
ALTER TABLE agents ADD COLUMN permissions TEXT;
ALTER TABLE agents ADD COLUMN preset_id TEXT;

CREATE TABLE permission_presets (
	preset_id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	description TEXT,
	flags TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_permission_presets_name ON permission_presets (name);

-- scopes is a JSON list, NULL for those that every key once had.
ALTER TABLE api_keys ADD COLUMN name TEXT;
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
ALTER TABLE api_keys ADD COLUMN expires_at TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;

CREATE TABLE settings (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL,
	updated_at TEXT NOT NULL
);

-- A person's stay in a browser. It dies with the key it was opened with: with
-- the row of an agent's key, or when the operator's key is no longer this one.
CREATE TABLE sign_ins (
	sign_in_id TEXT PRIMARY KEY,
	token_hash TEXT NOT NULL,
	key_id TEXT REFERENCES api_keys (key_id) ON DELETE CASCADE,
	operator_hash TEXT,
	user_agent TEXT,
	address TEXT,
	created_at TEXT NOT NULL,
	expires_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_sign_ins_token ON sign_ins (token_hash);
CREATE INDEX idx_sign_ins_key ON sign_ins (key_id) WHERE key_id IS NOT NULL;

-- A webhook is told of the log in order: position is the last event it has done
-- with, failures how often in a row it could not be told.
CREATE TABLE webhooks (
	webhook_id TEXT PRIMARY KEY,
	name TEXT,
	url TEXT NOT NULL,
	secret TEXT NOT NULL,
	event_types TEXT NOT NULL,
	workspace_id TEXT,
	is_active INTEGER NOT NULL DEFAULT 1,
	disabled_reason TEXT,
	position INTEGER NOT NULL,
	failures INTEGER NOT NULL DEFAULT 0,
	due_at TEXT NOT NULL,
	held_by TEXT,
	held_until TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
);

CREATE TABLE webhook_attempts (
	attempt_id TEXT PRIMARY KEY,
	webhook_id TEXT NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
	event_id INTEGER,
	event_type TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	status INTEGER,
	error TEXT,
	took_ms INTEGER NOT NULL,
	created_at TEXT NOT NULL
);
CREATE INDEX idx_webhook_attempts ON webhook_attempts (webhook_id, attempt_id);
