package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"nexus"
)

// handoff creates one and returns its answer.
func (k *kit) handoff(target any, more ...object) object {
	k.t.Helper()
	arguments := object{"project_root": k.root, "from_agent_id": "boss", "target": target, "visibility": "public", "payload": "do it"}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	return k.call("handoff_create", arguments)
}

// on are the arguments of a verb on a hand-off.
func (k *kit) on(h object, agent string, more ...object) object {
	arguments := object{"project_root": k.root, "handoff_id": h["handoff_id"], "agent_id": agent}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	return arguments
}

func (k *kit) status(h object) string {
	k.t.Helper()
	return k.call("handoff_get", k.on(h, "boss"))["status"].(string)
}

// available are the ids of the work an agent could take.
func (k *kit) available(agent string) []any {
	k.t.Helper()
	ids := []any{}
	for _, h := range k.call("handoff_list_available", object{"project_root": k.root, "agent_id": agent})["handoffs"].([]any) {
		ids = append(ids, h.(object)["handoff_id"])
	}
	return ids
}

var anybody = object{"strategy": "broadcast"}

func TestHandoffLife(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		h := k.handoff(direct("worker"), object{"payload": object{"a": 1}})
		k.want("notified", h["notified"], `["worker"]`)
		if _, pool := h["eligible_count"]; pool {
			k.t.Error("a directed hand-off counts a pool")
		}
		notice := messages(k.call("inbox_pull", object{"agent_id": "worker"}))[0]
		k.want("subject", notice["subject"], fmt.Sprintf(`"handoff %s directed to you"`, h["handoff_id"]))
		var body object
		if err := json.Unmarshal([]byte(notice["body"].(string)), &body); err != nil || body["kind"] != "handoff.directed" || body["payload"] != `{"a":1}` {
			k.t.Errorf("the notice says %v", notice["body"])
		}
		k.want("available", k.available("worker"), mustText([]any{h["handoff_id"]}))
		k.want("not for the boss", k.available("boss"), `[]`)

		claim := k.call("handoff_claim", k.on(h, "worker"))
		k.want("claim", []any{claim["status"], claim["claimed_by"], claim["payload"], claim["attempt"]}, `["CLAIMED","worker","{\"a\":1}",1]`)
		k.want("lease", claim["lease_expires_at"], fmt.Sprintf("%q", nexus.Stamp(k.now().Add(5*time.Minute))))
		k.want("none available", k.available("worker"), `[]`)

		done := k.call("handoff_complete", k.on(h, "worker", object{"result": `{"looks":"like JSON"}`, "attempt": 1}))
		k.want("done", done, fmt.Sprintf(`{"handoff_id":%q,"notified":["boss"],"status":"COMPLETED","unread":0}`, h["handoff_id"]))
		got := k.call("handoff_get", k.on(h, "boss"))
		k.want("result", got["result"], `"{\"looks\":\"like JSON\"}"`)
		outcome := messages(k.call("inbox_pull", object{"agent_id": "boss"}))[0]
		k.want("outcome", outcome["subject"], fmt.Sprintf(`"handoff %s completed by worker"`, h["handoff_id"]))

		page := k.call("event_get", object{"project_root": k.root, "agent_id": "boss", "stream": "handoff", "filters": object{"handoff_id": h["handoff_id"]}})
		var types []any
		for _, e := range page["events"].([]any) {
			types = append(types, e.(object)["type"])
		}
		k.want("events", types, `["handoff.created","handoff.claimed","handoff.completed"]`)
		k.want("no mail in the log", k.types("boss"), `[]`)
	})
}

