package bus_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"nexus"
)

func payloadOf(t testing.TB, e nexus.Event) (payload object) {
	t.Helper()
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return payload
}

func agentActor(id string, scopes nexus.Scopes) nexus.Actor {
	return nexus.Actor{Kind: nexus.KindAgent, AgentID: id, Scopes: scopes}
}

// What each preset keeps an agent from.
func TestPresets(t *testing.T) {
	denied := map[string][]string{
		"builtin:full":        nil,
		"builtin:coordinator": {"claim"},
		"builtin:worker":      {"broadcast", "group", "create", "cancel"},
		"builtin:observer":    {"direct", "broadcast", "group", "channel", "create", "claim", "cancel", "task"},
	}
	needs := map[string]string{
		"direct": "messages.send_direct", "broadcast": "messages.send_broadcast", "group": "messages.send_broadcast",
		"channel": "messages.send_channel", "create": "handoffs.create", "claim": "handoffs.work", "cancel": "handoffs.cancel", "task": "tasks",
	}
	each(t, func(k *kit) {
		k.open("a")
		k.open("peer")
		channel := k.call("channel_create", object{"project_root": k.root, "name": "c"})["channel"].(object)["channel_id"]
		open := k.handoff(anybody, object{"from_agent_id": "peer"})
		own := k.handoff(anybody, object{"from_agent_id": "a"})
		mail := func(more object) object {
			m := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b"}
			for key, value := range more {
				m[key] = value
			}
			return m
		}
		calls := []struct {
			what, op string
			args     object
		}{
			{"direct", "message_create", mail(object{"target": direct("peer")})},
			{"broadcast", "message_create", mail(nil)},
			{"group", "message_create", mail(object{"target": object{"strategy": "role", "role": "x"}})},
			{"channel", "message_create", mail(object{"channel_id": channel})},
			{"create", "handoff_create", object{"project_root": k.root, "from_agent_id": "a", "target": anybody, "visibility": "public"}},
			{"claim", "handoff_claim", k.on(open, "a")},
			{"cancel", "handoff_cancel", k.on(own, "a")},
			{"task", "task_create", object{"project_root": k.root, "agent_id": "a", "title": "t"}},
		}
		for preset, kept := range denied {
			k.call("agent_update", object{"agent_id": "a", "preset_id": preset})
			k.call("event_get", object{"project_root": k.root, "agent_id": "a", "stream": "workspace"})
			for _, c := range calls {
				_, err := k.try(c.op, c.args)
				switch no := slices.Contains(kept, c.what); {
				case no && (err == nil || err.Code != nexus.PermissionDenied || err.Details["required_permission"] != needs[c.what]):
					k.t.Errorf("%s, %s: got %v, want it denied for lack of %s", preset, c.what, err, needs[c.what])
				case !no && err != nil && err.Code == nexus.PermissionDenied:
					k.t.Errorf("%s, %s: %v", preset, c.what, err)
				}
			}
		}
	})
}

func TestPermissionsOutrankThePreset(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		k.call("agent_update", object{"agent_id": "a", "preset_id": "builtin:observer", "permissions": object{"messages": object{"send_direct": true}}})
		k.send("a", direct("b"))
		k.fails("handoff_create", nexus.PermissionDenied, object{"project_root": k.root, "from_agent_id": "a", "target": anybody, "visibility": "public"})
		k.call("agent_update", object{"agent_id": "a", "permissions": object{"events": object{"read": false}}, "preset_id": ""})
		k.fails("event_get", nexus.PermissionDenied, object{"project_root": k.root, "agent_id": "a", "stream": "workspace"})
		k.call("agent_update", object{"agent_id": "a", "permissions": object{}})
		k.call("event_get", object{"project_root": k.root, "agent_id": "a", "stream": "workspace"})
	})
}

