-- What a hub needs that a team leaves running: what agents and keys may do,
-- settings that change at run time, sign-ins of people, webhooks.

-- Which request an event came from, where that said.
ALTER TABLE events ADD COLUMN trace_id TEXT COLLATE "C";
CREATE INDEX idx_events_trace ON events (trace_id, event_id) WHERE trace_id IS NOT NULL;

-- Permissions are JSON, NULL where everything is allowed.
ALTER TABLE agents ADD COLUMN permissions TEXT COLLATE "C";
ALTER TABLE agents ADD COLUMN preset_id TEXT COLLATE "C";

CREATE TABLE permission_presets (
	preset_id TEXT COLLATE "C" PRIMARY KEY,
	name TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	flags TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_permission_presets_name ON permission_presets (name);

-- scopes is a JSON list, NULL for those that every key once had.
ALTER TABLE api_keys ADD COLUMN name TEXT COLLATE "C";
ALTER TABLE api_keys ADD COLUMN scopes TEXT COLLATE "C";
ALTER TABLE api_keys ADD COLUMN expires_at TEXT COLLATE "C";
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT COLLATE "C";

CREATE TABLE settings (
	key TEXT COLLATE "C" PRIMARY KEY,
	value TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);

-- A person's stay in a browser. It dies with the key it was opened with: with
-- the row of an agent's key, or when the operator's key is no longer this one.
CREATE TABLE sign_ins (
	sign_in_id TEXT COLLATE "C" PRIMARY KEY,
	token_hash TEXT COLLATE "C" NOT NULL,
	key_id TEXT COLLATE "C" REFERENCES api_keys (key_id) ON DELETE CASCADE,
	operator_hash TEXT COLLATE "C",
	user_agent TEXT COLLATE "C",
	address TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	expires_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_sign_ins_token ON sign_ins (token_hash);
CREATE INDEX idx_sign_ins_key ON sign_ins (key_id) WHERE key_id IS NOT NULL;

-- A webhook is told of the log in order: position is the last event it has done
-- with, failures how often in a row it could not be told.
CREATE TABLE webhooks (
	webhook_id TEXT COLLATE "C" PRIMARY KEY,
	name TEXT COLLATE "C",
	url TEXT COLLATE "C" NOT NULL,
	secret TEXT COLLATE "C" NOT NULL,
	event_types TEXT COLLATE "C" NOT NULL,
	workspace_id TEXT COLLATE "C",
	is_active BIGINT NOT NULL DEFAULT 1,
	disabled_reason TEXT COLLATE "C",
	position BIGINT NOT NULL,
	failures BIGINT NOT NULL DEFAULT 0,
	due_at TEXT COLLATE "C" NOT NULL,
	held_by TEXT COLLATE "C",
	held_until TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE webhook_attempts (
	attempt_id TEXT COLLATE "C" PRIMARY KEY,
	webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
	event_id BIGINT,
	event_type TEXT COLLATE "C" NOT NULL,
	attempt BIGINT NOT NULL,
	status BIGINT,
	error TEXT COLLATE "C",
	took_ms BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_webhook_attempts ON webhook_attempts (webhook_id, attempt_id);