func TestHandoffTransitions(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "worker", "other"} {
			k.register(name)
		}
		// reach brings a new hand-off into a state.
		reach := func(state string) object {
			h := k.handoff(anybody)
			switch state {
			case "CLAIMED":
				k.call("handoff_claim", k.on(h, "worker"))
			case "COMPLETED":
				k.call("handoff_claim", k.on(h, "worker"))
				k.call("handoff_complete", k.on(h, "worker"))
			case "REJECTED":
				k.call("handoff_claim", k.on(h, "worker"))
				k.call("handoff_reject", k.on(h, "worker", object{"reason": "no"}))
			case "CANCELLED":
				k.call("handoff_cancel", k.on(h, "boss"))
			}
			return h
		}
		tests := []struct {
			state, verb, agent string
			code               nexus.Code
		}{
			{"OPEN", "handoff_complete", "worker", nexus.InvalidTransition},
			{"OPEN", "handoff_reject", "worker", nexus.NotOwner},
			{"OPEN", "handoff_cancel", "worker", nexus.NotOwner},
			{"OPEN", "handoff_renew", "worker", nexus.InvalidTransition},
			{"OPEN", "handoff_requeue", "boss", nexus.InvalidTransition},
			{"CLAIMED", "handoff_claim", "other", nexus.AlreadyClaimed},
			{"CLAIMED", "handoff_claim", "worker", nexus.AlreadyClaimed},
			{"CLAIMED", "handoff_complete", "other", nexus.NotOwner},
			{"CLAIMED", "handoff_reject", "other", nexus.NotOwner},
			{"CLAIMED", "handoff_cancel", "boss", nexus.InvalidTransition},
			{"COMPLETED", "handoff_claim", "other", nexus.AlreadyClaimed},
			{"COMPLETED", "handoff_complete", "worker", nexus.InvalidTransition},
			{"COMPLETED", "handoff_reject", "worker", nexus.InvalidTransition},
			{"COMPLETED", "handoff_cancel", "boss", nexus.InvalidTransition},
			{"COMPLETED", "handoff_requeue", "boss", nexus.InvalidTransition},
			{"REJECTED", "handoff_claim", "worker", nexus.AlreadyClaimed},
			{"REJECTED", "handoff_cancel", "boss", nexus.InvalidTransition},
			{"CANCELLED", "handoff_claim", "worker", nexus.AlreadyClaimed},
			{"CANCELLED", "handoff_requeue", "boss", nexus.InvalidTransition},
		}
		for _, test := range tests {
			h := reach(test.state)
			k.fails(test.verb, test.code, k.on(h, test.agent))
			if got := k.status(h); got != test.state {
				k.t.Errorf("%s of %s moved it to %s", test.verb, test.state, got)
			}
		}
		for _, verb := range []string{"handoff_claim", "handoff_complete", "handoff_reject", "handoff_cancel", "handoff_get", "handoff_renew"} {
			k.fails(verb, nexus.WorkspaceRequired, object{"handoff_id": "x", "agent_id": "a"})
			k.fails(verb, nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place", "handoff_id": "x", "agent_id": "a"})
			k.fails(verb, nexus.ValidationError, object{"project_root": k.root, "agent_id": "a"})
			k.fails(verb, nexus.ValidationError, object{"project_root": k.root, "handoff_id": "x"})
			k.fails(verb, nexus.NotFound, object{"project_root": k.root, "handoff_id": "hof_none", "agent_id": "a"})
			k.fails(verb, nexus.WorkspaceMismatch, object{"project_root": k.t.TempDir(), "handoff_id": reach("OPEN")["handoff_id"], "agent_id": "boss"})
		}
	})
}

func TestHandoffCreateRefuses(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		good := object{"project_root": k.root, "from_agent_id": "boss", "target": anybody, "visibility": "public"}
		for _, test := range []struct {
			code nexus.Code
			with object
		}{
			{nexus.WorkspaceRequired, object{"project_root": nil}},
			{nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place"}},
			{nexus.ValidationError, object{"from_agent_id": nil}},
			{nexus.ValidationError, object{"target": nil}},
			{nexus.ValidationError, object{"target": object{}}},
			{nexus.ValidationError, object{"target": object{"strategy": "pigeon"}}},
			{nexus.ValidationError, object{"visibility": nil}},
			{nexus.ValidationError, object{"visibility": "secret"}},
			{nexus.NotFound, object{"target": direct("nobody")}},
			{nexus.ContentTooLarge, object{"payload": fmt.Sprintf("%065537d", 1)}},
			{nexus.ValidationError, object{"priority": 101}},
			{nexus.ValidationError, object{"max_attempts": 0}},
			{nexus.ValidationError, object{"expires_at": "soon"}},
			{nexus.ValidationError, object{"expires_at": "2020-01-01T00:00:00Z"}},
			{nexus.NotFound, object{"depends_on": []string{"hof_none"}}},
			{nexus.ValidationError, object{"depends_on": []string{"a", "a"}}},
			{nexus.ValidationError, object{"acceptance_criteria": []string{" "}}},
			{nexus.ValidationError, object{"verify_by": object{"kind": "king"}}},
			{nexus.NotFound, object{"task_id": "tsk_none"}},
			{nexus.NotFound, object{"session_id": "ses_none"}},
		} {
			arguments := object{}
			for _, m := range []object{good, test.with} {
				for key, value := range m {
					arguments[key] = value
				}
			}
			k.fails("handoff_create", test.code, arguments)
		}
		k.want("nothing was offered", k.available("boss"), `[]`)
	})
}

