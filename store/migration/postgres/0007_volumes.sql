-- On SQLite messages are bound in volumes, so that their lists stay cheap to
-- write. Here all are in one, and the lists are as they were.

CREATE TABLE message_volumes (
	volume BIGINT PRIMARY KEY,
	first_id TEXT COLLATE "C" NOT NULL
);
INSERT INTO message_volumes (volume, first_id) VALUES (0, '');

ALTER TABLE messages ADD COLUMN volume BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message_deliveries ADD COLUMN volume BIGINT NOT NULL DEFAULT 0;
