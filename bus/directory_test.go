package bus_test

import (
	"fmt"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
)

func TestDirectory(t *testing.T) {
	each(t, func(k *kit) {
		made := k.call("agent_create", object{"agent_id": "a", "role": "r", "capabilities": []string{"go", "sql"}, "preset_id": "builtin:worker"})
		k.want("preset", made["preset_id"], `"builtin:worker"`)
		k.register("b")
		e := k.call("agent_entry", object{"agent_id": "a"})
		k.want("capabilities", e["capabilities"], `{"go":true,"sql":true}`)
		k.want("has_key", e["has_key"], `true`)
		if got := len(e); got != 10 {
			k.t.Errorf("an entry has %d fields, want 10: %v", got, e)
		}
		k.fails("agent_create", nexus.Conflict, object{"agent_id": "a"})
		k.fails("agent_entry", nexus.NotFound, object{"agent_id": "x"})
		first := k.call("agent_directory", object{"limit": 1})
		second := k.call("agent_directory", object{"limit": 1, "cursor": first["next_cursor"]})
		k.want("pages", []any{ids(first), ids(second), second["next_cursor"]}, `[["a"],["b"],null]`)
		k.want("all", ids(k.call("agent_directory", nil)), `["a","b"]`)
		k.fails("agent_directory", nexus.ValidationError, object{"cursor": "x"})
	})
}

func ids(page object) []any {
	all := []any{}
	for _, item := range page["items"].([]any) {
		all = append(all, item.(object)["agent_id"])
	}
	return all
}

// An edit is no sign of life, and what is left out stays.
func TestEditAgent(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a", object{"role": "r", "metadata": object{"x": 1}})
		seen := k.call("agent_entry", object{"agent_id": "a"})["last_seen_at"]
		k.pass(time.Hour)
		e := k.call("agent_update", object{"agent_id": "a", "capabilities": []string{"go"}})
		k.want("role", e["role"], `"r"`)
		k.want("metadata", e["metadata"], `{"x":1}`)
		if e["last_seen_at"] != seen {
			k.t.Errorf("the edit counts as a sign of life: %v, was %v", e["last_seen_at"], seen)
		}
		k.want("found by", k.call("capability_list", nil)["capabilities"].([]any)[0].(object)["capability"], `"go"`)
		k.fails("agent_update", nexus.NotFound, object{"agent_id": "x", "role": "r"})
		k.fails("agent_update", nexus.ValidationError, object{"agent_id": "Operator", "role": "r"})
	})
}

func TestDeleteAgent(t *testing.T) {
	each(t, func(k *kit) {
		k.open("a")
		k.register("b")
		sent := k.send("a", direct("b"))["message_id"]
		k.send("b", direct("a"))
		k.want("deleted", k.call("agent_delete", object{"agent_id": "a"}), `{"agent_id":"a","deleted":true}`)
		k.fails("agent_delete", nexus.NotFound, object{"agent_id": "a"})
		k.fails("agent_delete", nexus.ValidationError, object{"agent_id": " OPERATOR "})
		k.want("what it sent", len(messages(k.call("inbox_peek", object{"agent_id": "b"}))), `1`)
		k.call("message_status", object{"message_id": sent})
	})
}

// keyActor is who comes in with a key.
func keyActor(k *kit, s *bus.Service, key any) (nexus.Actor, bool) {
	k.t.Helper()
	a, _, found, err := s.KeyActor(k.t.Context(), bus.HashKey(key.(string)))
	if err != nil {
		k.t.Fatal(err)
	}
	return a, found
}

