package bus_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// A keeper is a kit whose service and database can be reached past the catalogue.
type keeper struct {
	*kit
	db      *store.DB
	service *bus.Service
	updates *atomic.Int64
}

func newKeeper(t *testing.T, db *store.DB) *keeper {
	k := &keeper{kit: newKit(t, db, settings()), db: db, updates: new(atomic.Int64)}
	k.service = bus.New(bus.Config{
		Store: counted{store.Of[bus.Tx]{DB: db}, k.updates}, Settings: settings(), Now: k.now, NewID: newID,
	})
	return k
}

func eachKeeper(t *testing.T, test func(k *keeper)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) { test(newKeeper(t, o.Open(t))) })
}

func (k *keeper) prune(p bus.Pruning) bus.PruneReport {
	k.t.Helper()
	report, err := k.service.PruneBy(k.t.Context(), p)
	if err != nil {
		k.t.Fatal(err)
	}
	return report
}

// log is the whole log as it is stored.
func (k *keeper) log() (all []nexus.Event) {
	k.t.Helper()
	if err := k.db.ViewLong(k.t.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.Log(0, math.MaxInt64, math.MaxInt32)
		return err
	}); err != nil {
		k.t.Fatal(err)
	}
	return all
}

// note appends n events of the operators' stream, stamped now.
func (k *keeper) note(n int) {
	k.t.Helper()
	if _, err := k.db.Update(k.t.Context(), func(tx *store.Tx) (any, error) {
		for range n {
			if err := tx.AppendEvent(&nexus.Event{Stream: nexus.StreamSystem, Type: "test.noted", CreatedAt: nexus.Stamp(k.now())}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}); err != nil {
		k.t.Fatal(err)
	}
}

// delivered sends a message to an agent and acknowledges it at once.
func (k *keeper) delivered(to string) {
	k.t.Helper()
	id := k.send(to, direct(to))["message_id"]
	k.call("inbox_ack", object{"agent_id": to, "message_ids": []any{id}})
}

const day = 24 * time.Hour

var forever = bus.Windows{Events: 1000 * day, ReadDeliveries: 1000 * day, ClosedSessions: 1000 * day}

func TestRetentionWindow(t *testing.T) {
	windows := map[string]struct {
		keep func(*bus.Windows)
		make func(*keeper)
		got  func(bus.PruneReport) int
	}{
		"events": {
			func(w *bus.Windows) { w.Events = 3 * day },
			func(k *keeper) { k.note(1) },
			func(r bus.PruneReport) int { return r.Tables.Events.Deleted },
		},
		"read deliveries": {
			func(w *bus.Windows) { w.ReadDeliveries = 3 * day },
			func(k *keeper) { k.register("a"); k.delivered("a") },
			func(r bus.PruneReport) int { return r.Tables.Deliveries.Deleted },
		},
		"closed sessions": {
			func(w *bus.Windows) { w.ClosedSessions = 3 * day },
			func(k *keeper) { k.call("session_close", object{"session_id": k.open("a")["session_id"]}) },
			func(r bus.PruneReport) int { return r.Tables.Sessions.Deleted },
		},
	}
	for name, test := range windows {
		t.Run(name, func(t *testing.T) {
			eachKeeper(t, func(k *keeper) {
				p := bus.Pruning{Keep: forever}
				test.keep(&p.Keep)
				test.make(k)
				k.pass(3 * day)
				if r := k.prune(p); r.Total != 0 {
					k.t.Errorf("at the edge of the window it deleted %+v", r)
				}
				k.pass(time.Microsecond)
				if r := k.prune(p); test.got(r) < 1 || r.Total != test.got(r) {
					k.t.Errorf("beyond the window it deleted %+v", r)
				}
				if r := k.prune(p); r.Total != 0 {
					k.t.Errorf("the second time it deleted %+v", r)
				}
			})
		})
	}
}

// With windows of no length everything goes that is over and done with, and
// nothing else.
func TestRetentionLanes(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		stale := k.open("a")["session_id"]
		closed := k.open("b")["session_id"]
		k.call("session_close", object{"session_id": closed})
		k.delivered("a")
		parked := k.send("b", direct("a"))["message_id"]
		for range 6 {
			k.call("inbox_pull", object{"agent_id": "a"})
			k.pass(time.Hour)
		}
		inFlight := k.send("b", direct("a"))["message_id"]
		k.call("inbox_pull", object{"agent_id": "a", "lease_seconds": 3600})
		unread := k.send("b", direct("a"))["message_id"]
		k.pass(time.Minute)

		report := k.prune(bus.Pruning{})
		k.want("deliveries", report.Tables.Deliveries.Deleted, `1`)
		k.want("sessions", report.Tables.Sessions.Deleted, `1`)
		k.want("inbox", k.call("inbox_count", object{"agent_id": "a"}), `{"in_flight":1,"read":0,"unread":1}`)
		var left []any
		for _, m := range messages(k.call("inbox_peek", object{"agent_id": "a", "include_parked": true})) {
			left = append(left, m["message_id"])
		}
		k.want("mail", left, mustText([]any{parked, inFlight, unread}))
		k.want("stale session", k.call("session_heartbeat", object{"session_id": stale})["status"], `"active"`)
		k.fails("session_heartbeat", nexus.NotFound, object{"session_id": closed})
		log := k.log()
		if len(log) != 2 || log[0].Type != "admin.pruned" { // and the heartbeat of the stale session
			k.t.Errorf("the log holds %+v", log)
		}
	})
}