func TestHandoffPools(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("gopher", object{"capabilities": []string{"go", "sql"}, "role": "dev"})
		k.register("painter", object{"role": "artist"})
		tests := []struct {
			target  object
			count   string
			gopher  bool
			painter bool
		}{
			{object{"strategy": "capability", "capability": []string{"go", "css"}}, `1`, true, false},
			{object{"strategy": "role", "role": "artist"}, `1`, false, true},
			{anybody, `3`, true, true},
			{object{"strategy": "mixed", "rules": []object{{"strategy": "capability", "capability": "sql"}, {"strategy": "role", "role": "artist"}}}, `2`, true, true},
			{object{"strategy": "role", "role": "king"}, `0`, false, false},
		}
		for _, test := range tests {
			h := k.handoff(test.target)
			k.want(mustText(test.target), h["eligible_count"], test.count)
			if (h["warning"] != nil) != (test.count == `0`) {
				k.t.Errorf("%v: warning %v", test.target, h["warning"])
			}
			for agent, may := range map[string]bool{"gopher": test.gopher, "painter": test.painter} {
				k.want(agent, len(k.available(agent)) == 1, fmt.Sprint(may))
				if !may {
					k.fails("handoff_claim", nexus.NotEligible, k.on(h, agent))
				}
			}
			k.call("handoff_cancel", k.on(h, "boss"))
		}
	})
}

// Seeing is not claiming, and what is not public is seen by those it is for.
func TestHandoffVisibility(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "worker", "stranger"} {
			k.register(name)
		}
		for _, test := range []struct {
			visibility string
			sees       bool
		}{{"public", true}, {"eligible", false}, {"private", false}} {
			h := k.handoff(direct("worker"), object{"visibility": test.visibility})
			k.call("handoff_get", k.on(h, "worker"))
			k.call("handoff_get", k.on(h, "boss"))
			_, err := k.try("handoff_get", k.on(h, "stranger"))
			if (err == nil) != test.sees || err != nil && err.Code != nexus.NotOwner {
				k.t.Errorf("%s: a stranger gets %v", test.visibility, err)
			}
			k.want("a stranger's work", k.available("stranger"), `[]`)
			k.fails("handoff_claim", nexus.NotEligible, k.on(h, "stranger"))
			page := k.call("event_get", object{"project_root": k.root, "agent_id": "stranger", "stream": "handoff", "filters": object{"handoff_id": h["handoff_id"]}})
			k.want("a stranger's log", len(page["events"].([]any)) == 1, fmt.Sprint(test.sees))
		}
	})
}

func TestHandoffFallback(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "first", "second"} {
			k.register(name)
		}
		h := k.handoff(object{"strategy": "direct_with_fallback", "agent_id": "first", "fallback_after_seconds": 60})
		k.want("notified", h["notified"], `["first"]`)
		k.want("first", len(k.available("first")), `1`)
		k.want("second", k.available("second"), `[]`)
		k.pass(time.Minute - time.Microsecond)
		k.want("second, just before", k.available("second"), `[]`)
		k.fails("handoff_claim", nexus.NotEligible, k.on(h, "second"))
		k.pass(time.Microsecond)
		k.want("second, at the moment", len(k.available("second")), `1`)
		k.call("handoff_claim", k.on(h, "second"))
		later := k.handoff(object{"strategy": "direct_with_fallback", "agent_id": "not yet registered", "fallback_after_seconds": 0})
		if _, told := later["notified"]; told {
			k.t.Error("one who is not registered was told")
		}
	})
}

