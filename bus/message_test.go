package bus_test

import (
	"strings"
	"testing"
	"time"

	"nexus"
)

func TestSendTargets(t *testing.T) {
	each(t, func(k *kit) {
		k.register("sender", object{"role": "worker", "capabilities": []string{"go"}})
		k.register("gopher", object{"capabilities": []string{"go", "sql"}})
		k.register("painter", object{"role": "artist", "capabilities": object{"css": true, "go": false}})
		k.register("helper", object{"role": "worker"})
		tests := []struct {
			name   string
			target object
			to     string
		}{
			{"direct", direct("gopher"), `["gopher"]`},
			{"direct to oneself", direct("sender"), `["sender"]`},
			{"kind and odd spelling", object{"kind": "Direct", "agent_id": "helper"}, `["helper"]`},
			{"capability", object{"strategy": "capability", "capability": "go"}, `["gopher"]`},
			{"any capability", object{"strategy": "capability", "capability": []string{"css", "sql"}}, `["gopher","painter"]`},
			{"case counts", object{"strategy": "capability", "capability": "Go"}, `[]`},
			{"role", object{"strategy": "role", "role": "worker"}, `["helper"]`},
			{"mixed", object{"strategy": "mixed", "rules": []object{
				{"strategy": "role", "role": "artist"}, direct("gopher"), direct("nobody"), {"strategy": "capability", "capability": "go"},
			}}, `["gopher","painter"]`},
			{"nobody", object{"strategy": "role", "role": "king"}, `[]`},
		}
		for _, test := range tests {
			sent := k.send("sender", test.target)
			k.want(test.name, sent["recipients"], test.to)
			if _, warned := sent["warning"]; warned != (test.to == `[]`) {
				k.t.Errorf("%s: warning %v", test.name, sent["warning"])
			}
		}
	})
}

func TestSendBroadcast(t *testing.T) {
	each(t, func(k *kit) {
		k.open("stale")
		k.pass(30*time.Minute + time.Microsecond)
		k.open("sender")
		k.open("here")
		k.register("elsewhere")
		for _, target := range []any{nil, object{"strategy": "broadcast"}, object{}} {
			sent := k.send("sender", target)
			k.want("recipients", sent["recipients"], `["here"]`)
			k.want("excluded", sent["excluded_stale"], `["stale"]`)
			k.want("count", sent["delivered_count"], `1`)
			if sent["warning"] == nil {
				k.t.Error("no warning about the one who was passed by")
			}
		}
	})
}

func TestSendWorkspaceCreated(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.want("first", k.send("a", direct("a"))["workspace_created"], `true`)
		if _, again := k.send("a", direct("a"))["workspace_created"]; again {
			k.t.Error("the workspace was created twice")
		}
	})
}

func TestSendRefuses(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		elsewhere := k.t.TempDir()
		channel := k.call("channel_create", object{"project_root": k.root, "name": "one"})["channel"].(object)["channel_id"]
		other := k.call("channel_create", object{"project_root": elsewhere, "name": "one"})["channel"].(object)["channel_id"]
		parent := k.send("a", direct("b"), object{"channel_id": channel})["message_id"]
		k.send("a", direct("b"), object{"parent_message_id": parent})
		k.send("a", direct("b"), object{"parent_message_id": parent, "channel_id": channel})

		good := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b"}
		tests := []struct {
			name string
			code nexus.Code
			with object
		}{
			{"no project", nexus.WorkspaceRequired, object{"project_root": nil}},
			{"no such project", nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place"}},
			{"no sender", nexus.ValidationError, object{"from_agent_id": nil}},
			{"blank subject", nexus.ValidationError, object{"subject": " \n"}},
			{"no body", nexus.ValidationError, object{"body": ""}},
			{"body too large", nexus.ContentTooLarge, object{"body": strings.Repeat("é", 32769)}},
			{"subject too large", nexus.ContentTooLarge, object{"subject": strings.Repeat("x", 65537)}},
			{"artifacts no list", nexus.ValidationError, object{"artifacts": "art_1"}},
			{"artifacts no ids", nexus.ValidationError, object{"artifacts": []object{{"id": "x"}}}},
			{"unknown recipient", nexus.NotFound, object{"target": direct("nobody")}},
			{"target no object", nexus.ValidationError, object{"target": []string{"b"}}},
			{"no strategy", nexus.ValidationError, object{"target": object{"agent_id": "b"}}},
			{"unknown strategy", nexus.ValidationError, object{"target": object{"strategy": "pigeon"}}},
			{"direct to no one", nexus.ValidationError, object{"target": object{"strategy": "direct"}}},
			{"no role", nexus.ValidationError, object{"target": object{"strategy": "role", "role": " "}}},
			{"no capability", nexus.ValidationError, object{"target": object{"strategy": "capability", "capability": []string{}}}},
			{"mixed of nothing", nexus.ValidationError, object{"target": object{"strategy": "mixed", "rules": []object{}}}},
			{"mixed of null", nexus.ValidationError, object{"target": object{"strategy": "mixed", "rules": []any{nil}}}},
			{"broadcast in mixed", nexus.ValidationError, object{"target": object{"strategy": "mixed", "rules": []object{{"strategy": "broadcast"}}}}},
			{"fallback", nexus.ValidationError, object{"target": object{"strategy": "direct_with_fallback", "agent_id": "b", "fallback_after_seconds": 1}}},
			{"fallback in mixed", nexus.ValidationError, object{"target": object{"strategy": "mixed", "rules": []object{
				{"strategy": "direct-with-fallback", "agent_id": "b", "fallback_after_seconds": 1},
			}}}},
			{"unknown channel", nexus.NotFound, object{"channel_id": "chn_none"}},
			{"a channel elsewhere", nexus.NotFound, object{"channel_id": other}},
			{"unknown parent", nexus.NotFound, object{"parent_message_id": "msg_none"}},
			{"a parent elsewhere", nexus.NotFound, object{"parent_message_id": parent, "project_root": elsewhere}},
			{"unknown session", nexus.NotFound, object{"from_session_id": "ses_none"}},
			{"unknown argument", nexus.ValidationError, object{"bodyy": "x"}},
		}
		before := len(k.types("a"))
		for _, test := range tests {
			arguments := object{}
			for _, m := range []object{good, test.with} {
				for key, value := range m {
					arguments[key] = value
				}
			}
			if err := k.fails("message_create", test.code, arguments); err.Msg == "" {
				k.t.Errorf("%s has no message", test.name)
			}
		}
		if after := len(k.types("a")); after != before {
			k.t.Errorf("refused messages left %d events", after-before)
		}
		k.send("a", direct("b"), object{"body": strings.Repeat("é", 32768)})
	})
}

