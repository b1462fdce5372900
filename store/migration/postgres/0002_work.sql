-- Pieces of work: tasks, the hand-offs that get them done, and artifacts.

CREATE TABLE tasks (
	task_id TEXT COLLATE "C" PRIMARY KEY,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	title TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	status TEXT COLLATE "C" NOT NULL,
	reason TEXT COLLATE "C",
	parent_id TEXT COLLATE "C" REFERENCES tasks (task_id),
	priority BIGINT NOT NULL DEFAULT 0,
	labels TEXT COLLATE "C",
	assignee TEXT COLLATE "C",
	created_by TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_tasks_status ON tasks (workspace_id, status, task_id);
CREATE INDEX idx_tasks_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE task_dependencies (
	task_id TEXT COLLATE "C" NOT NULL REFERENCES tasks (task_id),
	depends_on_id TEXT COLLATE "C" NOT NULL REFERENCES tasks (task_id),
	PRIMARY KEY (task_id, depends_on_id)
);
CREATE INDEX idx_task_dependencies_on ON task_dependencies (depends_on_id);

-- attempt counts the claims and fences them; attempts_before is what it was when
-- the work was last offered anew. blocked counts the dependencies not completed.
CREATE TABLE handoffs (
	handoff_id TEXT COLLATE "C" PRIMARY KEY,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	task_id TEXT COLLATE "C" REFERENCES tasks (task_id),
	from_agent_id TEXT COLLATE "C" NOT NULL,
	from_session_id TEXT COLLATE "C",
	target TEXT COLLATE "C" NOT NULL,
	visibility TEXT COLLATE "C" NOT NULL,
	status TEXT COLLATE "C" NOT NULL,
	claimed_by TEXT COLLATE "C",
	claimed_session_id TEXT COLLATE "C",
	lease_expires_at TEXT COLLATE "C",
	attempt BIGINT NOT NULL DEFAULT 0,
	attempts_before BIGINT NOT NULL DEFAULT 0,
	max_attempts BIGINT NOT NULL DEFAULT 0,
	priority BIGINT NOT NULL DEFAULT 0,
	blocked BIGINT NOT NULL DEFAULT 0,
	expires_at TEXT COLLATE "C",
	payload TEXT COLLATE "C",
	result TEXT COLLATE "C",
	rejected_reason TEXT COLLATE "C",
	acceptance_criteria TEXT COLLATE "C",
	verify_by TEXT COLLATE "C",
	feedback TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_handoffs_status ON handoffs (workspace_id, status, handoff_id);
CREATE INDEX idx_handoffs_lease ON handoffs (workspace_id, lease_expires_at) WHERE status = 'CLAIMED';
CREATE INDEX idx_handoffs_expiry ON handoffs (workspace_id, expires_at) WHERE status = 'OPEN' AND expires_at IS NOT NULL;
CREATE INDEX idx_handoffs_task ON handoffs (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE handoff_dependencies (
	handoff_id TEXT COLLATE "C" NOT NULL REFERENCES handoffs (handoff_id),
	depends_on_id TEXT COLLATE "C" NOT NULL REFERENCES handoffs (handoff_id),
	PRIMARY KEY (handoff_id, depends_on_id)
);
CREATE INDEX idx_handoff_dependencies_on ON handoff_dependencies (depends_on_id);

-- To whom work that is not finished is offered: a row for each name, role or
-- capability that may take it, so that nobody looks through what is not for it.
-- held is 1 while somebody has it or it waits for other work; available_at is
-- when it can be had without anybody doing anything (its fallback moment, the end
-- of its lease).
CREATE TABLE handoff_offers (
	workspace_id TEXT COLLATE "C" NOT NULL,
	offered_to TEXT COLLATE "C" NOT NULL,
	held BIGINT NOT NULL,
	rank BIGINT NOT NULL,
	handoff_id TEXT COLLATE "C" NOT NULL REFERENCES handoffs (handoff_id),
	opens_at TEXT COLLATE "C" NOT NULL,
	available_at TEXT COLLATE "C",
	PRIMARY KEY (workspace_id, offered_to, held, rank, handoff_id)
);
CREATE INDEX idx_handoff_offers_handoff ON handoff_offers (handoff_id);
CREATE INDEX idx_handoff_offers_time ON handoff_offers (workspace_id, offered_to, available_at);

CREATE TABLE artifacts (
	artifact_id TEXT COLLATE "C" PRIMARY KEY,
	workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (workspace_id),
	artifact_type TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C",
	path TEXT COLLATE "C",
	content TEXT COLLATE "C",
	size_bytes BIGINT NOT NULL,
	content_type TEXT COLLATE "C",
	metadata TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_artifacts_type ON artifacts (workspace_id, artifact_type, artifact_id);

-- How the sender of a message was known.
ALTER TABLE messages ADD COLUMN provenance TEXT COLLATE "C";