func TestRetentionDryRun(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.call("session_close", object{"session_id": k.open("a")["session_id"]})
		k.delivered("a")
		k.pass(time.Second)
		before := k.log()
		dry := k.prune(bus.Pruning{DryRun: true})
		if diff := cmp.Diff(before, k.log()); diff != "" || k.updates.Load() != 0 {
			k.t.Errorf("a dry run wrote (%d times): %s", k.updates.Load(), diff)
		}
		wet := k.prune(bus.Pruning{})
		if !dry.DryRun || wet.DryRun {
			k.t.Error("the reports do not say which was dry")
		}
		dry.DryRun = false
		if diff := cmp.Diff(dry, wet); diff != "" || wet.Total == 0 {
			k.t.Errorf("the dry run promised something else: %s", diff)
		}
		k.want("report", dry, fmt.Sprintf(`{"dry_run":false,"tables":{"events":{"deleted":%d},"message_deliveries":{"deleted":1},"sessions":{"deleted":1}},"total_deleted":%d,"vacuum":{"ran":false}}`,
			len(before), len(before)+2))
	})
}

// The operation counts unless it is told not to, and takes its windows from the
// settings.
func TestRetentionOperation(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		s := settings()
		s.Keep = bus.Windows{Events: day}
		service := bus.New(bus.Config{Store: store.Of[bus.Tx]{DB: k.db}, Settings: s, Now: k.now, NewID: newID})
		k.note(1)
		k.pass(day)
		k.note(1)
		k.pass(time.Hour)
		no := false
		for _, test := range []struct {
			p    bus.PruneParams
			left int
		}{{bus.PruneParams{}, 2}, {bus.PruneParams{DryRun: &no}, 2}} { // one is gone, and one says so
			report, err := service.Prune(k.t.Context(), test.p)
			if err != nil || report.Total != 1 || len(k.log()) != test.left {
				k.t.Errorf("got %+v, %v, and %d events are left", report, err, len(k.log()))
			}
		}
	})
}

// Each batch is a transaction of its own, so that others can write in between,
// and one event tells of them all.
func TestRetentionBatches(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.register("a")
		k.note(1202) // and the agent's own
		k.pass(time.Second)
		var seen []string
		report := k.prune(bus.Pruning{Progress: func(table string, deleted, of int) {
			seen = append(seen, fmt.Sprintf("%s %d/%d", table, deleted, of))
			k.register("a", object{"role": fmt.Sprint(deleted)})
		}})
		k.want("progress", seen, `["events 500/1203","events 1000/1203","events 1203/1203"]`)
		k.want("events", report.Tables.Events.Deleted, `1203`)
		if got := k.updates.Load(); got != 4 {
			k.t.Errorf("it took %d transactions, want 3 and the event", got)
		}
		var types []string
		for _, e := range k.log() {
			types = append(types, e.Type)
		}
		k.want("log", types, `["agent.updated","agent.updated","agent.updated","admin.pruned"]`)
	})
}