// A lease that lapses is lost at that moment, and a stale worker cannot
// overwrite its successor.
func TestHandoffLease(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "slow", "quick"} {
			k.register(name)
		}
		h := k.handoff(anybody)
		k.call("handoff_claim", k.on(h, "slow"))
		k.pass(5 * time.Minute)
		k.want("held until the very end", k.available("quick"), `[]`)
		renewed := k.call("handoff_renew", k.on(h, "slow", object{"attempt": 1, "lease_seconds": 10}))
		k.want("renewed", renewed["lease_expires_at"], fmt.Sprintf("%q", nexus.Stamp(k.now().Add(10*time.Second))))
		k.pass(10*time.Second + time.Microsecond)

		k.fails("handoff_complete", nexus.InvalidTransition, k.on(h, "slow"))
		k.fails("handoff_complete", nexus.LeaseLost, k.on(h, "slow", object{"attempt": 1}))
		k.want("open again", k.status(h), `"OPEN"`)
		claim := k.call("handoff_claim", k.on(h, "quick"))
		k.want("attempt", claim["attempt"], `2`)
		k.fails("handoff_complete", nexus.NotOwner, k.on(h, "slow"))
		for _, verb := range []string{"handoff_complete", "handoff_reject", "handoff_renew"} {
			k.fails(verb, nexus.LeaseLost, k.on(h, "slow", object{"attempt": 1}))
			k.fails(verb, nexus.LeaseLost, k.on(h, "quick", object{"attempt": 1}))
		}
		k.fails("handoff_complete", nexus.NotOwner, k.on(h, "slow", object{"attempt": 2})) // it is quick's
		k.call("handoff_complete", k.on(h, "quick", object{"attempt": 2}))
		for _, verb := range []string{"handoff_complete", "handoff_reject", "handoff_renew"} {
			k.fails(verb, nexus.InvalidTransition, k.on(h, "quick", object{"attempt": 2})) // it lost nothing
			k.fails(verb, nexus.LeaseLost, k.on(h, "slow", object{"attempt": 1}))
		}
		k.fails("handoff_complete", nexus.InvalidTransition, k.on(k.handoff(anybody), "slow", object{"attempt": 1})) // nobody's yet
		page := k.call("event_get", object{"project_root": k.root, "agent_id": "boss", "stream": "handoff", "filters": object{"type": "handoff.expired"}})
		events := page["events"].([]any)
		if len(events) != 1 {
			k.t.Fatalf("%d leases lapsed", len(events))
		}
		k.want("who lost it", events[0].(object)["payload"].(object)["previous_claimed_by"], `"slow"`)
		k.want("by nobody", events[0].(object)["actor_agent_id"], `null`)
	})
}

func TestHandoffParking(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		h := k.handoff(anybody, object{"max_attempts": 2})
		for range 2 {
			k.call("handoff_claim", k.on(h, "worker"))
			k.pass(6 * time.Minute)
		}
		k.want("parked", k.status(h), `"PARKED"`)
		k.want("nothing to take", k.available("worker"), `[]`)
		k.want("the creator is told", k.call("inbox_count", object{"agent_id": "boss"})["unread"], `1`)
		k.fails("handoff_requeue", nexus.NotOwner, k.on(h, "worker"))
		k.call("handoff_requeue", k.on(h, "boss"))
		k.want("attempts go on", k.call("handoff_claim", k.on(h, "worker"))["attempt"], `3`)
		k.pass(6 * time.Minute)
		k.want("and has two again", k.status(h), `"OPEN"`)
	})
}

func TestHandoffDeadline(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		soon := nexus.Stamp(k.now().Add(time.Minute))
		open := k.handoff(anybody, object{"expires_at": soon})
		taken := k.handoff(anybody, object{"expires_at": soon})
		k.call("handoff_claim", k.on(taken, "worker"))
		k.pass(time.Minute)
		k.want("nobody took it", k.status(open), `"EXPIRED"`)
		k.want("somebody is at it", k.status(taken), `"CLAIMED"`)
		k.fails("handoff_claim", nexus.AlreadyClaimed, k.on(open, "worker"))
		k.pass(5 * time.Minute)
		k.want("given up too late", k.status(taken), `"EXPIRED"`)
		k.call("handoff_requeue", k.on(open, "boss"))
		k.want("offered again", k.available("worker"), mustText([]any{open["handoff_id"]}))
	})
}