func TestSendResult(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		sent := k.send("a", `{"strategy":"direct","agent_id":"b"}`, object{"artifacts": []string{"art_1"}})
		k.want("target", sent["target"], `{"agent_id":"b","strategy":"direct"}`)
		k.want("artifacts", sent["artifacts"], `["art_1"]`)
		k.want("channel", sent["channel_id"], `null`)
		page := k.call("event_get", object{"project_root": k.root, "agent_id": "b", "stream": "workspace"})
		events := page["events"].([]any)
		last := events[len(events)-1].(object)
		k.want("event", last["event_id"] == sent["event_id"], `true`)
		k.want("type", last["type"], `"message.created"`)
		payload := last["payload"].(object)
		k.want("payload", payload["message_id"] == sent["message_id"], `true`)
		if _, leaked := payload["body"]; leaked {
			k.t.Error("the log holds the body")
		}
		got := messages(k.call("inbox_pull", object{"agent_id": "b"}))[0]
		k.want("body", got["body"], `"world"`)
		k.want("artifacts", got["artifacts"], `["art_1"]`)
	})
}

func TestTrust(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		each(t, func(k *kit) {
			mine, yours := k.open("a"), k.open("b")
			k.send("a", direct("b"), object{"from_session_id": mine["session_id"], "session_secret": mine["session_secret"]})
			k.fails("inbox_pull", nexus.NotOwner, object{"agent_id": "a", "session_id": mine["session_id"], "session_secret": "wrong"})
			k.fails("inbox_pull", nexus.NotOwner, object{"agent_id": "a", "session_id": yours["session_id"], "session_secret": yours["session_secret"]})
			k.fails("inbox_pull", nexus.NotFound, object{"agent_id": "a", "session_id": "ses_none", "session_secret": "x"})
			k.fails("inbox_pull", nexus.ValidationError, object{"agent_id": "a", "session_secret": "x"})
			k.call("session_close", object{"session_id": mine["session_id"]})
			k.fails("inbox_pull", nexus.NotOwner, object{"agent_id": "a", "session_id": mine["session_id"], "session_secret": mine["session_secret"]})
		})
	})
	t.Run("strict", func(t *testing.T) {
		strict := settings()
		strict.Strict = true
		eachWith(t, strict, func(k *kit) {
			mine := k.open("a")
			proof := object{"session_id": mine["session_id"], "session_secret": mine["session_secret"]}
			for verb, arguments := range map[string]object{
				"inbox_pull":   {"agent_id": "a"},
				"inbox_ack":    {"agent_id": "a", "message_ids": []string{}},
				"inbox_extend": {"agent_id": "a", "message_ids": []string{"x"}, "extend_seconds": 60},
			} {
				k.fails(verb, nexus.ValidationError, arguments)
				for key, value := range proof {
					arguments[key] = value
				}
				if _, err := k.try(verb, arguments); err != nil && err.Code != nexus.NotFound {
					k.t.Errorf("%s with proof: %v", verb, err)
				}
			}
			k.fails("message_create", nexus.ValidationError,
				object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b"})
			k.send("a", direct("a"), object{"from_session_id": mine["session_id"], "session_secret": mine["session_secret"]})
			k.call("inbox_count", object{"agent_id": "a"})
		})
	})
}
