package bus_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"nexus"
)

var operator = nexus.Actor{Kind: nexus.KindOperator}

// Whoever runs the hub writes under a name that can be answered.
func TestOperatorTakesPart(t *testing.T) {
	each(t, func(k *kit) {
		k.open("a")
		k.fails("message_create", nexus.NotFound,
			object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("operator")})
		k.as(operator, func() {
			k.fails("message_create", nexus.NotFound,
				object{"project_root": k.root, "from_agent_id": "operator", "subject": "s", "body": "b", "target": direct("nobody")})
			k.fails("agent_get", nexus.NotFound, object{"agent_id": "operator"})
			k.fails("message_create", nexus.ValidationError,
				object{"project_root": k.root, "from_agent_id": "Operator", "subject": "s", "body": "b", "target": direct("a")})
			k.send("operator", direct("a"))
			k.send("operator", direct("a"))
		})
		registered := k.list("observe_events", object{"type": "agent.registered", "agent": "operator"})
		k.want("the log", []any{len(registered), registered[0]["payload"]}, `[1,{"agent_id":"operator","capabilities":null,"role":null}]`)

		k.send("a", direct("operator"), object{"subject": "an answer"})
		k.as(operator, func() {
			mail := messages(k.call("inbox_pull", object{"agent_id": "operator"}))
			k.lines("its mail", mail, "subject", "an answer")
			k.want("read", k.call("inbox_ack", object{"agent_id": "operator", "message_ids": mail[0]["message_id"]})["acknowledged"], `1`)
		})
		k.want("a broadcast", k.send("a", nil)["recipients"], `[]`)
		k.want("who could work", k.handoff(anybody, object{"from_agent_id": "a"})["eligible_count"], `1`)

		entry := k.call("agent_entry", object{"agent_id": "operator"})
		k.want("the directory", []any{entry["is_active"], entry["has_key"]}, `[true,false]`)
		k.lines("the graph", rows(k.call("observe_graph", nil)["nodes"]), "agent_id", "a", "operator")
		for _, name := range []string{"operator", "OPERATOR"} {
			k.fails("agent_register", nexus.ValidationError, object{"agent_id": name})
			k.fails("key_create", nexus.ValidationError, object{"agent_id": name})
			k.fails("agent_regenerate_key", nexus.ValidationError, object{"agent_id": name})
			k.fails("inbox_pull", nexus.NotOwner, object{"agent_id": name})
		}
	})
}

// Each of the verbs by which it can take part makes the operator known.
func TestOperatorEnrolls(t *testing.T) {
	calls := map[string]object{
		"task_create":    {"agent_id": "operator", "title": "t"},
		"artifact_put":   {"artifact_type": "text", "content": "x"},
		"inbox_pull":     {"agent_id": "operator"},
		"inbox_wait":     {"agent_id": "operator", "timeout_seconds": 1},
		"handoff_create": {"from_agent_id": "operator", "target": anybody, "visibility": "public"},
	}
	for name, arguments := range calls {
		t.Run(name, func(t *testing.T) {
			each(t, func(k *kit) {
				arguments := maps.Clone(arguments)
				if !strings.HasPrefix(name, "inbox_") {
					arguments["project_root"] = k.root
				}
				k.as(operator, func() { k.call(name, arguments) })
				k.call("agent_get", object{"agent_id": "operator"})
			})
		})
	}
}

// A person may judge and offer again what others made.
func TestOperatorSettlesWork(t *testing.T) {
	strict := settings()
	strict.Strict = true
	for name, s := range map[string]bool{"open": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			each(t, func(k *kit) {
				k.register("boss")
				k.register("b")
				judged := k.handoff(anybody, object{"acceptance_criteria": []string{"fine"}})
				k.call("handoff_claim", k.on(judged, "b"))
				k.call("handoff_complete", k.on(judged, "b"))
				expired := k.handoff(anybody, object{"expires_at": nexus.Stamp(k.now().Add(time.Minute))})
				parked := k.handoff(anybody, object{"max_attempts": 1})
				k.call("handoff_claim", k.on(parked, "b"))
				k.pass(time.Hour)
				if s {
					k.service.Apply(strict)
				}
				k.as(operator, func() {
					done := k.call("handoff_verify", k.on(judged, "operator", object{"verdict": "accept"}))
					k.want("verified", []any{done["status"], done["notified"]}, `["COMPLETED",["boss"]]`)
					for _, h := range []object{expired, parked} {
						k.want("requeued", k.call("handoff_requeue", k.on(h, "operator"))["status"], `"OPEN"`)
						history := rows(k.call("observe_handoff", object{"handoff_id": h["handoff_id"]})["events"])
						k.want("who did", history[len(history)-1]["actor_agent_id"], `"operator"`)
					}
				})
				if !s {
					k.fails("handoff_requeue", nexus.NotOwner, k.on(parked, "b"))
				}
			})
		})
	}
}

// Parked mail of anybody comes back at the operator's word.
func TestOperatorRequeuesMail(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		sent := k.send("a", direct("a"))["message_id"]
		for range 6 {
			k.call("inbox_pull", object{"agent_id": "a"})
			k.pass(time.Hour)
		}
		seen := k.call("agent_get", object{"agent_id": "a"})["last_seen_at"]
		k.as(operator, func() {
			k.want("requeued", k.call("inbox_requeue", object{"agent_id": "a", "message_ids": sent})["requeued"], `1`)
		})
		k.want("the agent did nothing", k.call("agent_get", object{"agent_id": "a"})["last_seen_at"] == seen, `true`)
		events := k.list("observe_events", object{"type": "inbox.requeued"})
		k.want("the log", []any{events[0]["actor_agent_id"], events[0]["payload"]}, fmt.Sprintf(`["operator",{"agent_id":"a","message_ids":[%q]}]`, sent))
		k.lines("mail", messages(k.call("inbox_pull", object{"agent_id": "a"})), "subject", "hello")
	})
}