func TestSeveralKeys(t *testing.T) {
	each(t, func(k *kit) {
		s := k.service
		first := k.call("agent_create", object{"agent_id": "a"})["api_key"]
		extra := k.call("key_create", object{"agent_id": "a", "name": "ci", "scopes": []string{"write", "read"}, "expires_at": nexus.Stamp(k.now().Add(time.Hour))})
		a, found := keyActor(k, s, extra["api_key"])
		if !found || a.AgentID != "a" || a.Scopes != "read write" || a.KeyID != extra["key_id"] {
			k.t.Errorf("got %+v, %v", a, found)
		}
		if a, found := keyActor(k, s, first); !found || a.Scopes != nexus.UsualScopes {
			k.t.Errorf("got %+v, %v", a, found)
		}
		keys := k.call("key_list", object{"agent_id": "a"})["items"].([]any)
		if len(keys) != 2 || keys[1].(object)["name"] != "ci" || keys[1].(object)["last_used_at"] != nil || keys[1].(object)["api_key"] != nil {
			k.t.Errorf("got %v", keys)
		}
		lastUsed := func() any {
			return k.call("key_list", object{"agent_id": "a"})["items"].([]any)[1].(object)["last_used_at"]
		}
		s.KeyUsed(a.KeyID)
		if used := lastUsed(); used != nexus.Stamp(k.now()) {
			k.t.Errorf("before it was written down, last used at %v", used)
		}
		if err := s.WriteKeyUses(k.t.Context()); err != nil {
			k.t.Fatal(err)
		}
		if used := lastUsed(); used != nexus.Stamp(k.now()) {
			k.t.Errorf("last used at %v", used)
		}
		k.call("agent_update", object{"agent_id": "a", "is_active": false})
		if _, found := keyActor(k, s, first); found {
			k.t.Error("the key of an inactive agent is good")
		}
		k.call("agent_update", object{"agent_id": "a", "is_active": true})
		k.pass(time.Hour)
		if _, found := keyActor(k, s, extra["api_key"]); found {
			k.t.Error("an expired key is good")
		}
		k.call("key_revoke", object{"agent_id": "a", "key_id": extra["key_id"]})
		k.fails("key_revoke", nexus.NotFound, object{"agent_id": "a", "key_id": extra["key_id"]})
		rotated := k.call("agent_regenerate_key", object{"agent_id": "a"})["api_key"]
		if _, found := keyActor(k, s, first); found {
			k.t.Error("the old key is good after rotation")
		}
		if _, found := keyActor(k, s, rotated); !found {
			k.t.Error("the new key is not good")
		}
		for _, bad := range []object{{"scopes": []string{"everything"}}, {"expires_at": "tomorrow"}, {"expires_at": nexus.Stamp(k.now())}} {
			bad["agent_id"] = "a"
			k.fails("key_create", nexus.ValidationError, bad)
		}
	})
}

// An agent that rotates its key gets one that is good for no more and no longer;
// the operator gives out a new one.
func TestRotationKeepsTheEnd(t *testing.T) {
	each(t, func(k *kit) {
		end := nexus.Stamp(k.now().Add(time.Hour))
		me := object{"agent_id": "a"}
		k.call("agent_create", me)
		first := k.call("key_create", object{"agent_id": "a", "name": "ci", "scopes": []string{"read", "write"}, "expires_at": end})
		described := func() string {
			keys := items(k.call("key_list", me))
			return fmt.Sprint(len(keys), keys[0]["name"], keys[0]["scopes"], keys[0]["expires_at"])
		}
		own, _ := keyActor(k, k.service, first["api_key"])
		k.as(own, func() {
			k.call("agent_regenerate_key", me)
			k.fails("agent_regenerate_key", nexus.AuthFailed, me) // the key that it came with is gone
		})
		if got, want := described(), fmt.Sprint(1, "ci", []string{"read", "write"}, end); got != want {
			k.t.Errorf("rotated by the agent: got %s, want %s", got, want)
		}
		k.call("agent_regenerate_key", me)
		if got, want := described(), fmt.Sprint(1, nil, nexus.UsualScopes.List(), nil); got != want {
			k.t.Errorf("rotated by the operator: got %s, want %s", got, want)
		}
	})
}

// What a key's scopes keep it from, whatever the face: the catalogue asks.
func TestScopes(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		mail := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("b")}
		tests := []struct {
			scopes              nexus.Scopes
			read, write, manage bool
		}{
			{"read", true, false, false},
			{"write", false, true, false},
			{"read write", true, true, false},
			{"admin", true, true, true},
			{nexus.UsualScopes, true, true, false},
		}
		for _, tt := range tests {
			k.as(agentActor("a", tt.scopes), func() {
				for _, c := range []struct {
					may  bool
					op   string
					args object
				}{{tt.read, "agent_list", nil}, {tt.write, "message_create", mail}, {tt.manage, "agent_update", object{"agent_id": "b", "role": "x"}}} {
					_, err := k.try(c.op, c.args)
					denied := err != nil && err.Code == nexus.PermissionDenied
					if denied == c.may || denied && err.Details["required_scope"] == nil {
						k.t.Errorf("%s with %q: got %v", c.op, tt.scopes, err)
					}
				}
			})
		}
		k.as(agentActor("a", nexus.UsualScopes), func() {
			k.call("agent_regenerate_key", object{"agent_id": "a"})
			k.fails("agent_regenerate_key", nexus.NotOwner, object{"agent_id": "b"})
			k.fails("key_create", nexus.PermissionDenied, object{"agent_id": "a", "scopes": []string{"admin"}})
		})
	})
}

