package store

import (
	"nexus"
	"nexus/bus"
)

const observedEventColumns = `t.event_id, t.workspace_id, t.stream, t.type, t.created_at, t.actor_agent_id, t.payload, t.trace_id`

func scanObservedEvent(r row) (e bus.ObservedEvent, err error) {
	err = r.scan(&e.ID, &e.WorkspaceID, &e.Stream, &e.Type, &e.CreatedAt, &e.Actor, &e.Payload, &e.TraceID)
	return e, err
}

// ObservedEvents is a page of the log as it is: upwards from a number, or
// downwards.
func (t *Tx) ObservedEvents(q bus.LogQuery, p bus.Stretch) (bus.Walked[bus.ObservedEvent, int64], error) {
	w := &walk{table: "events", key: "event_id", ascending: !q.Backwards}
	place := []string{"event_id > " + w.arg(q.After), "event_id < " + w.arg(q.Before)}
	along := func(where ...string) { w.along("events", append(where, place...)...) }
	equals := map[string]string{"workspace_id": q.WorkspaceID, "stream": q.Stream, "type": q.Type, "trace_id": q.TraceID, "actor_agent_id": q.Actor}
	switch {
	case q.TraceID != "":
		along("trace_id = "+w.arg(q.TraceID), "trace_id IS NOT NULL")
		delete(equals, "trace_id")
	case q.WorkspaceID != "":
		in := "workspace_id = " + w.arg(q.WorkspaceID)
		for _, stream := range []string{nexus.StreamWorkspace, nexus.StreamHandoff, nexus.StreamAgent} {
			if q.Stream == "" || q.Stream == stream {
				along(in, "stream = "+w.arg(stream))
			}
		}
		delete(equals, "workspace_id")
		delete(equals, "stream")
	case q.Stream == nexus.StreamSystem:
		along("workspace_id IS NULL", "stream = "+w.arg(q.Stream))
		delete(equals, "stream")
	case q.Type != "":
		along("type = " + w.arg(q.Type))
		delete(equals, "type")
	default:
		along()
	}
	for _, column := range []string{"workspace_id", "stream", "type", "trace_id", "actor_agent_id"} {
		if equals[column] != "" {
			w.filter("t." + column + " = " + w.arg(equals[column]))
		}
	}
	if q.NoSystem {
		w.filter("t.stream <> " + w.arg(nexus.StreamSystem))
	}
	if len(w.ranges) == 0 { // the system stream is in no workspace
		return bus.Walked[bus.ObservedEvent, int64]{Rows: []bus.ObservedEvent{}}, nil
	}
	return walked(t, w, observedEventColumns, p, scanObservedEvent, func(e bus.ObservedEvent) int64 { return e.ID })
}

// EventTypes lists the types in the log, each counted no further than most. It
// leaps from type to type along their index.
func (t *Tx) EventTypes(most int) ([]bus.EventType, error) {
	return list(t, `
		WITH RECURSIVE types (type) AS (
			SELECT min(type) FROM events
			UNION ALL
			SELECT (SELECT min(e.type) FROM events e WHERE e.type > types.type) FROM types WHERE types.type IS NOT NULL)
		SELECT types.type, (SELECT count(*) FROM (SELECT 1 FROM events e WHERE e.type = types.type LIMIT $1) AS few)
		FROM types WHERE types.type IS NOT NULL ORDER BY types.type`, args(most),
		func(r row) (e bus.EventType, err error) {
			err = r.scan(&e.Type, &e.Count)
			return e, err
		})
}

// WorkspaceLog is the log of one workspace, of all its streams: the events after
// one number and up to another.
func (t *Tx) WorkspaceLog(workspaceID string, after, upTo int64, limit int) ([]nexus.Event, error) {
	return list(t, `
		SELECT `+eventColumns+` FROM events WHERE event_id IN (
			SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'workspace' AND event_id > $2 AND event_id <= $3 ORDER BY event_id LIMIT $4) AS of_workspace
			UNION ALL SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'handoff' AND event_id > $2 AND event_id <= $3 ORDER BY event_id LIMIT $4) AS of_handoff
			UNION ALL SELECT event_id FROM (SELECT event_id FROM events
				WHERE workspace_id = $1 AND stream = 'agent' AND event_id > $2 AND event_id <= $3 ORDER BY event_id LIMIT $4) AS of_agent)
		ORDER BY event_id LIMIT $4`, args(workspaceID, after, upTo, limit), scanEvent)
}
