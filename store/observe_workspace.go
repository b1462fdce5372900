package store

import "nexus/bus"

// few counts the rows of an index range, no further than argument 1.
func few(rows string) string {
	return `(SELECT count(*) FROM (SELECT 1 FROM ` + rows + ` LIMIT $1) AS few)`
}

// ObservedWorkspaces are the workspaces last used, with how much is in each,
// counted no further than most.
func (t *Tx) ObservedWorkspaces(only string, most, limit int) ([]bus.ObservedWorkspace, error) {
	where, a := "", args(most, limit)
	if only != "" {
		where, a = "WHERE workspace_id = $3", append(a, only)
	}
	return list(t, `
		SELECT w.workspace_id, w.display_name, w.root_realpath, w.created_at, w.last_seen_at,
			(SELECT count(DISTINCT s.agent_id) FROM sessions s WHERE s.workspace_id = w.workspace_id AND s.status = 'active'),
			`+few(`sessions s WHERE s.workspace_id = w.workspace_id AND s.status = 'active'`)+`,
			`+few(`messages m WHERE m.workspace_id = w.workspace_id`)+`,
			`+few(`handoffs h WHERE h.workspace_id = w.workspace_id AND h.status = 'OPEN'`)+`,
			`+few(`handoffs h WHERE h.workspace_id = w.workspace_id AND h.status = 'CLAIMED'`)+`,
			`+few(`tasks k WHERE k.workspace_id = w.workspace_id AND k.status IN ('open', 'in_progress', 'blocked')`)+`
		FROM (SELECT `+workspaceColumns+` FROM workspaces `+where+` ORDER BY last_seen_at DESC, workspace_id LIMIT $2) AS w
		ORDER BY w.last_seen_at DESC, w.workspace_id`, a,
		func(r row) (w bus.ObservedWorkspace, err error) {
			err = r.scan(&w.ID, &w.DisplayName, &w.Root, &w.CreatedAt, &w.LastSeenAt,
				&w.Agents, &w.Sessions, &w.Messages, &w.HandoffsOpen, &w.HandoffsClaimed, &w.TasksOpen)
			return w, err
		})
}

// HourlyEvents counts the newest events of a workspace from a number on, by hour
// and type.
func (t *Tx) HourlyEvents(q bus.ActivityQuery) ([]bus.HourCount, error) {
	return list(t, `
		SELECT substr(t.created_at, 1, 13), t.type, count(*) FROM (`+newestEvents+`) AS c JOIN events t ON t.event_id = c.place
		WHERE t.created_at >= $4 GROUP BY substr(t.created_at, 1, 13), t.type ORDER BY 1, 2`, args(q.WorkspaceID, q.FromEvent, q.Look, q.Since),
		func(r row) (c bus.HourCount, err error) {
			err = r.scan(&c.Hour, &c.Type, &c.Count)
			return c, err
		})
}

// newestEvents are the newest events of a workspace from a number on.
const newestEvents = `
	SELECT place FROM (SELECT event_id AS place FROM events
		WHERE workspace_id = $1 AND stream = 'workspace' AND event_id >= $2 ORDER BY event_id DESC LIMIT $3) AS of_workspace
	UNION ALL SELECT place FROM (SELECT event_id AS place FROM events
		WHERE workspace_id = $1 AND stream = 'handoff' AND event_id >= $2 ORDER BY event_id DESC LIMIT $3) AS of_handoff
	UNION ALL SELECT place FROM (SELECT event_id AS place FROM events
		WHERE workspace_id = $1 AND stream = 'agent' AND event_id >= $2 ORDER BY event_id DESC LIMIT $3) AS of_agent
	ORDER BY place DESC LIMIT $3`

// Busiest are the agents that sent, or got, most of the newest deliveries of a
// workspace.
func (t *Tx) Busiest(q bus.ActivityQuery, received bool, limit int) ([]bus.AgentCount, error) {
	column := "from_agent_id"
	if received {
		column = "recipient_agent_id"
	}
	return list(t, `SELECT `+column+`, count(*) FROM `+newestPairs("AND m.workspace_id = $4")+` GROUP BY `+column+` ORDER BY 2 DESC, 1 LIMIT $5`,
		args(q.Above, q.Since, q.Look, q.WorkspaceID, limit), func(r row) (c bus.AgentCount, err error) {
			err = r.scan(&c.AgentID, &c.Count)
			return c, err
		})
}

// ReadSpans are when the newest deliveries of a workspace were made and read, of
// those that were.
func (t *Tx) ReadSpans(q bus.ActivityQuery) ([]bus.Span, error) {
	return list(t, `SELECT created_at, read_at FROM `+newestPairs("AND m.workspace_id = $4")+` WHERE read_at IS NOT NULL`,
		args(q.Above, q.Since, q.Look, q.WorkspaceID), scanSpan)
}

// CompletionSpans are when the newest completed hand-offs of a workspace were
// made and completed, of those that were completed from a moment on.
func (t *Tx) CompletionSpans(q bus.ActivityQuery) ([]bus.Span, error) {
	return list(t, `
		SELECT created_at, updated_at FROM (SELECT created_at, updated_at FROM handoffs
			WHERE workspace_id = $1 AND status = 'COMPLETED' ORDER BY handoff_id DESC LIMIT $3) AS newest
		WHERE updated_at >= $2`, args(q.WorkspaceID, q.Since, q.Look), scanSpan)
}

func scanSpan(r row) (s bus.Span, err error) {
	err = r.scan(&s.From, &s.To)
	return s, err
}
