package store

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nexus/bus"
)

// A spy remembers the statements that were asked for.
type spy struct {
	conn
	asked []string
}

func (s *spy) query(sql string, args []any, each func(row) error) error {
	s.asked = append(s.asked, sql)
	return s.conn.query(sql, args, each)
}

// bigScan is a step that goes through a whole table or index of those that grow
// for ever.
var bigScan = regexp.MustCompile(`^SCAN (messages|message_deliveries|events|handoffs|sessions|tasks|artifacts|[mdsthexk])\b`)

// sortsMuch tells whether a part of a plan sorts what it finds in a table, and
// not only what a bounded part before it has found.
func sortsMuch(steps []string) bool {
	first := slices.IndexFunc(steps, func(s string) bool { return strings.HasPrefix(s, "SCAN ") || strings.HasPrefix(s, "SEARCH ") })
	return first >= 0 && bigSearch.MatchString(steps[first]) && slices.Contains(steps, "USE TEMP B-TREE FOR ORDER BY")
}

var bigSearch = regexp.MustCompile(`^SEARCH (messages|message_deliveries|events|handoffs|sessions|tasks|artifacts|[mdsthexk])\b`)

// TestListPlans: however a list is asked for, SQLite finds its way along an
// index to the rows, and goes through no table that grows for ever.
func TestListPlans(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: filepath.Join(t.TempDir(), "nexus.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	st := bus.Stretch{Limit: 10, Look: 100}
	const now = "2026-03-01T12:00:00.000000Z"
	calls := map[string]func(*Tx) error{}
	add := func(name string, call func(*Tx) error) { calls[name] = call }
	for _, q := range messageQueries(now) {
		add(fmt.Sprintf("messages %+v", q), func(tx *Tx) error {
			_, err := tx.ObservedMessages(q, st)
			if err == nil {
				_, _, err = tx.CountMessages(q, 1000, 100)
			}
			return err
		})
	}
	for _, q := range []bus.WorkQuery{{}, {States: []string{"OPEN"}}, {States: []string{"OPEN", "CLAIMED"}}, {WorkspaceID: "w"}, {WorkspaceID: "w", States: []string{"OPEN"}}, {Agent: "a"}} {
		q.Below = "~"
		add(fmt.Sprintf("hand-offs %+v", q), func(tx *Tx) error { _, err := tx.ObservedHandoffs(q, st); return err })
		q.States = q.States[:min(1, len(q.States))]
		add(fmt.Sprintf("tasks %+v", q), func(tx *Tx) error { _, err := tx.ObservedTasks(q, st); return err })
		add(fmt.Sprintf("artifacts %+v", q), func(tx *Tx) error { _, err := tx.ObservedArtifacts(q, st); return err })
	}
	for _, q := range []bus.SessionQuery{{}, {WorkspaceID: "w"}, {Agent: "a"}, {Agent: "a", WorkspaceID: "w", Status: "active"}, {Status: "active", SilentSince: now}} {
		q.Below = "~"
		add(fmt.Sprintf("sessions %+v", q), func(tx *Tx) error { _, err := tx.ObservedSessions(q, st); return err })
	}
	for _, q := range []bus.LogQuery{{}, {WorkspaceID: "w"}, {WorkspaceID: "w", Stream: "handoff"}, {Stream: "system"}, {Stream: "handoff"}, {Types: []string{"x"}}, {Types: []string{"x", "y"}}, {TraceID: "t"}, {Actor: "a"}, {WorkspaceID: "w", Types: []string{"x"}, Actor: "a"}, {Since: now, Until: now}} {
		q.Before = 1 << 60
		add(fmt.Sprintf("count of events %+v", q), func(tx *Tx) error { _, _, err := tx.CountEvents(q, 13, 10); return err })
		for _, q.Backwards = range []bool{false, true} {
			add(fmt.Sprintf("events %+v", q), func(tx *Tx) error { _, err := tx.ObservedEvents(q, st); return err })
		}
	}
	for _, w := range []string{"", "w"} {
		add("edges "+w, func(tx *Tx) error {
			_, _, err := tx.GraphEdges(bus.EdgeQuery{WorkspaceID: w, Above: "", Since: now, Now: now, Look: 10, Limit: 10})
			return err
		})
		add("attention "+w, func(tx *Tx) error {
			for _, state := range bus.HandoffStates() {
				if _, err := tx.OldestHandoffs(bus.WorkQuery{WorkspaceID: w, States: []string{state}, Below: "~"}, st); err != nil {
					return err
				}
			}
			if _, err := tx.LapsingHandoffs(w, now, 10); err != nil {
				return err
			}
			if _, err := tx.ParkedMail(w, 10, 10); err != nil {
				return err
			}
			_, err := tx.UnreadMail("operator", w, 10)
			return err
		})
		add("peers "+w, func(tx *Tx) error {
			_, err := tx.Peers(bus.PeerQuery{AgentID: "a", WorkspaceID: w, Now: now, Look: 10})
			return err
		})
		add("texts "+w, func(tx *Tx) error { _, err := tx.MessageTexts(w, "~", 10); return err })
		add("workspaces "+w, func(tx *Tx) error { _, err := tx.ObservedWorkspaces(w, 10, 10); return err })
	}
	q := bus.ActivityQuery{WorkspaceID: "w", Since: now, Look: 10}
	add("activity", func(tx *Tx) error {
		for _, q := range []bus.ActivityQuery{q, {Since: now, Recipient: "a", Look: 10}} {
			if _, err := tx.MailMoments(q, 13); err != nil {
				return err
			}
		}
		if _, err := tx.Busiest(q, true, 10); err != nil {
			return err
		}
		if _, err := tx.ReadSpans(q); err != nil {
			return err
		}
		_, err := tx.CompletionSpans(q)
		return err
	})
	add("the rest", func(tx *Tx) error {
		if _, err := tx.EventTypes(10); err != nil {
			return err
		}
		if _, err := tx.EventUntil(now); err != nil {
			return err
		}
		if _, err := tx.EventSince(now); err != nil {
			return err
		}
		if _, _, err := tx.MessageBounds(now, now); err != nil {
			return err
		}
		if _, err := tx.Stays(); err != nil {
			return err
		}
		if _, err := tx.PeerMessages([]string{"d"}); err != nil {
			return err
		}
		if _, err := tx.HandoffPayloads([]string{"h"}); err != nil {
			return err
		}
		if _, err := tx.LastHeard([]string{"a"}); err != nil {
			return err
		}
		if _, err := tx.HandoffHistory("h", 10); err != nil {
			return err
		}
		if _, err := tx.WorkspaceLog("w", 0, 10, 10); err != nil {
			return err
		}
		_, _, err := tx.DeliveriesOfAll([]string{"m"}, 10)
		return err
	})
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			for _, plan := range plans(t, db, call) {
				for _, part := range plan.parts {
					if slices.ContainsFunc(part, bigScan.MatchString) {
						t.Errorf("a scan in %s\n\n%s", plan.sql, strings.Join(part, "\n"))
					}
					// An agent's sessions are few, and there is no index of them by id.
					if sortsMuch(part) && !strings.Contains(plan.sql, "agent_id = $2 AND session_id") {
						t.Errorf("a sort in %s\n\n%s", plan.sql, strings.Join(part, "\n"))
					}
				}
			}
		})
	}
}

