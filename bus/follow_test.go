package bus_test

import (
	"testing"
	"time"

	"nexus"
	"nexus/bus"
)

func (k *keeper) follow(agent string, after int64, more ...func(*bus.WaitParams)) (bus.EventPage, error) {
	none := 0
	p := bus.WaitParams{
		ReadParams:     bus.ReadParams{ProjectRoot: k.root, AgentID: agent, Stream: "workspace", Cursor: &after},
		TimeoutSeconds: &none,
	}
	for _, m := range more {
		m(&p)
	}
	return k.service.FollowEvents(k.t.Context(), p)
}

func subjects(page bus.EventPage) []string {
	all := []string{}
	for _, e := range page.Events {
		all = append(all, string(e.Payload))
	}
	return all
}

// A follower sees what its agent may see and leaves no mark.
func TestFollowEvents(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		for _, name := range []string{"a", "b", "c"} {
			k.register(name)
		}
		seen := k.call("agent_get", object{"agent_id": "a"})["last_seen_at"]
		first := k.send("b", direct("a"))["event_id"]
		k.send("b", direct("c"))
		second := k.send("c", direct("a"))["event_id"]
		k.pass(time.Hour)
		before := k.updates.Load()

		page, err := k.follow("a", 0)
		if err != nil || len(page.Events) != 2 || page.TimedOut {
			k.t.Fatalf("got %+v, %v", page, err)
		}
		k.want("events", []int64{page.Events[0].ID, page.Events[1].ID}, mustText([]any{first, second}))
		page, err = k.follow("a", 0, func(p *bus.WaitParams) { p.Filters = nexus.Object(`{"agent_id":"b"}`) })
		if err != nil || len(page.Events) != 1 || page.NextCursor < page.Events[0].ID {
			k.t.Errorf("from b: got %v, %v", subjects(page), err)
		}
		end, err := k.service.LastEvent(k.t.Context(), k.root, "workspace")
		if err != nil || end != page.NextCursor {
			k.t.Errorf("the newest event is %d, %v; the cursor stands at %d", end, err, page.NextCursor)
		}
		page, err = k.follow("a", end)
		if err != nil || len(page.Events) != 0 || page.NextCursor != end {
			k.t.Errorf("at the end: got %+v, %v", page, err)
		}
		if k.updates.Load() != before || k.call("agent_get", object{"agent_id": "a"})["last_seen_at"] != seen {
			k.t.Error("following left a mark")
		}
	})
}

func TestFollowEventsWaits(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.register("a")
		pages := make(chan bus.EventPage, 1)
		go func() {
			page, err := k.follow("a", 0, func(p *bus.WaitParams) { p.TimeoutSeconds = nil })
			if err != nil {
				k.t.Error(err)
			}
			pages <- page
		}()
		k.send("a", direct("a"))
		if page := <-pages; len(page.Events) != 1 {
			k.t.Errorf("got %+v", page)
		}
	})
}

func TestFollowEventsRefuses(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		tests := []struct {
			code nexus.Code
			with func(*bus.WaitParams)
		}{
			{nexus.WorkspaceRequired, func(p *bus.WaitParams) { p.ProjectRoot = "" }},
			{nexus.WorkspaceUnresolved, func(p *bus.WaitParams) { p.ProjectRoot += "/gone" }},
			{nexus.InvalidStream, func(p *bus.WaitParams) { p.Stream = "system" }},
			{nexus.ValidationError, func(p *bus.WaitParams) { p.AgentID = " " }},
			{nexus.ValidationError, func(p *bus.WaitParams) { p.Limit = new(int) }},
		}
		for _, test := range tests {
			if _, err := k.follow("a", 0, test.with); nexus.CodeOf(err) != test.code {
				k.t.Errorf("got %v, want %s", err, test.code)
			}
		}
		if _, err := k.service.LastEvent(k.t.Context(), k.root, "system"); nexus.CodeOf(err) != nexus.InvalidStream {
			k.t.Errorf("got %v, want INVALID_STREAM", err)
		}
	})
}
