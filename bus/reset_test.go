package bus_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store/storetest"
)

// fillAll leaves something in every table of the bus that an agent can reach.
func (k *keeper) fillAll() {
	k.t.Helper()
	k.open("a")
	k.register("b", object{"capabilities": []string{"go"}})
	k.call("agent_create", object{"agent_id": "keyed"})
	k.call("channel_create", object{"project_root": k.root, "name": "design"})
	first := k.send("a", direct("b"), object{"idempotency_key": "once"})
	k.send("b", direct("a"), object{"parent_message_id": first["message_id"]})
	k.delivered("a")
	task := k.call("task_create", object{"project_root": k.root, "agent_id": "a", "title": "x"})["task_id"]
	k.call("task_create", object{"project_root": k.root, "agent_id": "a", "title": "y", "parent_id": task, "depends_on": []any{task}})
	h := k.handoff(anybody, object{"from_agent_id": "a"})
	k.handoff(anybody, object{"from_agent_id": "a", "depends_on": []any{h["handoff_id"]}})
	k.call("artifact_put", object{"project_root": k.root, "artifact_type": "text", "content": "x"})
}

func (k *keeper) reset(arguments object) bus.ResetReport {
	k.t.Helper()
	var p bus.ResetParams
	if keep, ok := arguments["keep_agents"].(bool); ok {
		p.KeepAgents = &keep
	}
	report, err := k.service.Reset(nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindOperator}), p)
	if err != nil {
		k.t.Fatal(err)
	}
	return report
}

func TestResetKeepsAgents(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.fillAll()
		before := k.log()
		last := before[len(before)-1].ID
		agents := k.call("agent_list", nil)
		capabilities := k.call("capability_list", nil)

		report := k.reset(nil)
		if k.updates.Load() != 1 {
			k.t.Errorf("it was %d transactions", k.updates.Load())
		}
		k.want("kept", report.KeptAgents, `true`)
		k.want("vacuumed", report.Vacuumed, `true`)
		for table, n := range map[string]int64{
			"events": int64(len(before)), "messages": 3, "message_deliveries": 3, "channels": 1, "sessions": 1, "workspaces": 1,
			"tasks": 2, "task_dependencies": 1, "handoffs": 2, "handoff_dependencies": 1, "artifacts": 1, "idempotency_keys": 1, "settings": 0,
		} {
			if got, known := report.Deleted[table]; !known || got != n {
				k.t.Errorf("%d rows of %s were deleted (%v), want %d", got, table, known, n)
			}
		}
		for _, table := range []string{"agents", "agent_capabilities", "api_keys", "permission_presets", "sign_ins", "schema_migrations", "event_counter"} {
			if _, gone := report.Deleted[table]; gone {
				k.t.Errorf("%s was emptied", table)
			}
		}
		log := k.log()
		if len(log) != 1 || log[0].Type != "store.reset" || log[0].ID != last+1 || log[0].Actor != "operator" || log[0].Stream != nexus.StreamSystem {
			k.t.Fatalf("after event %d the log holds %+v", last, log)
		}
		k.want("payload", log[0].Payload, mustText(object{"actor": "operator", "deleted": report.Deleted, "kept_agents": true}))
		k.want("agents", k.call("agent_list", nil), mustText(agents))
		k.want("capabilities", k.call("capability_list", nil), mustText(capabilities))
		k.want("inbox", k.call("inbox_count", object{"agent_id": "a"}), `{"in_flight":0,"read":0,"unread":0}`)
		k.want("workspaces", k.call("workspace_list", nil)["workspaces"], `[]`)
		k.send("a", direct("b"), object{"idempotency_key": "once"}) // what was said before is no answer any more
		k.want("unread", k.call("inbox_count", object{"agent_id": "b"})["unread"], `1`)
	})
}