func TestRetentionBounded(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.note(1202)
		k.pass(time.Second)
		for _, want := range []int{1000, 202, 0} {
			if got := k.prune(bus.Pruning{Batches: 2}).Total; got != want {
				k.t.Errorf("a pass of two batches deleted %d, want %d", got, want)
			}
		}
	})
}

// A clock that jumped back leaves young events among old ones.
func TestRetentionDisorder(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		for range 3 {
			k.note(1)
			k.pass(10 * day)
			k.note(1)
			k.pass(-10 * day)
		}
		k.pass(5 * day)
		k.want("deleted", k.prune(bus.Pruning{Keep: bus.Windows{Events: day}}).Total, `3`)
		k.want("left", len(k.log()), `4`)
	})
}

func TestRetentionEvent(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.prune(bus.Pruning{})
		k.want("nothing to tell", len(k.log()), `0`)
		k.note(2)
		k.pass(time.Second)
		ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindOperator})
		if _, err := k.service.PruneBy(ctx, bus.Pruning{}); err != nil {
			k.t.Fatal(err)
		}
		log := k.log()
		if len(log) != 1 || log[0].Type != "admin.pruned" || log[0].Stream != nexus.StreamSystem || log[0].WorkspaceID != "" || log[0].Actor != "operator" {
			k.t.Fatalf("got %+v", log)
		}
		k.want("payload", log[0].Payload,
			`{"actor":"operator","tables":{"events":{"deleted":2},"message_deliveries":{"deleted":0},"sessions":{"deleted":0}},"total_deleted":2}`)
	})
}

func TestRetentionDenied(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.note(1)
		k.pass(time.Second)
		ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"})
		if _, err := k.service.PruneBy(ctx, bus.Pruning{DryRun: true}); nexus.CodeOf(err) != nexus.PermissionDenied {
			k.t.Errorf("got %v, want PERMISSION_DENIED", err)
		}
	})
}

// A prune that is repeated under its idempotency key gets the first answer.
func TestRetentionIdempotency(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.note(700)
		k.pass(time.Second)
		ctx := nexus.WithIdempotency(k.t.Context(), nexus.Idempotency{Op: "admin_prune", Key: "k", Body: "b"})
		first, err := k.service.PruneBy(ctx, bus.Pruning{})
		if err != nil || first.Total != 700 {
			k.t.Fatalf("got %+v, %v", first, err)
		}
		k.pass(time.Second)
		again, err := k.service.PruneBy(ctx, bus.Pruning{})
		if diff := cmp.Diff(first, again); err != nil || diff != "" {
			k.t.Errorf("the repeat got another answer: %v %s", err, diff)
		}
	})
}

// A prune that is stopped has deleted whole batches, and the log says which.
func TestRetentionStopped(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.note(1200)
		k.pass(time.Second)
		keyed := nexus.WithIdempotency(k.t.Context(), nexus.Idempotency{Op: "admin_prune", Key: "k", Body: "b"})
		ctx, cancel := context.WithCancel(keyed)
		report, err := k.service.PruneBy(ctx, bus.Pruning{Progress: func(string, int, int) { cancel() }})
		if err == nil || report.Total != 500 {
			k.t.Errorf("got %+v, %v", report, err)
		}
		log := k.log()
		if len(log) != 701 || log[700].Type != "admin.pruned" {
			k.t.Errorf("%d events are left", len(log))
		}
		if again, err := k.service.PruneBy(keyed, bus.Pruning{}); err != nil || again.Total != 700 {
			k.t.Errorf("made again it got %+v, %v, want the rest", again, err)
		}
	})
}

// Two who prune at once delete every row once.
func TestRetentionTwice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		keepers := []*keeper{newKeeper(t, o.Open(t)), newKeeper(t, o.Open(t))}
		keepers[0].note(2000)
		var deleted atomic.Int64
		var wg sync.WaitGroup
		for _, k := range keepers {
			k.pass(time.Second)
			wg.Go(func() {
				report, err := k.service.PruneBy(t.Context(), bus.Pruning{})
				if err != nil {
					t.Error(err)
				}
				deleted.Add(int64(report.Total))
			})
		}
		wg.Wait()
		if deleted.Load() != 2000 {
			t.Errorf("2000 rows were deleted %d times", deleted.Load())
		}
	})
}
