package bus_test

import (
	"fmt"
	"testing"
	"time"

	"nexus"
)

func TestAdminCloseSession(t *testing.T) {
	each(t, func(k *kit) {
		session := k.open("a")["session_id"]
		seen := k.call("agent_get", object{"agent_id": "a"})["last_seen_at"]
		k.pass(time.Minute)
		closed := k.call("admin_close_session", object{"session_id": session})
		k.want("closed", closed, fmt.Sprintf(`{"closed_at":%q,"session_id":%q,"status":"closed"}`, nexus.Stamp(k.now()), session))
		k.pass(time.Minute)
		if again := k.call("admin_close_session", object{"session_id": session}); again["closed_at"] != closed["closed_at"] {
			k.t.Errorf("closing twice moved closed_at to %v", again["closed_at"])
		}
		events := k.list("observe_events", object{"type": "session.closed"})
		k.want("what the log says", []any{len(events), events[0]["actor_agent_id"], events[0]["payload"]},
			fmt.Sprintf(`[1,"operator",{"reason":"operator","session_id":%q,"status":"closed"}]`, session))
		k.want("the agent did nothing", k.call("agent_get", object{"agent_id": "a"})["last_seen_at"] == seen, `true`)
		k.fails("admin_close_session", nexus.NotFound, object{"session_id": "ses_none"})
		k.fails("admin_close_session", nexus.ValidationError, object{})
	})
}

func TestAdminCancelHandoff(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("b")
		cancel := func(h object) object {
			return k.call("admin_cancel_handoff", object{"handoff_id": name(h), "workspace": k.place(), "reason": "enough"})
		}
		open := k.handoff(anybody)
		k.want("open", cancel(open), fmt.Sprintf(`{"handoff_id":%q,"notified":["boss"],"status":"CANCELLED"}`, name(open)))
		claimed := k.handoff(anybody)
		k.call("handoff_claim", k.on(claimed, "b"))
		k.want("claimed", cancel(claimed)["notified"], `["b","boss"]`)
		lapsed := k.handoff(anybody)
		k.call("handoff_claim", k.on(lapsed, "b"))
		k.pass(time.Hour)
		k.want("lapsed", cancel(lapsed)["notified"], `["boss"]`)
		own := k.handoff(anybody)
		k.call("handoff_claim", k.on(own, "boss"))
		k.want("one's own", cancel(own)["notified"], `["boss"]`)

		mail := messages(k.call("inbox_pull", object{"agent_id": "b"}))
		k.lines("b's mail", mail, "subject", "handoff "+name(claimed)+" cancelled by operator")
		k.want("it", mail[0]["body"], fmt.Sprintf(
			`"{\"by_agent_id\":\"operator\",\"handoff_id\":\"%s\",\"kind\":\"handoff.cancelled\",\"next_step\":\"Drop the work; its result is not wanted any more.\",\"reason\":\"enough\",\"status\":\"CANCELLED\"}"`, name(claimed)))
		history := rows(k.call("observe_handoff", object{"handoff_id": name(claimed)})["events"])
		last := history[len(history)-1]
		k.want("what the log says", []any{last["type"], last["actor_agent_id"]}, `["handoff.cancelled","operator"]`)
		k.fails("handoff_complete", nexus.InvalidTransition, k.on(claimed, "b"))

		k.fails("admin_cancel_handoff", nexus.InvalidTransition, object{"handoff_id": name(open), "workspace": k.place()})
		k.fails("admin_cancel_handoff", nexus.WorkspaceRequired, object{"handoff_id": name(open)})
		k.fails("admin_cancel_handoff", nexus.WorkspaceMismatch, object{"handoff_id": name(open), "workspace": k.elsewhere().place()})
		k.fails("admin_cancel_handoff", nexus.NotFound, object{"handoff_id": "hof_none", "workspace": k.place()})
		k.fails("admin_cancel_handoff", nexus.ValidationError, object{"workspace": k.place()})
	})
}

// The keys of agents do not administer.
func TestAdminIsTheOperators(t *testing.T) {
	each(t, func(k *kit) {
		session := k.open("a")["session_id"]
		h := k.handoff(anybody, object{"from_agent_id": "a"})
		ctx := nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a", Bound: true})
		for op, arguments := range map[string]string{
			"admin_close_session":  fmt.Sprintf(`{"session_id":%q}`, session),
			"admin_cancel_handoff": fmt.Sprintf(`{"handoff_id":%q,"workspace":%q}`, name(h), k.place()),
		} {
			if _, err := k.ops.Lookup(op).Call(ctx, []byte(arguments)); nexus.CodeOf(err) != nexus.PermissionDenied {
				k.t.Errorf("%s: %v", op, err)
			}
		}
		k.want("the work", k.call("observe_handoff", object{"handoff_id": name(h)})["status"], `"OPEN"`)
	})
}