// Whose key it is counts too, whoever it speaks for.
func TestNobodyGetsAroundALimit(t *testing.T) {
	each(t, func(k *kit) {
		k.register("limited")
		k.register("free")
		k.call("agent_update", object{"agent_id": "limited", "preset_id": "builtin:observer"})
		k.as(agentActor("limited", nexus.UsualScopes), func() {
			k.fails("message_create", nexus.PermissionDenied, object{"project_root": k.root, "from_agent_id": "free", "subject": "s", "body": "b", "target": direct("free")})
			k.fails("artifact_put", nexus.PermissionDenied, object{"project_root": k.root, "artifact_type": "text", "content": "x"})
			k.fails("channel_create", nexus.PermissionDenied, object{"project_root": k.root, "name": "x"})
		})
		k.as(agentActor("free", nexus.UsualScopes), func() { k.send("free", direct("limited")) })
	})
}

func TestLimitsOfASender(t *testing.T) {
	each(t, func(k *kit) {
		for _, id := range []string{"a", "b", "c", "d"} {
			k.register(id, object{"role": "all"})
		}
		everybody := object{"strategy": "role", "role": "all"}
		limit := func(p object) { k.call("agent_update", object{"agent_id": "a", "permissions": p}) }
		mail := func(target object) object {
			return object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": target}
		}
		limit(object{"messages": object{"allowed_peers": []string{"b", "c"}}})
		k.send("a", direct("b"))
		e := k.fails("message_create", nexus.PermissionDenied, mail(everybody))
		k.want("not allowed", e.Details["not_allowed"], `["d"]`)

		limit(object{"limits": object{"max_recipients": 2}})
		k.fails("message_create", nexus.PermissionDenied, mail(everybody))
		k.send("a", direct("d"))

		k.pass(time.Hour)
		limit(object{"limits": object{"messages_per_minute": 2}})
		k.send("a", direct("b"))
		k.send("a", direct("b"))
		if e := k.fails("message_create", nexus.RateLimited, mail(direct("b"))); e.Details["retry_after_seconds"] == nil {
			k.t.Errorf("it does not say when to come back: %v", e.Details)
		}
		k.pass(time.Minute)
		k.send("a", direct("b"))
		k.want("unread", k.call("inbox_count", object{"agent_id": "b"})["unread"], `4`)
	})
}

func TestBadPermissions(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		for _, bad := range []any{
			object{"messages": object{"send_direct": "yes"}}, object{"sing": true}, object{"limits": object{"max_recipients": -1}}, []int{1},
		} {
			k.fails("agent_update", nexus.ValidationError, object{"agent_id": "a", "permissions": bad})
			k.fails("preset_create", nexus.ValidationError, object{"name": "p", "flags": bad})
		}
		k.fails("agent_update", nexus.ValidationError, object{"agent_id": "a", "preset_id": "nonesuch"})
		k.want("permissions", k.call("agent_entry", object{"agent_id": "a"})["permissions"], `null`)
	})
}

func TestOwnPresets(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		quiet := k.call("preset_create", object{"name": "quiet", "description": "d", "flags": object{"messages": object{"send_direct": false}}})
		k.fails("preset_create", nexus.Conflict, object{"name": "quiet", "flags": object{}})
		k.fails("preset_create", nexus.Conflict, object{"name": "Worker", "flags": object{}})
		k.fails("preset_create", nexus.ValidationError, object{"name": "", "flags": object{}})
		k.call("agent_update", object{"agent_id": "a", "preset_id": quiet["preset_id"]})
		mail := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")}
		k.fails("message_create", nexus.PermissionDenied, mail)
		k.call("preset_update", object{"preset_id": quiet["preset_id"], "flags": object{}})
		k.call("message_create", mail)
		k.fails("preset_delete", nexus.Conflict, object{"preset_id": quiet["preset_id"]})
		k.call("agent_update", object{"agent_id": "a", "preset_id": ""})
		k.call("preset_delete", object{"preset_id": quiet["preset_id"]})
		k.fails("preset_update", nexus.NotFound, object{"preset_id": quiet["preset_id"], "name": "x"})
		for _, verb := range []string{"preset_update", "preset_delete"} {
			k.fails(verb, nexus.PermissionDenied, object{"preset_id": "builtin:full"})
		}
		var names []string
		for _, p := range k.call("preset_list", nil)["items"].([]any) {
			names = append(names, p.(object)["preset_id"].(string))
		}
		k.want("presets", names, `["builtin:full","builtin:coordinator","builtin:worker","builtin:observer"]`)
	})
}