func TestHandoffPriority(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		var want []any
		for _, p := range []int{0, 5, -5, 5} {
			want = append(want, k.handoff(anybody, object{"priority": p})["handoff_id"])
		}
		want = []any{want[1], want[3], want[0], want[2]}
		k.want("all", k.available("boss"), mustText(want))
		var got []any
		arguments := object{"project_root": k.root, "agent_id": "boss", "limit": 1}
		for range 4 {
			page := k.call("handoff_list_available", arguments)
			first := page["handoffs"].([]any)[0].(object)["handoff_id"]
			got = append(got, first)
			arguments["cursor"] = page["next_cursor"]
			// What is taken between two pages hides nothing.
			k.call("handoff_claim", object{"project_root": k.root, "agent_id": "boss", "handoff_id": first})
		}
		k.want("by pages", got, mustText(want))
		for _, cursor := range []any{"x", "5", "-1", true} {
			k.fails("handoff_list_available", nexus.ValidationError, object{"project_root": k.root, "agent_id": "boss", "cursor": cursor})
		}
		for _, bad := range []object{{"limit": 0}, {"limit": true}, {"timeout_seconds": -1}, {"timeout_seconds": "soon"}, {"agent_id": nil}} {
			arguments := object{"project_root": k.root, "agent_id": "boss"}
			for key, value := range bad {
				arguments[key] = value
			}
			k.fails("handoff_list_available", nexus.ValidationError, arguments)
		}
		k.fails("handoff_list_available", nexus.WorkspaceRequired, object{"agent_id": "boss"})
	})
}

func TestHandoffDependencies(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		first, second := k.handoff(anybody), k.handoff(anybody)
		last := k.handoff(anybody, object{"depends_on": []any{first["handoff_id"], second["handoff_id"]}})
		k.want("two to do", len(k.available("boss")), `2`)
		k.fails("handoff_claim", nexus.InvalidTransition, k.on(last, "boss"))
		k.want("blocked", k.call("handoff_get", k.on(last, "boss"))["blocked"], `true`)
		for i, h := range []object{first, second} {
			k.call("handoff_claim", k.on(h, "boss"))
			k.call("handoff_complete", k.on(h, "boss"))
			k.want("released", len(k.available("boss")), []string{`1`, `1`}[i])
		}
		k.want("the last one", k.available("boss"), mustText([]any{last["handoff_id"]}))
		k.call("handoff_claim", k.on(last, "boss"))
		k.fails("handoff_create", nexus.WorkspaceMismatch, object{
			"project_root": k.t.TempDir(), "from_agent_id": "boss", "target": anybody, "visibility": "public", "depends_on": []any{first["handoff_id"]},
		})
	})
}

func TestHandoffVerification(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		k.register("tester", object{"capabilities": []string{"test"}})
		h := k.handoff(direct("worker"), object{"acceptance_criteria": []string{"it works"}, "verify_by": object{"kind": "capability", "capability": "test"}})
		claim := k.call("handoff_claim", k.on(h, "worker"))
		k.want("criteria", claim["acceptance_criteria"], `["it works"]`)
		done := k.call("handoff_complete", k.on(h, "worker", object{"result": "here"}))
		k.want("verifying", []any{done["status"], done["notified"]}, `["VERIFYING",["tester"]]`)
		k.pass(time.Hour) // nobody is in a hurry
		k.want("still", k.status(h), `"VERIFYING"`)
		k.fails("handoff_verify", nexus.NotOwner, k.on(h, "worker", object{"verdict": "accept"}))
		k.fails("handoff_verify", nexus.NotOwner, k.on(h, "boss", object{"verdict": "accept"}))
		k.fails("handoff_verify", nexus.ValidationError, k.on(h, "tester", object{"verdict": "maybe"}))
		k.fails("handoff_verify", nexus.ValidationError, k.on(h, "tester", object{"verdict": "reject"}))
		back := k.call("handoff_verify", k.on(h, "tester", object{"verdict": "reject", "feedback": "it does not"}))
		k.want("sent back", []any{back["status"], back["notified"]}, `["CLAIMED",["worker"]]`)
		k.call("handoff_complete", k.on(h, "worker", object{"result": "now", "attempt": claim["attempt"]}))
		accepted := k.call("handoff_verify", k.on(h, "tester", object{"verdict": "accept"}))
		k.want("accepted", accepted["status"], `"COMPLETED"`)
		k.want("result", k.call("handoff_get", k.on(h, "boss"))["result"], `"now"`)
		k.fails("handoff_verify", nexus.InvalidTransition, k.on(h, "tester", object{"verdict": "accept"}))

		own := k.handoff(anybody, object{"acceptance_criteria": []string{"fine"}})
		k.call("handoff_claim", k.on(own, "worker"))
		k.call("handoff_complete", k.on(own, "worker"))
		k.call("handoff_verify", k.on(own, "boss", object{"verdict": "accept"}))
	})
}

