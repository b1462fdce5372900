package store

import (
	"nexus"
	"nexus/bus"
)

const eventColumns = `event_id, workspace_id, stream, type, actor_agent_id, task_id, handoff_id, visibility, target, payload, created_at, trace_id`

func scanEvent(r row) (e nexus.Event, err error) {
	err = r.scan(&e.ID, &e.WorkspaceID, &e.Stream, &e.Type, &e.Actor, &e.TaskID, &e.HandoffID, &e.Visibility, &e.Target, &e.Payload, &e.CreatedAt, &e.Trace)
	return e, err
}

// Events are those after a cursor that match, in the order of their numbers.
func (t *Tx) Events(q bus.EventQuery) ([]nexus.Event, error) {
	return list(t, `
		SELECT `+eventColumns+` FROM events
		WHERE workspace_id = $1 AND stream = $2 AND event_id > $3
			AND ($4 = '' OR type = $4) AND ($5 = '' OR actor_agent_id = $5)
			AND ($6 = '' OR task_id = $6) AND ($7 = '' OR handoff_id = $7)
		ORDER BY event_id LIMIT $8`,
		args(q.WorkspaceID, q.Stream, q.After, q.Type, q.Actor, q.TaskID, q.HandoffID, q.Limit), scanEvent)
}

// LastEventIn is the number of a stream's newest event.
func (t *Tx) LastEventIn(workspaceID, stream string) (n int64, err error) {
	_, err = t.one(`SELECT max(event_id) FROM events WHERE workspace_id = $1 AND stream = $2`, args(workspaceID, stream), &n)
	return n, err
}

// LastEvent is the number of the newest event of all.
func (t *Tx) LastEvent() (n int64, err error) {
	_, err = t.one(`SELECT max(event_id) FROM events`, nil, &n)
	return n, err
}
