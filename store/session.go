package store

import "nexus/bus"

const sessionColumns = `session_id, agent_id, workspace_id, status, secret_hash, metadata, started_at, last_heartbeat_at, closed_at`

func scanSession(r row) (s bus.Session, err error) {
	err = r.scan(&s.ID, &s.AgentID, &s.WorkspaceID, &s.Status, &s.SecretHash, &s.Metadata, &s.StartedAt, &s.LastHeartbeatAt, &s.ClosedAt)
	return s, err
}

// Session finds a session by id.
func (t *Tx) Session(id string) (bus.Session, bool, error) {
	return first(t, `SELECT `+sessionColumns+` FROM sessions WHERE session_id = $1`, args(id), scanSession)
}

// InsertSession adds a session.
func (t *Tx) InsertSession(s bus.Session) error {
	return t.send(`INSERT INTO sessions (`+sessionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.ID, s.AgentID, s.WorkspaceID, s.Status, s.SecretHash, s.Metadata, s.StartedAt, s.LastHeartbeatAt, s.ClosedAt)
}

// HeartbeatSession advances an active session; a clock that jumped back does not
// take it back.
func (t *Tx) HeartbeatSession(id, at string) (bool, error) {
	n, err := t.exec(`
		UPDATE sessions SET last_heartbeat_at = CASE WHEN last_heartbeat_at < $2 THEN $2 ELSE last_heartbeat_at END
		WHERE session_id = $1 AND status = 'active'`, id, at)
	return n == 1, err
}

// CloseSession closes an active session.
func (t *Tx) CloseSession(id, at string) (bool, error) {
	n, err := t.exec(`UPDATE sessions SET status = 'closed', closed_at = $2 WHERE session_id = $1 AND status = 'active'`, id, at)
	return n == 1, err
}

// SilentSessions are the active sessions of a workspace last heard before a
// moment.
func (t *Tx) SilentSessions(workspaceID, before string) ([]bus.Session, error) {
	return list(t, `
		SELECT `+sessionColumns+` FROM sessions
		WHERE workspace_id = $1 AND status = 'active' AND last_heartbeat_at < $2 ORDER BY session_id LIMIT 500`,
		args(workspaceID, before), scanSession)
}

// Heartbeats are the agents with active sessions in a workspace, with the latest
// heartbeat of each, by name.
func (t *Tx) Heartbeats(workspaceID string) ([]bus.Heartbeat, error) {
	return list(t, `
		SELECT agent_id, max(last_heartbeat_at) FROM sessions
		WHERE workspace_id = $1 AND status = 'active' GROUP BY agent_id ORDER BY agent_id`,
		args(workspaceID), func(r row) (h bus.Heartbeat, err error) {
			err = r.scan(&h.AgentID, &h.At)
			return h, err
		})
}
