package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
)

func mustText(v any) string {
	raw, err := op.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (k *kit) events(more object) object {
	k.t.Helper()
	arguments := object{"project_root": k.root, "agent_id": "a", "stream": "workspace"}
	for key, value := range more {
		arguments[key] = value
	}
	return k.call("event_get", arguments)
}

func TestEventPages(t *testing.T) {
	each(t, func(k *kit) {
		for _, id := range []string{"a", "b", "c"} {
			k.register(id)
		}
		var mine []float64
		for i := range 12 {
			to := []string{"a", "b"}[i%2]
			sent := k.send("c", direct(to), object{"subject": fmt.Sprint(i)})
			if to == "a" {
				mine = append(mine, sent["event_id"].(float64))
			}
		}
		var got []float64
		var cursor any = 0
		for page := 0; ; page++ {
			p := k.events(object{"cursor": cursor, "limit": 4})
			for _, e := range p["events"].([]any) {
				got = append(got, e.(object)["event_id"].(float64))
			}
			cursor = p["next_cursor"]
			k.want("timed_out", p["timed_out"], `false`)
			if p["has_more"] == false {
				break
			}
		}
		if !slices.Equal(got, mine) {
			k.t.Errorf("got events %v, want %v", got, mine)
		}
		end := k.events(object{"cursor": cursor})
		k.want("the end", end["events"], `[]`)
		k.want("the cursor stays", end["next_cursor"] == cursor, `true`)
		// The cursor has passed b's last message although a may not see it.
		all := k.call("event_get", object{"project_root": k.root, "agent_id": "c", "stream": "workspace"})
		k.want("the sender sees all", len(all["events"].([]any)), `12`)
		k.want("the cursor passed what is not visible", all["next_cursor"] == cursor, `true`)
	})
}

func TestEventFilters(t *testing.T) {
	each(t, func(k *kit) {
		k.open("a")
		k.open("b")
		k.send("b", direct("a"))
		k.want("by type", len(k.events(object{"filters": object{"type": "session.opened"}})["events"].([]any)), `2`)
		k.want("by agent", len(k.events(object{"filters": `{"agent_id":"b"}`})["events"].([]any)), `2`)
		k.want("both", len(k.events(object{"filters": object{"agent_id": "b", "type": "session.opened"}})["events"].([]any)), `1`)
		none := k.events(object{"filters": object{"task_id": "t"}})
		k.want("none", none["events"], `[]`)
		k.want("the cursor passed them all", none["next_cursor"] == k.events(nil)["next_cursor"], `true`)
		k.want("another stream", k.events(object{"stream": "handoff"})["events"], `[]`)
	})
}

func TestEventRefuses(t *testing.T) {
	each(t, func(k *kit) {
		tests := []struct {
			code nexus.Code
			with object
		}{
			{nexus.WorkspaceRequired, object{"project_root": nil, "stream": "nope", "limit": 0}},
			{nexus.WorkspaceRequired, object{"project_root": nil, "cursor": "x"}},
			{nexus.InvalidStream, object{"stream": "nope", "agent_id": nil}},
			{nexus.InvalidStream, object{"stream": "system", "limit": "x"}},
			{nexus.InvalidStream, object{"stream": nil}},
			{nexus.ValidationError, object{"agent_id": nil, "project_root": "/no/such/place"}},
			{nexus.ValidationError, object{"cursor": -1}},
			{nexus.ValidationError, object{"cursor": true}},
			{nexus.ValidationError, object{"cursor": json.RawMessage(`99999999999999999999999`)}},
			{nexus.ValidationError, object{"limit": 0}},
			{nexus.ValidationError, object{"limit": "many"}},
			{nexus.ValidationError, object{"filters": []string{"x"}}},
			{nexus.ValidationError, object{"filters": object{"color": "red"}}},
			{nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place"}},
		}
		for _, test := range tests {
			arguments := object{"project_root": k.root, "agent_id": "a", "stream": "workspace"}
			for key, value := range test.with {
				arguments[key] = value
			}
			k.fails("event_get", test.code, arguments)
			k.fails("event_wait", test.code, arguments)
		}
		k.fails("event_wait", nexus.ValidationError, object{"project_root": k.root, "agent_id": "a", "stream": "workspace", "timeout_seconds": true})
	})
}

func TestEventWait(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		wait := func(ctx context.Context, seconds int, cursor any) (object, error) {
			raw := mustText(object{"project_root": k.root, "agent_id": "a", "stream": "workspace", "timeout_seconds": seconds, "cursor": cursor})
			answer, err := k.ops.Lookup("event_wait").Call(ctx, json.RawMessage(raw))
			if err != nil {
				return nil, err
			}
			var data object
			return data, json.Unmarshal([]byte(mustText(answer)), &data)
		}
		t := k.t
		snapshot, err := wait(t.Context(), 0, 0)
		if err != nil || snapshot["timed_out"] != false {
			t.Fatalf("a snapshot: %v, %v", snapshot, err)
		}
		woken := make(chan object, 1)
		go func() {
			page, err := wait(t.Context(), 30, 0)
			if err != nil {
				t.Error(err)
			}
			woken <- page
		}()
		k.send("b", direct("b")) // not for a: it goes on waiting
		sent := k.send("b", direct("a"))
		page := <-woken
		if events := page["events"].([]any); len(events) != 1 || events[0].(object)["event_id"] != sent["event_id"] || page["timed_out"] != false {
			t.Errorf("the waiter got %v", page)
		}

		gone, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { _, err := wait(gone, 30, page["next_cursor"]); stopped <- err }()
		cancel()
		if err := <-stopped; !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled wait: %v", err)
		}
		stopping, stop := context.WithCancelCause(t.Context())
		answered := make(chan object, 1)
		go func() {
			page, err := wait(stopping, 30, page["next_cursor"])
			if err != nil {
				t.Error(err)
			}
			answered <- page
		}()
		stop(nexus.ErrStopping)
		if page := <-answered; page["timed_out"] != true {
			t.Errorf("a stopping hub answers %v", page)
		}
	})
}