func TestKeysOfOneWorkspace(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		here := k.call("workspace_resolve", object{"project_root": k.root})["workspace_id"].(string)
		mail := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")}
		k.as(agentActor("a", nexus.UsualScopes+" workspace:elsewhere"), func() {
			e := k.fails("message_create", nexus.PermissionDenied, mail)
			k.want("missing", e.Details["required_scope"], `"workspace:`+here+`"`)
			k.fails("session_open", nexus.PermissionDenied, object{"agent_id": "a", "workspace_id": here})
			k.fails("event_get", nexus.PermissionDenied, object{"project_root": k.root, "agent_id": "a", "stream": "workspace"})
		})
		k.elsewhere().place()
		listed := func() int { return len(k.call("workspace_list", nil)["workspaces"].([]any)) }
		k.as(agentActor("a", nexus.UsualScopes+nexus.Scopes(" workspace:"+here)), func() {
			k.call("message_create", mail)
			if n := listed(); n != 1 {
				k.t.Errorf("a key of one workspace sees %d", n)
			}
		})
		if n := listed(); n != 2 {
			k.t.Errorf("who is not limited sees %d workspaces, want 2", n)
		}
	})
}

// A key that is kept from anything speaks for its own agent only.
func TestLimitedKeysAreBound(t *testing.T) {
	each(t, func(k *kit) {
		tests := []struct {
			agent        string
			more         object
			bound, blind bool
		}{
			{"free", object{}, false, false},
			{"full", object{"preset_id": "builtin:full"}, false, false},
			{"worker", object{"preset_id": "builtin:worker"}, true, false},
			{"peers", object{"permissions": object{"messages": object{"allowed_peers": []string{"free"}}}}, true, false},
			{"blind", object{"permissions": object{"events": object{"read": false}}}, true, true},
			{"narrow", object{"scopes": []string{"read", "workspace:w"}}, true, false},
		}
		for _, tt := range tests {
			tt.more["agent_id"] = tt.agent
			a, _ := keyActor(k, k.service, k.call("agent_create", tt.more)["api_key"])
			if a.Bound != tt.bound || a.Blind != tt.blind {
				k.t.Errorf("%s: bound %v, blind %v", tt.agent, a.Bound, a.Blind)
			}
			k.as(a, func() {
				_, err := k.try("message_create", object{"project_root": k.root, "from_agent_id": "free", "subject": "s", "body": "b", "target": direct("free")})
				if tt.bound && tt.agent != "free" && (err == nil || err.Code != nexus.NotOwner && err.Code != nexus.PermissionDenied) {
					k.t.Errorf("%s writes as another: %v", tt.agent, err)
				}
				if _, err := k.try("observe_events", nil); tt.blind && (err == nil || err.Code != nexus.PermissionDenied) {
					k.t.Errorf("%s reads the log: %v", tt.agent, err)
				}
			})
		}
	})
}

// What a key for one workspace cannot get at in another, by whatever name.
func TestOtherWorkspaces(t *testing.T) {
	each(t, func(k *kit) {
		session := k.open("a")
		message := k.send("a", direct("a"))["message_id"]
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "a", Bound: true, Scopes: nexus.UsualScopes + " workspace:elsewhere"}, func() {
			k.fails("session_heartbeat", nexus.PermissionDenied, object{"session_id": session["session_id"]})
			k.fails("session_close", nexus.PermissionDenied, object{"session_id": session["session_id"]})
			k.fails("message_status", nexus.PermissionDenied, object{"message_id": message})
			k.fails("shared_md_render", nexus.PermissionDenied, object{"workspace_id": session["workspace_id"]})
			k.fails("observe_event_types", nexus.PermissionDenied, nil)
			k.fails("observe_messages", nexus.PermissionDenied, nil)
			k.fails("observe_message", nexus.PermissionDenied, object{"message_id": message})
		})
	})
}

func TestNothingToChange(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		before := k.call("observe_events", nil)["next_cursor"]
		k.call("agent_update", object{"agent_id": "a"})
		if after := k.call("observe_events", object{"limit": 1000})["next_cursor"]; after != before {
			k.t.Errorf("an edit of nothing left an event: %v, was %v", after, before)
		}
		for _, name := range []string{".", ".."} {
			k.fails("agent_register", nexus.ValidationError, object{"agent_id": name})
		}
		// The key of a call is its caller's, not that of whom it is done to.
		k.call("agent_create", object{"agent_id": "one", "idempotency_key": "q"})
		k.fails("agent_create", nexus.Conflict, object{"agent_id": "two", "idempotency_key": "q"})
	})
}
