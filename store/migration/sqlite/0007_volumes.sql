-- Messages are bound in volumes in the order of their ids: a volume holds those
-- from its first_id on, up to the next volume's. The lists of what an agent wrote
-- or got begin with the volume. So a message is noted on the few pages of the
-- newest volume, however many there are; who reads a list leafs through them.

CREATE TABLE message_volumes (
	volume INTEGER PRIMARY KEY,
	first_id TEXT NOT NULL
);
INSERT INTO message_volumes (volume, first_id) VALUES (0, '');

ALTER TABLE messages ADD COLUMN volume INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message_deliveries ADD COLUMN volume INTEGER NOT NULL DEFAULT 0;

DROP INDEX idx_messages_sender;
DROP INDEX idx_deliveries_recipient;
CREATE INDEX idx_messages_sender ON messages (volume, from_agent_id, message_id);
CREATE INDEX idx_deliveries_recipient ON message_deliveries (volume, recipient_agent_id, message_id);

-- A volume is full at 4,096 messages. The next begins behind all that there are.
CREATE TRIGGER messages_next_volume AFTER INSERT ON messages WHEN new.rowid % 4096 = 0 BEGIN INSERT INTO message_volumes (first_id) VALUES (max((SELECT max(message_id) FROM messages), (SELECT first_id FROM message_volumes ORDER BY volume DESC LIMIT 1)) || '!'); END;
