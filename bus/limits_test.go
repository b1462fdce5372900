package bus_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nexus"
)

// Names are names, and what nests too deeply is kept by nobody.
func TestNamesAreBrief(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		long, just := strings.Repeat("ü", 257), strings.Repeat("ü", 256)
		message := func(more object) object {
			arguments := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")}
			for key, value := range more {
				arguments[key] = value
			}
			return arguments
		}
		for name, arguments := range map[string][]object{
			"agent_register": {
				{"agent_id": long},
				{"agent_id": "b", "role": long},
				{"agent_id": "b", "capabilities": []string{long}},
				{"agent_id": "b", "metadata": json.RawMessage(strings.Repeat("[", 201) + strings.Repeat("]", 201))},
			},
			"workspace_resolve": {{"project_root": k.root, "display_name": long}},
			"message_create": {
				message(object{"from_agent_id": long}), message(object{"target": object{"strategy": "role", "role": long}}),
				message(object{"artifacts": make([]string, 101)}), message(object{"artifacts": []string{" "}}),
			},
			"inbox_ack":    {{"agent_id": "a", "message_ids": []string{""}}},
			"inbox_extend": {{"agent_id": "a", "message_ids": "", "extend_seconds": 60}},
		} {
			for _, given := range arguments {
				k.fails(name, nexus.ValidationError, given)
			}
		}
		k.call("agent_register", object{"agent_id": just, "role": just, "capabilities": []string{just}})
		err := k.fails("agent_register", nexus.ValidationError, object{strings.Repeat("x", 10000): 1})
		if len(err.Msg) > 1000 {
			k.t.Errorf("the message repeats %d bytes", len(err.Msg))
		}
	})
}

// The operator's name belongs to the operator, however it is written.
func TestOperatorIsReserved(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		for _, name := range []string{"operator", " Operator ", "OPERATOR"} {
			k.fails("agent_register", nexus.ValidationError, object{"agent_id": name})
			k.fails("agent_create", nexus.ValidationError, object{"agent_id": name})
			k.fails("message_create", nexus.NotOwner,
				object{"project_root": k.root, "from_agent_id": name, "subject": "s", "body": "b", "target": direct("a")})
		}
	})
}

// A key cannot be used to become somebody else.
func TestKeyOfAnother(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"})
		regenerate := k.ops.Lookup("agent_regenerate_key")
		if _, err := regenerate.Call(ctx, json.RawMessage(`{"agent_id":"b"}`)); nexus.CodeOf(err) != nexus.NotOwner {
			k.t.Errorf("got %v, want NOT_OWNER", err)
		}
		if _, err := regenerate.Call(ctx, json.RawMessage(`{"agent_id":"a"}`)); err != nil {
			k.t.Error(err)
		}
	})
}

func TestPeekPreview(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("a", direct("a"), object{"body": strings.Repeat("é", 300)})
		m := messages(k.call("inbox_peek", object{"agent_id": "a", "include_bodies": false}))[0]
		k.want("preview", []any{len([]rune(m["body_preview"].(string))), m["body_bytes"], m["body"]}, `[200,600,null]`)
		whole := messages(k.call("inbox_peek", object{"agent_id": "a"}))[0]
		k.want("whole", len([]rune(whole["body"].(string))), `300`)
	})
}

func TestEligibleCount(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "b"} {
			k.register(name)
		}
		k.register("c", object{"role": "w"})
		fallback := func(after int, to any) object {
			return object{"strategy": "direct_with_fallback", "agent_id": "b", "fallback_after_seconds": after, "fallback": to}
		}
		byRole := object{"strategy": "role", "role": "w"}
		for _, test := range []struct {
			target object
			want   string
		}{
			{fallback(0, byRole), `2`},
			{fallback(1000, byRole), `1`},
			{fallback(1000, nil), `1`},
			{fallback(0, nil), `3`},
			{object{"strategy": "mixed", "rules": []object{fallback(1000, byRole), direct("boss")}}, `2`},
		} {
			k.want(mustText(test.target), k.handoff(test.target)["eligible_count"], test.want)
		}
		k.fails("handoff_create", nexus.ValidationError, object{
			"project_root": k.root, "from_agent_id": "boss", "visibility": "public",
			"target": object{"strategy": "mixed", "rules": []object{fallback(10, nil)}},
		})
	})
}
