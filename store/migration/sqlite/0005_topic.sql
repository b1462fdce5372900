-- Topics: named streams of messages, each numbered from 1 without a gap.

-- last_seq is the counter: whoever posts holds this row until the commit.
CREATE TABLE topics (
	topic_id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	status TEXT NOT NULL,
	workspace_id TEXT REFERENCES workspaces (workspace_id),
	metadata TEXT,
	last_seq INTEGER NOT NULL DEFAULT 0,
	message_count INTEGER NOT NULL DEFAULT 0,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	closed_at TEXT,
	close_reason TEXT
);
CREATE INDEX idx_topics_name ON topics (name, status, created_at);

CREATE TABLE topic_messages (
	message_id TEXT PRIMARY KEY,
	topic_id TEXT NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	seq INTEGER NOT NULL,
	sender TEXT NOT NULL,
	message_type TEXT NOT NULL,
	reply_to TEXT,
	content_markdown TEXT NOT NULL,
	metadata TEXT,
	client_message_id TEXT,
	created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_topic_messages_seq ON topic_messages (topic_id, seq);
CREATE UNIQUE INDEX idx_topic_messages_client ON topic_messages (topic_id, sender, client_message_id) WHERE client_message_id IS NOT NULL;
CREATE INDEX idx_topic_messages_reply ON topic_messages (topic_id, reply_to) WHERE reply_to IS NOT NULL;

-- How far each peer has read. What lies between last_seq and skip_seq is its own
-- and is not looked at again.
CREATE TABLE topic_cursors (
	topic_id TEXT NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	agent_name TEXT NOT NULL,
	last_seq INTEGER NOT NULL,
	skip_seq INTEGER NOT NULL DEFAULT 0,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (topic_id, agent_name)
) WITHOUT ROWID;

-- Whose a name is, by the hash of the token that proves it.
CREATE TABLE topic_reservations (
	topic_id TEXT NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	agent_name TEXT NOT NULL,
	token_hash TEXT NOT NULL,
	created_at TEXT NOT NULL,
	last_claimed_at TEXT NOT NULL,
	PRIMARY KEY (topic_id, agent_name)
) WITHOUT ROWID;
