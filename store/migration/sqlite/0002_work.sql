-- Pieces of work: tasks, the hand-offs that get them done, and artifacts.

CREATE TABLE tasks (
	task_id TEXT PRIMARY KEY,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	title TEXT NOT NULL,
	description TEXT,
	status TEXT NOT NULL,
	reason TEXT,
	parent_id TEXT REFERENCES tasks (task_id),
	priority INTEGER NOT NULL DEFAULT 0,
	labels TEXT,
	assignee TEXT,
	created_by TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
);
CREATE INDEX idx_tasks_status ON tasks (workspace_id, status, task_id);
CREATE INDEX idx_tasks_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE task_dependencies (
	task_id TEXT NOT NULL REFERENCES tasks (task_id),
	depends_on_id TEXT NOT NULL REFERENCES tasks (task_id),
	PRIMARY KEY (task_id, depends_on_id)
) WITHOUT ROWID;
CREATE INDEX idx_task_dependencies_on ON task_dependencies (depends_on_id);

-- attempt counts the claims and fences them; attempts_before is what it was when
-- the work was last offered anew. blocked counts the dependencies not completed.
CREATE TABLE handoffs (
	handoff_id TEXT PRIMARY KEY,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	task_id TEXT REFERENCES tasks (task_id),
	from_agent_id TEXT NOT NULL,
	from_session_id TEXT,
	target TEXT NOT NULL,
	visibility TEXT NOT NULL,
	status TEXT NOT NULL,
	claimed_by TEXT,
	claimed_session_id TEXT,
	lease_expires_at TEXT,
	attempt INTEGER NOT NULL DEFAULT 0,
	attempts_before INTEGER NOT NULL DEFAULT 0,
	max_attempts INTEGER NOT NULL DEFAULT 0,
	priority INTEGER NOT NULL DEFAULT 0,
	blocked INTEGER NOT NULL DEFAULT 0,
	expires_at TEXT,
	payload TEXT,
	result TEXT,
	rejected_reason TEXT,
	acceptance_criteria TEXT,
	verify_by TEXT,
	feedback TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
);
CREATE INDEX idx_handoffs_status ON handoffs (workspace_id, status, handoff_id);
CREATE INDEX idx_handoffs_lease ON handoffs (workspace_id, lease_expires_at) WHERE status = 'CLAIMED';
CREATE INDEX idx_handoffs_expiry ON handoffs (workspace_id, expires_at) WHERE status = 'OPEN' AND expires_at IS NOT NULL;
CREATE INDEX idx_handoffs_task ON handoffs (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE handoff_dependencies (
	handoff_id TEXT NOT NULL REFERENCES handoffs (handoff_id),
	depends_on_id TEXT NOT NULL REFERENCES handoffs (handoff_id),
	PRIMARY KEY (handoff_id, depends_on_id)
) WITHOUT ROWID;
CREATE INDEX idx_handoff_dependencies_on ON handoff_dependencies (depends_on_id);

-- To whom work that is not finished is offered: a row for each name, role or
-- capability that may take it, so that nobody looks through what is not for it.
-- held is 1 while somebody has it or it waits for other work; available_at is
-- when it can be had without anybody doing anything (its fallback moment, the end
-- of its lease).
CREATE TABLE handoff_offers (
	workspace_id TEXT NOT NULL,
	offered_to TEXT NOT NULL,
	held INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	handoff_id TEXT NOT NULL REFERENCES handoffs (handoff_id),
	opens_at TEXT NOT NULL,
	available_at TEXT,
	PRIMARY KEY (workspace_id, offered_to, held, rank, handoff_id)
) WITHOUT ROWID;
CREATE INDEX idx_handoff_offers_handoff ON handoff_offers (handoff_id);
CREATE INDEX idx_handoff_offers_time ON handoff_offers (workspace_id, offered_to, available_at);

CREATE TABLE artifacts (
	artifact_id TEXT PRIMARY KEY,
	workspace_id TEXT NOT NULL REFERENCES workspaces (workspace_id),
	artifact_type TEXT NOT NULL,
	name TEXT,
	path TEXT,
	content TEXT,
	size_bytes INTEGER NOT NULL,
	content_type TEXT,
	metadata TEXT,
	created_at TEXT NOT NULL
);
CREATE INDEX idx_artifacts_type ON artifacts (workspace_id, artifact_type, artifact_id);

-- How the sender of a message was known.
ALTER TABLE messages ADD COLUMN provenance TEXT;