func TestResetEverything(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.fillAll()
		last := k.log()[len(k.log())-1].ID
		report := k.reset(object{"keep_agents": false})
		k.want("kept", report.KeptAgents, `false`)
		for table, n := range map[string]int64{"agents": 3, "agent_capabilities": 1, "api_keys": 1} {
			k.want(table, report.Deleted[table], mustText(n))
		}
		k.want("agents", k.call("agent_list", nil)["agents"], `[]`)
		again := k.reset(object{"keep_agents": false})
		if again.Deleted["events"] != 1 {
			k.t.Errorf("the second reset deleted %v", again.Deleted)
		}
		delete(again.Deleted, "events")
		if slices.Max(slices.Collect(maps.Values(again.Deleted))) != 0 {
			k.t.Errorf("the first reset left %v", again.Deleted)
		}
		k.fillAll()
		if log := k.log(); log[0].ID != last+2 || log[len(log)-1].ID != last+1+int64(len(log)) {
			k.t.Errorf("the numbers after %d are %d to %d", last, log[0].ID, log[len(log)-1].ID)
		}
	})
}

func TestResetOperatorOnly(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.fillAll()
		before := len(k.log())
		ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"})
		if _, err := k.service.Reset(ctx, bus.ResetParams{}); nexus.CodeOf(err) != nexus.PermissionDenied {
			k.t.Errorf("an agent got %v", err)
		}
		if after := len(k.log()); after != before {
			k.t.Errorf("%d events of %d are left", after, before)
		}
	})
}

// A reset that is repeated under its key, because its answer was lost, is the
// same reset: what was made since stays.
func TestResetRepeated(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.fillAll()
		first := k.call("admin_reset", object{"idempotency_key": "r1"})
		k.send("a", direct("b"))
		second := k.call("admin_reset", object{"idempotency_key": "r1"})
		k.want("deleted", second["deleted"], mustText(first["deleted"]))
		k.want("unread", k.call("inbox_count", object{"agent_id": "b"})["unread"], `1`)
	})
}

// Whoever waits when the store is emptied goes on waiting, and gets what comes.
func TestResetWhileWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		here, there := newKeeper(t, o.Open(t)), newKeeper(t, o.Open(t))
		there.root = here.root
		waiters := map[string]*keeper{"b": here, "c": there}
		for _, name := range []string{"a", "b", "c"} {
			here.register(name)
		}
		cursor := here.log()[len(here.log())-1].ID
		got := make(chan object, 2)
		for name, k := range waiters {
			go func() { got <- k.call("inbox_wait", object{"agent_id": name, "timeout_seconds": 30}) }()
			await(t, func() bool { return k.db.Stats()["store_waiters"] >= 1 })
		}
		there.reset(nil)
		if log := here.log(); len(log) != 1 || log[0].ID <= cursor {
			t.Errorf("a reader at %d finds %+v", cursor, log)
		}
		for name := range waiters {
			id := here.send("a", direct(name))["message_id"]
			if mail := messages(<-got); len(mail) != 1 || mail[0]["message_id"] != id {
				t.Errorf("%s got %v, want message %v", name, mail, id)
			}
		}
	})
}

func await(t *testing.T, look func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !look() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it did not happen")
		}
	}
}

// Emptying the store under load fails nobody in a way that a repetition does not
// mend, and leaves no half of anything.
func TestResetUnderLoad(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		k := newKeeper(t, o.Open(t))
		k.register("a")
		raw, err := op.Marshal(object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if _, err := k.ops.Lookup("message_create").Call(t.Context(), raw); nexus.CodeOf(err) == nexus.Internal {
						t.Errorf("sending while the store is emptied: %v", err)
					}
				}
			})
		}
		for range 5 {
			_, err := k.service.Reset(t.Context(), bus.ResetParams{})
			if err != nil && nexus.AsError(err).Details["retryable"] != true {
				t.Errorf("emptying the store under load: %v", err)
			}
		}
		close(done)
		writers.Wait()
		k.reset(nil)
		k.send("a", direct("a"))
	})
}
