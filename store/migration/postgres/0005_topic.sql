-- Topics: named streams of messages, each numbered from 1 without a gap.

-- last_seq is the counter: whoever posts holds this row until the commit.
CREATE TABLE topics (
	topic_id TEXT COLLATE "C" PRIMARY KEY,
	name TEXT COLLATE "C" NOT NULL,
	status TEXT COLLATE "C" NOT NULL,
	workspace_id TEXT COLLATE "C" REFERENCES workspaces (workspace_id),
	metadata TEXT COLLATE "C",
	last_seq BIGINT NOT NULL DEFAULT 0,
	message_count BIGINT NOT NULL DEFAULT 0,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	closed_at TEXT COLLATE "C",
	close_reason TEXT COLLATE "C"
);
CREATE INDEX idx_topics_name ON topics (name, status, created_at);

CREATE TABLE topic_messages (
	message_id TEXT COLLATE "C" PRIMARY KEY,
	topic_id TEXT COLLATE "C" NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	seq BIGINT NOT NULL,
	sender TEXT COLLATE "C" NOT NULL,
	message_type TEXT COLLATE "C" NOT NULL,
	reply_to TEXT COLLATE "C",
	content_markdown TEXT COLLATE "C" NOT NULL,
	metadata TEXT COLLATE "C",
	client_message_id TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_topic_messages_seq ON topic_messages (topic_id, seq);
CREATE UNIQUE INDEX idx_topic_messages_client ON topic_messages (topic_id, sender, client_message_id) WHERE client_message_id IS NOT NULL;
CREATE INDEX idx_topic_messages_reply ON topic_messages (topic_id, reply_to) WHERE reply_to IS NOT NULL;

-- How far each peer has read. What lies between last_seq and skip_seq is its own
-- and is not looked at again.
CREATE TABLE topic_cursors (
	topic_id TEXT COLLATE "C" NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	agent_name TEXT COLLATE "C" NOT NULL,
	last_seq BIGINT NOT NULL,
	skip_seq BIGINT NOT NULL DEFAULT 0,
	updated_at TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (topic_id, agent_name)
);

-- Whose a name is, by the hash of the token that proves it.
CREATE TABLE topic_reservations (
	topic_id TEXT COLLATE "C" NOT NULL REFERENCES topics (topic_id) ON DELETE CASCADE,
	agent_name TEXT COLLATE "C" NOT NULL,
	token_hash TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	last_claimed_at TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (topic_id, agent_name)
);
