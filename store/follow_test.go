package store_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// randomLog writes events of all sorts, among them few that are rare.
func randomLog(t *testing.T, db *store.DB, n int) (all []nexus.Event) {
	t.Helper()
	pick := func(of ...string) string { return of[rand.IntN(len(of))] }
	for len(all) < n {
		_, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
			for _, id := range []string{"v", "w"} {
				if _, err := tx.InsertWorkspace(bus.Workspace{ID: id, Root: "/" + id, CreatedAt: "x", LastSeenAt: "x"}); err != nil {
					return nil, err
				}
			}
			for range 5000 {
				e := &nexus.Event{Stream: nexus.StreamSystem, Type: pick("a", "b", "c"), Actor: pick("", "ann", "bob"), CreatedAt: "2026"}
				if e.WorkspaceID = pick("", "v", "w"); e.WorkspaceID != "" {
					e.Stream = pick(nexus.StreamWorkspace, nexus.StreamHandoff)
				}
				if rand.IntN(4000) == 0 {
					e.Type, e.Trace = "rare", pick("t1", "t2", "t3")
				}
				if err := tx.AppendEvent(e); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, readLog(t, db, nexus.LogFilter{}, int64(len(all)))...)
	}
	return all
}

// readLog follows the log to its end, page by page.
func readLog(t *testing.T, db *store.DB, f nexus.LogFilter, after int64) (all []nexus.Event) {
	t.Helper()
	for {
		page, err := db.LogAfter(t.Context(), after, f, 500)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Events...)
		if page.Next == page.Last {
			return all
		}
		if page.Next <= after {
			t.Fatalf("it does not get beyond %d of %d", after, page.Last)
		}
		after = page.Next
	}
}

func TestLogAfter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		log := randomLog(t, db, 25_000)
		some := func(of ...string) []string {
			return of[:rand.IntN(len(of)+1)]
		}
		filters := []nexus.LogFilter{
			{},
			{Types: []string{"rare"}},
			{Traces: []string{"t1"}},
			{Traces: []string{"t1", "t2"}},
			{Actors: []string{"nobody"}},
			{Workspaces: []string{"v"}, Streams: []string{"handoff"}},
			{Workspaces: []string{"v"}, Streams: []string{"handoff"}, Types: []string{"rare"}},
		}
		for range 20 {
			filters = append(filters, nexus.LogFilter{
				Workspaces: some("v", "w", "x"), Streams: some("workspace", "handoff", "system"), Types: some("rare", "a", "b"),
				Actors: some("ann", "bob"), Traces: some("t1", "t2"),
			})
		}
		for _, f := range filters {
			t.Run(fmt.Sprint(f), func(t *testing.T) {
				after := rand.Int64N(int64(len(log)))
				var got, want []int64
				for _, e := range readLog(t, db, f, after) {
					got = append(got, e.ID)
				}
				for _, e := range log {
					if e.ID > after && f.Matches(&e) {
						want = append(want, e.ID)
					}
				}
				if diff := gocmp.Diff(got, want); diff != "" {
					t.Errorf("after %d (-got +want):\n%s", after, diff)
				}
			})
		}
	})
}

func TestLogPageIsBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		_, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
			for range 20 {
				e := &nexus.Event{Stream: nexus.StreamSystem, Type: "big", CreatedAt: "2026"}
				e.Payload, _ = json.Marshal(strings.Repeat("x", 64<<10))
				if err := tx.AppendEvent(e); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		page, err := db.LogAfter(t.Context(), 0, nexus.LogFilter{}, 500)
		if err != nil || len(page.Events) != 4 || page.Next != 4 || page.Last != 20 {
			t.Errorf("got %d events up to %d of %d, %v; want as many as make 256 KiB", len(page.Events), page.Next, page.Last, err)
		}
		if all := readLog(t, db, nexus.LogFilter{}, 0); len(all) != 20 {
			t.Errorf("page by page there are %d", len(all))
		}
	})
}

func TestLogBounds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		check := func(when string, first, last int64) {
			t.Helper()
			f, l, err := db.LogBounds(t.Context())
			page, err2 := db.LogAfter(t.Context(), 0, nexus.LogFilter{}, 1)
			if err != nil || err2 != nil || f != first || l != last || page.First != first || page.Last != last {
				t.Errorf("%s: got %d to %d and %d to %d (%v, %v), want %d to %d", when, f, l, page.First, page.Last, err, err2, first, last)
			}
		}
		update := func(fn func(tx *store.Tx) (any, error)) {
			t.Helper()
			if _, err := db.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		check("empty", 1, 0)
		update(func(tx *store.Tx) (any, error) {
			for range 9 {
				if _, err := note(tx, "n"); err != nil {
					return nil, err
				}
			}
			return note(tx, "n")
		})
		check("ten events", 1, 10)
		update(func(tx *store.Tx) (any, error) { return tx.DeleteEvents(4, "9999", 100) })
		check("four pruned", 5, 10)
		update(func(tx *store.Tx) (any, error) { return tx.DeleteEvents(10, "9999", 100) })
		check("all pruned", 11, 10)
		update(func(tx *store.Tx) (any, error) { return note(tx, "n") })
		check("no number twice", 11, 11)
	})
}
