-- Who completes a hand-off may wish its task to be completed with it. Where somebody
-- must verify the work first, the wish waits with it.

ALTER TABLE handoffs ADD COLUMN completes_task INTEGER NOT NULL DEFAULT 0;
