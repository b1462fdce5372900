package bus_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
	"nexus/store/storetest"
)

// counted counts the transactions of a store.
type counted struct {
	store.Of[bus.Tx]
	updates *atomic.Int64
}

func (c counted) Update(ctx context.Context, fn func(bus.Tx) (any, error)) (any, error) {
	c.updates.Add(1)
	return c.Of.Update(ctx, fn)
}

// A writing operation is one transaction, or repeating it would not be safe; a
// reading one is none that writes.
func TestOneUpdatePerWrite(t *testing.T) {
	k := newKit(t, storetest.SQLite(t).Open(t), settings())
	var updates atomic.Int64
	ops, err := op.NewCatalogue(op.BusOps(bus.New(bus.Config{
		Store: counted{store.Of[bus.Tx]{DB: storetest.SQLite(t).Open(t)}, &updates}, Settings: settings(), Now: k.now, Home: t.TempDir(),
		NewID: newID,
	}))...)
	if err != nil {
		t.Fatal(err)
	}
	k.ops = ops
	session := k.open("a")
	k.call("channel_list", object{"project_root": k.root}) // the first listing makes the channel
	k.send("a", direct("a"))
	here := object{"project_root": k.root}
	me := object{"agent_id": "a"}
	// work is a hand-off in the state that a verb needs.
	work := func(verbs ...string) object {
		h := k.handoff(anybody, object{"from_agent_id": "a", "verify_by": object{"kind": "creator"}})
		for _, verb := range verbs {
			k.call(verb, k.on(h, "a"))
		}
		return k.on(h, "a")
	}
	verdict := work("handoff_claim", "handoff_complete")
	verdict["verdict"] = "accept"
	task := k.call("task_create", object{"project_root": k.root, "agent_id": "a", "title": "x"})["task_id"]
	artifact := k.call("artifact_put", object{"project_root": k.root, "artifact_type": "text", "content": "x"})["artifact_id"]
	k.register("gone")
	k.register("keyed")
	extraKey := k.call("key_create", object{"agent_id": "keyed"})["key_id"]
	preset := k.call("preset_create", object{"name": "one", "flags": object{}})["preset_id"]
	unused := k.call("preset_create", object{"name": "two", "flags": object{}})["preset_id"]
	parked := k.parked("a")
	k.send("a", direct("a"))
	arguments := map[string]object{
		"inbox_wait": me, "inbox_requeue": {"agent_id": "a", "message_ids": parked},
		"artifact_put": {"project_root": k.root, "artifact_type": "text", "content": "x"},
		"artifact_get": {"project_root": k.root, "artifact_id": artifact}, "shared_md_render": {"workspace_id": session["workspace_id"]},
		"handoff_create":         {"project_root": k.root, "from_agent_id": "a", "target": anybody, "visibility": "public"},
		"handoff_list_available": {"project_root": k.root, "agent_id": "a"},
		"handoff_claim":          work(), "handoff_get": work(), "handoff_cancel": work(), "handoff_renew": work("handoff_claim"),
		"handoff_complete": work("handoff_claim"), "handoff_reject": work("handoff_claim"), "handoff_verify": verdict,
		"handoff_requeue": work("handoff_claim", "handoff_reject"),
		"task_create":     {"project_root": k.root, "agent_id": "a", "title": "y"},
		"task_update":     {"project_root": k.root, "agent_id": "a", "task_id": task, "priority": 3},
		"task_get":        {"project_root": k.root, "task_id": task}, "task_list": here,
		"workspace_resolve": here, "agent_register": me, "agent_get": me,
		"agent_create": {"agent_id": "new"}, "agent_regenerate_key": me, "agent_directory": {}, "agent_entry": me,
		"agent_update": {"agent_id": "a", "role": "x"}, "agent_delete": {"agent_id": "gone"},
		"key_list": me, "key_create": me, "key_revoke": {"agent_id": "keyed", "key_id": extraKey},
		"preset_create": {"name": "mine", "flags": object{}}, "preset_update": {"preset_id": preset, "name": "other"},
		"preset_delete":     {"preset_id": unused},
		"session_open":      {"agent_id": "a", "workspace_id": session["workspace_id"]},
		"session_heartbeat": {"session_id": session["session_id"]}, "session_close": {"session_id": session["session_id"]},
		"event_get":      {"project_root": k.root, "agent_id": "a", "stream": "workspace"},
		"event_wait":     {"project_root": k.root, "agent_id": "a", "stream": "workspace"},
		"message_create": {"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b"},
		"channel_create": {"project_root": k.root, "name": "x"}, "channel_list": here,
		"inbox_pull": me, "inbox_ack": {"agent_id": "a", "message_ids": "x"}, "inbox_peek": me, "inbox_count": me, "inbox_history": me,
		"inbox_extend":   {"agent_id": "a", "message_ids": k.pulled("a"), "extend_seconds": 60},
		"message_status": {"message_id": k.send("a", direct("a"))["message_id"]},
		"observe_graph":  {}, "observe_messages": {}, "observe_search": {"q": "x"}, "observe_handoffs": {}, "observe_sessions": {},
		"observe_message": {"message_id": k.send("a", direct("a"))["message_id"]}, "observe_handoff": {"handoff_id": work()["handoff_id"]},
		"observe_events": {}, "observe_peers": {"agent": "a"}, "observe_workspaces": {}, "observe_tasks": {}, "observe_artifacts": {},
		"observe_attention": {}, "observe_activity": {}, "observe_artifact": {"artifact_id": artifact},
		"observe_analytics":    {"workspace_id": session["workspace_id"]},
		"admin_close_session":  {"session_id": k.open("a")["session_id"]},
		"admin_cancel_handoff": {"handoff_id": work()["handoff_id"], "workspace": session["workspace_id"]},
	}
	for _, o := range ops.On(op.AllFaces) {
		if o.AnyArguments || o.Name == "admin_prune" || o.Name == "admin_reset" {
			continue // it only says what to call instead; it is a transaction a batch; it has a test of its own
		}
		given, listed := arguments[o.Name]
		if !listed && len(o.Arguments()) > 0 {
			t.Errorf("say in this test how %s is called", o.Name)
			continue
		}
		before := updates.Load()
		k.call(o.Name, given)
		want := int64(1)
		if o.Effect == op.Read || o.Name == "shared_md_render" { // which writes a file, not the store
			want = 0
		}
		if got := updates.Load() - before; got != want {
			t.Errorf("%s is %d writing transactions, want %d", o.Name, got, want)
		}
	}
}

