package store

import (
	"strconv"
	"strings"

	"nexus"
	"nexus/bus"
)

const observedEventColumns = `t.event_id, t.workspace_id, t.stream, t.type, t.created_at, t.actor_agent_id, t.payload, t.trace_id`

func scanObservedEvent(r row) (e bus.ObservedEvent, err error) {
	err = r.scan(&e.ID, &e.WorkspaceID, &e.Stream, &e.Type, &e.CreatedAt, &e.Actor, &e.Payload, &e.TraceID)
	return e, err
}

// eventWalk is the way to a part of the log: along the index that leads straight
// to most of what is wanted. It has no ranges where there can be nothing.
func eventWalk(q bus.LogQuery) *walk {
	w := &walk{table: "events", key: "event_id", ascending: !q.Backwards}
	place := []string{"event_id > " + w.arg(q.After), "event_id < " + w.arg(q.Before)}
	along := func(where ...string) { w.along("events", append(where, place...)...) }
	equals := map[string]string{"workspace_id": q.WorkspaceID, "stream": q.Stream, "trace_id": q.TraceID, "actor_agent_id": q.Actor}
	types := q.Types
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
	case len(types) > 0:
		for _, kind := range types {
			along("type = " + w.arg(kind))
		}
		types = nil
	default:
		along()
	}
	for _, column := range []string{"workspace_id", "stream", "trace_id", "actor_agent_id"} {
		if equals[column] != "" {
			w.filter("t." + column + " = " + w.arg(equals[column]))
		}
	}
	w.filterEvents(q, types)
	return w
}

// filterEvents adds what is asked of events besides what must be equal.
func (w *walk) filterEvents(q bus.LogQuery, types []string) {
	if len(types) > 0 {
		names := make([]string, len(types))
		for i, kind := range types {
			names[i] = w.arg(kind)
		}
		w.filter("t.type IN (" + strings.Join(names, ", ") + ")")
	}
	if q.NoSystem {
		w.filter("t.stream <> " + w.arg(nexus.StreamSystem))
	}
	if q.Since != "" {
		w.filter("t.created_at >= " + w.arg(q.Since))
	}
	if q.Until != "" {
		w.filter("t.created_at < " + w.arg(q.Until))
	}
}

// ObservedEvents is a page of the log as it is: upwards from a number, or
// downwards.
func (t *Tx) ObservedEvents(q bus.LogQuery, p bus.Stretch) (bus.Walked[bus.ObservedEvent, int64], error) {
	w := eventWalk(q)
	if len(w.ranges) == 0 { // the system stream is in no workspace
		return bus.Walked[bus.ObservedEvent, int64]{Rows: []bus.ObservedEvent{}}, nil
	}
	return walked(t, w, observedEventColumns, p, scanObservedEvent, func(e bus.ObservedEvent) int64 { return e.ID })
}

// CountEvents counts the newest events that match by type and by the beginning of
// their time, so many characters of it, and tells whether there may be more.
func (t *Tx) CountEvents(q bus.LogQuery, prefix, look int) (counts []bus.MomentCount, more bool, err error) {
	w := eventWalk(q)
	moment := "substr(t.created_at, 1, " + strconv.Itoa(prefix) + ")"
	sql, a := worded(w.args, func(arg func(any) string) string {
		return "SELECT " + moment + ", t.type, count(*)" + w.from(arg(look)) + " GROUP BY " + moment + ", t.type ORDER BY 1, 2"
	})
	if counts, err = list(t, sql, a, scanMomentCount); err != nil {
		return nil, false, err
	}
	n, _, err := looked[int64](t, w, look)
	return counts, n == look, err
}

func scanMomentCount(r row) (c bus.MomentCount, err error) {
	err = r.scan(&c.Moment, &c.Type, &c.Count)
	return c, err
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