func TestHandoffDirectReject(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		h := k.handoff(direct("worker"))
		k.fails("handoff_reject", nexus.NotOwner, k.on(h, "boss"))
		k.call("handoff_reject", k.on(h, "worker", object{"reason": "too much"}))
		got := k.call("handoff_get", k.on(h, "boss"))
		k.want("rejected", []any{got["status"], got["rejected_reason"]}, `["REJECTED","too much"]`)
		again := k.call("handoff_requeue", k.on(h, "boss"))
		k.want("told again", []any{again["notified"], k.call("inbox_count", object{"agent_id": "worker"})["unread"]}, `[["worker"],2]`)
	})
}

// However many claim at once, from however many processes, one wins.
func TestHandoffSingleWinner(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		for range 10 {
			h := k.handoff(anybody)
			var mu sync.Mutex
			won := 0
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					_, err := k.try("handoff_claim", k.on(h, fmt.Sprintf("worker%d", i)))
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						won++
					case err.Code != nexus.AlreadyClaimed:
						k.t.Errorf("got %v", err)
					}
				})
			}
			wg.Wait()
			if won != 1 {
				k.t.Errorf("%d won", won)
			}
		}
	})
}

// A waiter is woken when work is created, and when a lease lapses.
func TestHandoffWait(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker", object{"capabilities": []string{"go"}})
		wait := func() <-chan object {
			got := make(chan object, 1)
			go func() {
				raw := mustText(object{"project_root": k.root, "agent_id": "worker", "timeout_seconds": 30})
				answer, err := k.ops.Lookup("handoff_list_available").Call(context.Background(), json.RawMessage(raw))
				if err != nil {
					k.t.Error(err)
				}
				var page object
				if err := json.Unmarshal([]byte(mustText(answer)), &page); err != nil {
					k.t.Error(err)
				}
				got <- page
			}()
			return got
		}
		got := wait()
		k.handoff(direct("boss")) // not for the worker
		h := k.handoff(object{"strategy": "capability", "capability": "go"})
		if page := <-got; page["timed_out"] != false || len(page["handoffs"].([]any)) != 1 {
			k.t.Errorf("the waiter got %v", page)
		}
		k.call("handoff_cancel", k.on(h, "boss"))
	})
}