// parked is a message that an agent was handed too often.
func (k *kit) parked(agent string) any {
	id := k.send(agent, direct(agent))["message_id"]
	for range 6 {
		k.call("inbox_pull", object{"agent_id": agent})
		k.pass(10 * time.Minute)
	}
	return id
}

// pulled are the ids of the messages in flight after a pull.
func (k *kit) pulled(agent string) []any {
	ids := []any{}
	for _, m := range messages(k.call("inbox_pull", object{"agent_id": agent})) {
		ids = append(ids, m["message_id"])
	}
	return ids
}

// Under normal load no two transactions get in each other's way so that one of
// them must run again.
func TestNoReruns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		dbs := []*store.DB{o.Open(t), o.Open(t)}
		kits := []*kit{newKit(t, dbs[0], settings()), newKit(t, dbs[1], settings())}
		kits[1].root = kits[0].root
		names := []string{"a", "b", "c", "d"}
		for _, name := range names {
			kits[0].register(name, object{"capabilities": []string{"go"}})
		}
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				k, me := kits[worker%2], names[worker%len(names)]
				for i := range 15 {
					k.send(me, direct(names[(worker+i)%len(names)]))
					k.send(me, object{"strategy": "capability", "capability": "go"})
					k.call("inbox_ack", object{"agent_id": me, "message_ids": k.pulled(me)})
					k.register(me, object{"capabilities": []string{"go", fmt.Sprint(i)}})
				}
			})
		}
		wg.Wait()
		for _, db := range dbs {
			if n := db.Stats()["store_reruns_total"]; n != 0 {
				t.Errorf("%v transactions ran again", n)
			}
		}
	})
}

// What agents hold is what they were sent, through whichever database handle.
func TestEverythingArrivesOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		kits := []*kit{newKit(t, o.Open(t), settings()), newKit(t, o.Open(t), settings())}
		kits[1].root = kits[0].root
		kits[0].register("a")
		var mu sync.Mutex
		var sent, got []string
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for range 20 {
					id := kits[worker%2].send("a", direct("a"))["message_id"].(string)
					mu.Lock()
					sent = append(sent, id)
					mu.Unlock()
				}
			})
			wg.Go(func() {
				for range 20 {
					for _, id := range kits[worker%2].pulled("a") {
						mu.Lock()
						got = append(got, id.(string))
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		for ids := kits[0].pulled("a"); len(ids) > 0; ids = kits[0].pulled("a") {
			for _, id := range ids {
				got = append(got, id.(string))
			}
		}
		slices.Sort(sent)
		slices.Sort(got)
		if !slices.Equal(sent, got) {
			t.Errorf("%d were sent and %d arrived", len(sent), len(got))
		}
	})
}

var _ nexus.Store[bus.Tx] = counted{}