func messageQueries(now string) []bus.MessageQuery {
	all := []bus.MessageQuery{
		{},
		{WorkspaceID: "w"},
		{Agent: "a"},
		{Agent: "a", Peer: "b"},
		{Agent: "a", To: "b"},
		{From: "a"},
		{To: "a"},
		{From: "a", To: "b", WorkspaceID: "w", ChannelID: "c"},
		{ChannelID: "c"},
		{Lane: bus.Unread},
		{Lane: bus.Parked, To: "a"},
		{WorkspaceID: "w", Lane: bus.Delivered},
		{Undelivered: true},
		{Since: now, Until: now},
		{Bodies: true},
	}
	for i := range all {
		all[i].Below, all[i].Now = "~", now
	}
	return all
}

// A plan is how SQLite runs a statement, part by part.
type plan struct {
	sql   string
	parts map[int][]string
}

// plans are how SQLite runs each statement of a call.
func plans(t *testing.T, db *DB, call func(*Tx) error) (all []plan) {
	t.Helper()
	err := db.View(t.Context(), func(tx *Tx) error {
		watched := &spy{conn: tx.conn}
		if err := call(&Tx{conn: watched}); err != nil {
			return err
		}
		for _, sql := range watched.asked {
			p := plan{sql, map[int][]string{}}
			err := tx.query("EXPLAIN QUERY PLAN "+sql, nil, func(r row) error {
				var id, parent, none int
				var step string
				err := r.scan(&id, &parent, &none, &step)
				p.parts[parent] = append(p.parts[parent], step)
				return err
			})
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("nothing was asked for")
	}
	return all
}