func TestTasks(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		task := func(more object) object {
			arguments := object{"project_root": k.root, "agent_id": "boss", "title": "build"}
			for key, value := range more {
				arguments[key] = value
			}
			return k.call("task_create", arguments)
		}
		change := func(id any, more object) object {
			arguments := object{"project_root": k.root, "agent_id": "boss", "task_id": id}
			for key, value := range more {
				arguments[key] = value
			}
			return arguments
		}
		list := func(more object) []any {
			arguments := object{"project_root": k.root, "agent_id": "boss"}
			for key, value := range more {
				arguments[key] = value
			}
			ids := []any{}
			for _, v := range k.call("task_list", arguments)["tasks"].([]any) {
				ids = append(ids, v.(object)["task_id"])
			}
			return ids
		}
		first := task(object{"labels": []string{"ui"}, "priority": 1})
		k.want("made at once", []any{first["created_at"] == first["updated_at"], first["unread"]}, `[true,0]`)
		second := task(object{"depends_on": []any{first["task_id"]}, "parent_id": first["task_id"], "assignee": "worker", "priority": 5})
		k.want("all", list(nil), mustText([]any{second["task_id"], first["task_id"]}))
		k.want("ready", list(object{"status": "ready"}), mustText([]any{first["task_id"]}))
		k.want("by label", list(object{"labels": []string{"ui"}}), mustText([]any{first["task_id"]}))
		k.want("by assignee", list(object{"assignee": "worker"}), mustText([]any{second["task_id"]}))
		k.want("by parent", list(object{"parent_id": first["task_id"]}), mustText([]any{second["task_id"]}))

		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"status": "blocked"}))
		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"status": "lost"}))
		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"depends_on": []any{second["task_id"]}}))
		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"parent_id": second["task_id"]}))
		k.fails("task_update", nexus.NotFound, change("tsk_none", nil))
		k.fails("task_create", nexus.ValidationError, object{"project_root": k.root, "agent_id": "boss"})
		k.fails("task_create", nexus.WorkspaceRequired, object{"agent_id": "boss"})
		k.fails("task_get", nexus.WorkspaceMismatch, object{"project_root": k.t.TempDir(), "task_id": first["task_id"]})

		blocked := k.call("task_update", change(first["task_id"], object{"status": "blocked", "reason": "no disk"}))
		k.want("reason", blocked["reason"], `"no disk"`)
		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"reason": ""}))
		k.fails("task_update", nexus.ValidationError, change(first["task_id"], object{"status": "blocked", "reason": " "}))
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "worker", Bound: true}, func() {
			k.fails("task_get", nexus.NotOwner, object{"project_root": k.root, "task_id": first["task_id"], "agent_id": "boss"})
			k.fails("task_list", nexus.NotOwner, object{"project_root": k.root, "agent_id": "boss"})
			k.call("task_list", object{"project_root": k.root})
		})
		working := k.call("task_update", change(first["task_id"], object{"status": "in_progress"}))
		k.want("reason is gone", working["reason"], `null`)

		h := k.handoff(direct("worker"), object{"task_id": first["task_id"]})
		k.call("handoff_claim", k.on(h, "worker"))
		k.call("handoff_complete", k.on(h, "worker", object{"complete_task": true}))
		k.want("done", k.call("task_get", object{"project_root": k.root, "task_id": first["task_id"]})["status"], `"done"`)
		k.want("ready now", list(object{"status": "ready"}), mustText([]any{second["task_id"]}))
		k.fails("task_update", nexus.InvalidTransition, change(first["task_id"], object{"status": "blocked", "reason": "x"}))
		k.fails("handoff_create", nexus.InvalidTransition, object{
			"project_root": k.root, "from_agent_id": "boss", "target": anybody, "visibility": "public", "task_id": first["task_id"],
		})
		types := k.types("worker")
		if len(types) != 5 || types[0] != "task.created" || types[4] != "task.updated" {
			k.t.Errorf("the log says %v", types)
		}
	})
}

// Who completes work may wish its task to be done with it, also where somebody
// verifies it first.
func TestVerifiedWorkCompletesItsTask(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		for _, wish := range []bool{true, false} {
			task := k.call("task_create", object{"project_root": k.root, "agent_id": "boss", "title": "build"})
			status := func() any {
				return k.call("task_get", object{"project_root": k.root, "task_id": task["task_id"]})["status"]
			}
			h := k.handoff(direct("worker"), object{"task_id": task["task_id"], "verify_by": object{"kind": "creator"}})
			k.call("handoff_claim", k.on(h, "worker"))
			k.call("handoff_complete", k.on(h, "worker", object{"complete_task": !wish}))
			k.call("handoff_verify", k.on(h, "boss", object{"verdict": "reject", "feedback": "no"}))
			k.call("handoff_complete", k.on(h, "worker", object{"complete_task": wish}))
			k.want("not yet", status(), `"open"`)
			k.call("handoff_verify", k.on(h, "boss", object{"verdict": "accept"}))
			k.want("done", status(), map[bool]string{true: `"done"`, false: `"open"`}[wish])
		}
	})
}

func TestShims(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"message_get", "message_list", "message_wait"} {
			err := k.fails(name, nexus.Migrated, object{"whatever": 1, "cursor": []int{2}})
			k.want(name, err.Details["removed_in"], `"S3"`)
		}
	})
}
