package bus_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

// labelled are the figures of one name, by the value of their label.
func labelled(all []nexus.Figure, name string) map[string]float64 {
	found := map[string]float64{}
	for _, f := range all {
		if f.Name == name {
			found[f.Value] = f.Number
		}
	}
	return found
}

// census reads figures until the database was counted, which goes on beside it.
func census(t *testing.T, db *store.DB) []nexus.Figure {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if all := db.Figures(); len(labelled(all, "deliveries")) > 0 {
			return all
		}
	}
	t.Fatal("the database was not counted")
	return nil
}

func TestFigures(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		k := newKit(t, db, settings())
		k.register("boss")
		k.register("worker")
		for range 4 {
			k.send("boss", direct("worker"))
		}
		k.call("inbox_pull", object{"agent_id": "worker", "limit": 2})
		k.call("inbox_ack", object{"agent_id": "worker", "message_ids": k.pulled("worker")})
		k.send("boss", direct("worker"))
		for range 3 {
			k.call("handoff_create", object{"project_root": k.root, "from_agent_id": "boss", "target": object{"strategy": "broadcast"}, "visibility": "public", "payload": "x"})
		}
		offered := k.call("handoff_list_available", object{"project_root": k.root, "agent_id": "worker"})["handoffs"].([]any)
		k.call("handoff_claim", object{"project_root": k.root, "agent_id": "worker", "handoff_id": offered[0].(object)["handoff_id"]})

		all := census(t, db)
		if diff := cmp.Diff(labelled(all, "deliveries"), map[string]float64{"unread": 1, "delivered": 2, "parked": 0}); diff != "" {
			t.Errorf("deliveries: %s", diff)
		}
		if diff := cmp.Diff(labelled(all, "handoffs"), map[string]float64{"open": 2, "claimed": 1, "verifying": 0, "parked": 0}); diff != "" {
			t.Errorf("hand-offs: %s", diff)
		}
		events := labelled(all, "events_total")
		if events["message.created"] != 5 || events["handoff.created"] != 3 || events["handoff.claimed"] != 1 {
			t.Errorf("events: %v", events)
		}
		stats := db.Stats()
		if stats["store_bytes"] <= 0 || stats["store_updates_total"] < 10 || stats["store_queued_updates"] != 0 {
			t.Errorf("the store: %v", stats)
		}
		for _, f := range all {
			if f.Name == "store_commit_seconds" {
				if n, sum, _ := f.Spread.Read(); n == 0 || sum <= 0 {
					t.Errorf("%d commits took %v s", n, sum)
				}
			}
		}
	})
}

// A failed update leaves no event to count, and a wait that a commit ends is
// measured.
func TestFiguresOfWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		k := newKit(t, db, settings())
		k.register("a")
		k.register("b")
		k.fails("message_create", nexus.NotFound, object{"project_root": k.root, "from_agent_id": "a", "target": direct("nobody"), "subject": "s", "body": "b"})
		// A wait may look just after the send and need no waking; then once more.
		sent := 0
		for spreadOf(db, "store_wake_seconds") == 0 {
			idle := db.Stats()["store_waiters"]
			answered := make(chan object, 1)
			go func() {
				data, _ := k.try("inbox_wait", object{"agent_id": "b", "timeout_seconds": 30})
				answered <- data
			}()
			for db.Stats()["store_waiters"] == idle && len(answered) == 0 {
				runtime.Gosched()
			}
			k.send("a", direct("b"))
			sent++
			if got := messages(<-answered); len(got) != 1 {
				t.Fatalf("the wait brought %v", got)
			}
		}
		if got := labelled(db.Figures(), "events_total")["message.created"]; got != float64(sent) {
			t.Errorf("%v messages were counted, want %d", got, sent)
		}
	})
}

// spreadOf is how often something was measured.
func spreadOf(db *store.DB, name string) (n uint64) {
	for _, f := range db.Figures() {
		if f.Name == name {
			n, _, _ = f.Spread.Read()
		}
	}
	return n
}
