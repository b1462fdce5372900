package store

import "nexus/bus"

// ObservedSessions is a page of the sessions that match, newest first.
func (t *Tx) ObservedSessions(q bus.SessionQuery, p bus.Stretch) (bus.Walked[bus.Session, string], error) {
	w := &walk{table: "sessions", key: "session_id"}
	place := "session_id < " + w.arg(q.Below)
	switch {
	case q.WorkspaceID != "":
		w.along("sessions", "workspace_id = "+w.arg(q.WorkspaceID), place)
	case q.Agent != "":
		w.along("sessions", "agent_id = "+w.arg(q.Agent), place)
	default:
		w.along("sessions", place)
	}
	if q.Agent != "" && q.WorkspaceID != "" {
		w.filter("t.agent_id = " + w.arg(q.Agent))
	}
	if q.Status != "" {
		w.filter("t.status = " + w.arg(q.Status))
	}
	if q.SilentSince != "" {
		w.filter("t.last_heartbeat_at <= " + w.arg(q.SilentSince))
	}
	return walked(t, w, `t.session_id, t.agent_id, t.workspace_id, t.status, t.secret_hash, t.metadata, t.started_at, t.last_heartbeat_at, t.closed_at`,
		p, scanSession, func(s bus.Session) string { return s.ID })
}

// Stays counts the active sessions of every agent that has some, with the latest
// heartbeat. It reads the active ones only, workspace by workspace.
func (t *Tx) Stays() ([]bus.Stay, error) {
	return list(t, `
		SELECT s.agent_id, count(*), max(s.last_heartbeat_at) FROM workspaces w CROSS JOIN sessions s
		WHERE s.workspace_id = w.workspace_id AND s.status = 'active' GROUP BY s.agent_id ORDER BY s.agent_id`, nil,
		func(r row) (s bus.Stay, err error) {
			err = r.scan(&s.AgentID, &s.Sessions, &s.Heartbeat)
			return s, err
		})
}
