package store

import (
	"encoding/json"

	"nexus/bus"
)

// A stated table has rows of a workspace in one of a few states, and an index by
// workspace, state and key. Where there is one by state and key too, stateIndex
// says so.
type stated struct {
	table, key, column string
	states             []string
	stateIndex         bool
}

// walk goes along the index that leads straight to the states that are wanted,
// or along the key of the table where nothing is asked for.
func (s stated) walk(q bus.WorkQuery) *walk {
	w := &walk{table: s.table, key: s.key}
	place := s.key + " < " + w.arg(q.Below)
	switch {
	case q.WorkspaceID != "":
		in := "workspace_id = " + w.arg(q.WorkspaceID)
		for _, state := range either(q.States, s.states) {
			w.along(s.table, in, s.column+" = "+w.arg(state), place)
		}
	case len(q.States) > 0 && s.stateIndex:
		for _, state := range q.States {
			w.along(s.table, s.column+" = "+w.arg(state), place)
		}
	default:
		w.along(s.table, place)
		for _, state := range q.States { // there is one at most
			w.filter("t." + s.column + " = " + w.arg(state))
		}
	}
	return w
}

func either(asked, all []string) []string {
	if len(asked) > 0 {
		return asked
	}
	return all
}

const seenHandoffColumns = `t.handoff_id, t.workspace_id, t.task_id, t.from_agent_id, t.from_session_id, t.target, t.visibility, t.status,
	t.claimed_by, t.claimed_session_id, t.lease_expires_at, t.attempt, t.attempts_before, t.max_attempts, t.priority, t.blocked,
	t.expires_at, t.payload, t.result, t.rejected_reason, t.acceptance_criteria, t.verify_by, t.feedback, t.completes_task, t.created_at, t.updated_at`

// ObservedHandoffs is a page of the hand-offs that match, newest first, each with
// what it waits for.
func (t *Tx) ObservedHandoffs(q bus.WorkQuery, p bus.Stretch) (bus.Walked[bus.Handoff, string], error) {
	w := stated{"handoffs", "handoff_id", "status", bus.HandoffStates(), true}.walk(q)
	if q.Agent != "" {
		agent := w.arg(q.Agent)
		w.filter("(t.from_agent_id = " + agent + " OR t.claimed_by = " + agent + ")")
	}
	page, err := walked(t, w, seenHandoffColumns, p, scanHandoff, func(h bus.Handoff) string { return h.ID })
	if err != nil || len(page.Rows) == 0 {
		return page, err
	}
	return page, t.addDependencies(page.Rows)
}

// addDependencies fills in what each of the hand-offs waits for, in one query.
func (t *Tx) addDependencies(all []bus.Handoff) error {
	at := make(map[string]*bus.Handoff, len(all))
	ids := make([]string, len(all))
	for i := range all {
		at[all[i].ID], ids[i] = &all[i], all[i].ID
	}
	return t.query(`SELECT handoff_id, depends_on_id FROM handoff_dependencies WHERE `+t.dialect().oneOf("handoff_id", 1)+` ORDER BY handoff_id, depends_on_id`,
		args(elements(ids)), func(r row) error {
			var id, need string
			if err := r.scan(&id, &need); err != nil {
				return err
			}
			at[id].DependsOn = append(at[id].DependsOn, need)
			return nil
		})
}

// HandoffHistory is what the log says of a hand-off, oldest first.
func (t *Tx) HandoffHistory(handoffID string, limit int) ([]bus.ObservedEvent, error) {
	return list(t, `SELECT `+observedEventColumns+` FROM events t WHERE t.handoff_id = $1 AND t.handoff_id IS NOT NULL ORDER BY t.event_id LIMIT $2`,
		args(handoffID, limit), scanObservedEvent)
}

// ObservedTasks is a page of the tasks that match, newest first.
func (t *Tx) ObservedTasks(q bus.WorkQuery, p bus.Stretch) (bus.Walked[bus.Task, string], error) {
	w := stated{"tasks", "task_id", "status", bus.TaskStates(), false}.walk(q)
	if q.Agent != "" {
		w.filter("t.assignee = " + w.arg(q.Agent))
	}
	page, err := walked(t, w, taskColumns, p, scanTask, func(v bus.Task) string { return v.ID })
	if err != nil || len(page.Rows) == 0 {
		return page, err
	}
	return page, t.addNeeds(page.Rows)
}

// ObservedArtifacts is a page of the artifacts that match, newest first, without
// their content.
func (t *Tx) ObservedArtifacts(q bus.WorkQuery, p bus.Stretch) (bus.Walked[bus.ObservedArtifact, string], error) {
	w := stated{"artifacts", "artifact_id", "artifact_type", bus.ArtifactTypes(), false}.walk(q)
	return walked(t, w, `t.artifact_id, t.workspace_id, t.artifact_type, t.name, t.path, t.size_bytes, t.metadata, t.created_at,
		CASE WHEN t.content IS NULL THEN 0 ELSE 1 END`, p,
		func(r row) (a bus.ObservedArtifact, err error) {
			var metadata json.RawMessage
			var inline bool
			err = r.scan(&a.ID, &a.WorkspaceID, &a.Type, &a.Name, &a.Path, &a.Size, &metadata, &a.CreatedAt, &inline)
			a.Metadata, a.Stored = metadata, bus.StoredPath
			if inline {
				a.Stored = bus.StoredInline
			}
			return a, err
		}, func(a bus.ObservedArtifact) string { return a.ID })
}
