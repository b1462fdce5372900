package store

import (
	"strconv"

	"nexus/bus"
)

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

// MailMoments counts the newest deliveries from a message on: when they were
// read, or, of those that are parked, last handed out. The rest has no moment.
func (t *Tx) MailMoments(q bus.ActivityQuery, prefix int) ([]bus.MomentCount, error) {
	where, settled, a := "", "", args(q.Above, q.Since, q.Look)
	if q.WorkspaceID != "" {
		a = append(a, q.WorkspaceID)
		where = "AND m.workspace_id = $" + strconv.Itoa(len(a))
	}
	if q.Recipient != "" {
		a = append(a, q.Recipient)
		settled = " AND recipient_agent_id = $" + strconv.Itoa(len(a))
	}
	moment := "substr(CASE WHEN status = 'read'" + settled + " THEN read_at WHEN status = 'parked'" + settled + " THEN delivered_at END, 1, " + strconv.Itoa(prefix) + ")"
	return list(t, `SELECT `+moment+`, status, count(*) FROM `+newestPairs(where)+` GROUP BY `+moment+`, status ORDER BY 1, 2`, a, scanMomentCount)
}

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
