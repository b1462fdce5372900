package store

import (
	"encoding/json"

	"nexus"
	"nexus/bus"
)

// Shared is what shared.md shows of a workspace.
func (t *Tx) Shared(q bus.SharedQuery) (v bus.SharedView, err error) {
	if v.Sessions, err = t.activeSessions(q.WorkspaceID, q.Lines); err != nil {
		return v, err
	}
	v.Tasks, err = list(t, `
		SELECT `+taskColumns+` FROM tasks t WHERE t.workspace_id = $1 AND t.status IN ('open', 'in_progress', 'blocked')
		ORDER BY -t.priority, t.task_id LIMIT $2`, args(q.WorkspaceID, q.Lines), scanTask)
	if err != nil {
		return v, err
	}
	if v.Handoffs, err = t.unfinishedHandoffs(q.WorkspaceID, q.Lines); err != nil {
		return v, err
	}
	v.Events, err = t.recentEvents(q.WorkspaceID, q.Events)
	return v, err
}

func (t *Tx) activeSessions(workspaceID string, limit int) ([]bus.SharedSession, error) {
	return list(t, `
		SELECT s.agent_id, a.role, a.capabilities, s.session_id, s.started_at, s.last_heartbeat_at
		FROM sessions s JOIN agents a ON a.agent_id = s.agent_id
		WHERE s.workspace_id = $1 AND s.status = 'active' ORDER BY s.agent_id, s.session_id LIMIT $2`,
		args(workspaceID, limit), func(r row) (s bus.SharedSession, err error) {
			err = r.scan(&s.ID, &s.Role, &s.Capabilities, &s.SessionID, &s.StartedAt, &s.LastHeartbeatAt)
			return s, err
		})
}

// unfinishedHandoffs leaves the work itself unread.
func (t *Tx) unfinishedHandoffs(workspaceID string, limit int) ([]bus.Handoff, error) {
	return list(t, `
		SELECT handoff_id, status, from_agent_id, target, visibility, claimed_by, lease_expires_at, priority, created_at FROM handoffs
		WHERE workspace_id = $1 AND status IN ('OPEN', 'CLAIMED', 'VERIFYING', 'PARKED')
		ORDER BY -priority, handoff_id LIMIT $2`,
		args(workspaceID, limit), func(r row) (h bus.Handoff, err error) {
			var target json.RawMessage
			err = r.scan(&h.ID, &h.Status, &h.FromAgentID, &target, &h.Visibility, &h.ClaimedBy, &h.LeaseExpiresAt, &h.Priority, &h.CreatedAt)
			h.Target = nexus.Object(target)
			return h, err
		})
}

// recentEvents are the newest events of a workspace, the newest first, without
// their payloads and targets. It looks into the index of each stream, and into
// no other workspace's events.
func (t *Tx) recentEvents(workspaceID string, limit int) ([]nexus.Event, error) {
	return list(t, `
		SELECT event_id, type, actor_agent_id, task_id, handoff_id, visibility, created_at FROM events WHERE event_id IN (
			SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'workspace' ORDER BY event_id DESC LIMIT $2) AS of_workspace
			UNION ALL SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'handoff' ORDER BY event_id DESC LIMIT $2) AS of_handoff
			UNION ALL SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'agent' ORDER BY event_id DESC LIMIT $2) AS of_agent)
		ORDER BY event_id DESC LIMIT $2`,
		args(workspaceID, limit), func(r row) (e nexus.Event, err error) {
			err = r.scan(&e.ID, &e.Type, &e.Actor, &e.TaskID, &e.HandoffID, &e.Visibility, &e.CreatedAt)
			return e, err
		})
}