// A wait is over at the ceiling, whatever was asked for, and its cursor has
// passed what it may not see.
func TestEventWaitCeiling(t *testing.T) {
	short := settings()
	short.MaxWait = time.Millisecond
	eachWith(t, short, func(k *kit) {
		k.register("a")
		k.register("b")
		hidden := k.send("b", direct("b"))["event_id"]
		page := k.call("event_wait", object{"project_root": k.root, "agent_id": "a", "stream": "workspace", "timeout_seconds": 3600})
		k.want("page", []any{page["events"], page["timed_out"], page["next_cursor"] == hidden}, `[[],true,true]`)
	})
}

func TestLastSeen(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		seen := func() string { return k.call("agent_get", object{"agent_id": "a"})["last_seen_at"].(string) }
		for _, act := range []func(){
			func() { k.events(nil) },
			func() { k.send("a", direct("a")) },
			func() { k.call("inbox_pull", object{"agent_id": "a"}) },
			func() { k.call("inbox_pull", object{"agent_id": "a"}) },
		} {
			k.pass(time.Second)
			before := seen()
			act()
			if after := seen(); after <= before {
				k.t.Errorf("last_seen_at stayed at %s", after)
			}
			k.pass(time.Second)
			before = seen()
			k.call("inbox_peek", object{"agent_id": "a"})
			k.call("inbox_count", object{"agent_id": "a"})
			if after := seen(); after != before {
				k.t.Errorf("a look moved last_seen_at to %s", after)
			}
		}
	})
}

// Direct calls of an actor that is bound to an identity by its key.
func TestBoundActor(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		bound := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a", Bound: true})
		for name, arguments := range map[string]object{
			"inbox_pull":     {"agent_id": "b"},
			"inbox_peek":     {"agent_id": "b"},
			"message_create": {"project_root": k.root, "from_agent_id": "b", "subject": "s", "body": "b"},
			"agent_register": {"agent_id": "b"},
			"event_get":      {"project_root": k.root, "agent_id": "b", "stream": "workspace"},
		} {
			if _, err := k.ops.Lookup(name).Call(bound, json.RawMessage(mustText(arguments))); nexus.CodeOf(err) != nexus.NotOwner {
				k.t.Errorf("%s as somebody else: %v", name, err)
			}
		}
		if _, err := k.ops.Lookup("inbox_pull").Call(bound, json.RawMessage(`{"agent_id":"a"}`)); err != nil {
			k.t.Error(err)
		}
	})
}

func TestKeys(t *testing.T) {
	each(t, func(k *kit) {
		made := k.call("agent_create", object{"agent_id": "a", "role": "r", "capabilities": []string{"go"}})
		key := made["api_key"].(string)
		if len(key) != 52 || key[:4] != "nxs_" {
			k.t.Errorf("key %q", key)
		}
		k.want("active", made["is_active"], `true`)
		k.fails("agent_create", nexus.Conflict, object{"agent_id": "a"})
		k.fails("agent_create", nexus.ValidationError, object{})
		k.fails("agent_create", nexus.ValidationError, object{"agent_id": fmt.Sprintf("%0129d", 1)})
		rotated := k.call("agent_regenerate_key", object{"agent_id": "a"})
		if rotated["api_key"] == key {
			k.t.Error("the key stayed the same")
		}
		k.fails("agent_regenerate_key", nexus.NotFound, object{"agent_id": "nobody"})
	})
}

// A repeated call with the same hidden key has one effect and one answer.
func TestCallTwice(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		ctx := op.WithKey(k.t.Context(), "k1")
		raw := json.RawMessage(mustText(object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")}))
		var answers []string
		for range 2 {
			answer, err := k.ops.Lookup("message_create").Call(ctx, raw)
			if err != nil {
				k.t.Fatal(err)
			}
			answers = append(answers, mustText(answer))
		}
		if answers[0] != answers[1] {
			k.t.Errorf("the answers differ:\n%s\n%s", answers[0], answers[1])
		}
		k.want("messages", k.call("inbox_count", object{"agent_id": "a"})["unread"], `1`)
	})
}

// What an agent does in one process is seen in the others, though it was seen there
// a moment ago.
func TestSeenElsewhere(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		elsewhere := bus.New(bus.Config{Store: store.Of[bus.Tx]{DB: k.db}, Settings: settings(), Now: k.now, NewID: newID})
		k.pass(time.Second)
		if _, err := elsewhere.Send(k.t.Context(), bus.SendParams{ProjectRoot: k.root, FromAgentID: "a", Subject: "s", Body: "b"}); err != nil {
			k.t.Fatal(err)
		}
		k.want("last seen", k.call("agent_get", object{"agent_id": "a"})["last_seen_at"] == nexus.Stamp(k.now()), `true`)
	})
}
