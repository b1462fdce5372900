-- What is open and waits for nothing is offered, and nothing else: a claim ends the
-- offers, and who gives the work up makes them again. Before, the offers of work
-- that somebody had were kept and marked, which cost more than making them.

ALTER TABLE handoff_offers RENAME TO handoff_offers_before;

-- To whom work is offered: a row for each name, role or capability that may take
-- it, so that nobody looks through what is not for it. opens_at is '' for what can
-- be had at once, else its fallback moment.
CREATE TABLE handoff_offers (
	workspace_id TEXT COLLATE "C" NOT NULL,
	offered_to TEXT COLLATE "C" NOT NULL,
	rank BIGINT NOT NULL,
	handoff_id TEXT COLLATE "C" NOT NULL REFERENCES handoffs (handoff_id),
	opens_at TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (workspace_id, offered_to, rank, handoff_id)
);

INSERT INTO handoff_offers (workspace_id, offered_to, rank, handoff_id, opens_at)
	SELECT workspace_id, offered_to, rank, handoff_id, opens_at FROM handoff_offers_before WHERE held = 0;
DROP TABLE handoff_offers_before;

CREATE INDEX idx_handoff_offers_handoff ON handoff_offers (handoff_id);
CREATE INDEX idx_handoff_offers_time ON handoff_offers (workspace_id, offered_to, opens_at) WHERE opens_at <> '';
