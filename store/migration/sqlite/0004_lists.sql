-- What the lists of an operator walk along, newest first. Each of these is
-- written with every row, so there is none that a list can do without.

CREATE INDEX idx_messages_workspace ON messages (workspace_id, message_id);
CREATE INDEX idx_messages_sender ON messages (from_agent_id, message_id);
CREATE INDEX idx_deliveries_recipient ON message_deliveries (recipient_agent_id, message_id);
CREATE INDEX idx_events_type ON events (type, event_id);
CREATE INDEX idx_events_handoff ON events (handoff_id, event_id) WHERE handoff_id IS NOT NULL;
CREATE INDEX idx_handoffs_newest ON handoffs (status, handoff_id);
CREATE INDEX idx_sessions_newest ON sessions (workspace_id, session_id);
