package bus_test

import (
	"fmt"
	"testing"
	"time"

	"nexus"
)

func TestObserveGraph(t *testing.T) {
	each(t, func(k *kit) {
		k.open("a")
		k.register("b", object{"role": "builder", "capabilities": []string{"go"}})
		k.call("agent_create", object{"agent_id": "c"})
		k.send("a", direct("b"))
		k.pass(25 * time.Hour)
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": k.pulled("b")})
		k.send("a", direct("b"))
		k.pulled("b")
		k.send("a", direct("b"))
		k.send("b", direct("a"))
		channel := k.call("channel_create", object{"project_root": k.root, "name": "x"})["channel"].(object)
		open := k.handoff(anybody, object{"from_agent_id": "a"})
		claimed := k.handoff(anybody, object{"from_agent_id": "a"})
		k.call("handoff_claim", k.on(claimed, "b"))
		done := k.handoff(anybody, object{"from_agent_id": "a"})
		k.call("handoff_cancel", k.on(done, "a"))

		g := k.call("observe_graph", object{})
		k.want("the graph", fields(g), `"channels edges generated_at nodes truncated window_hours workspace_id"`)
		k.want("what it is of", []any{g["workspace_id"], g["window_hours"], g["generated_at"], g["truncated"]},
			fmt.Sprintf(`[null,24,%q,false]`, nexus.Stamp(k.now())))
		nodes := g["nodes"].([]any)
		k.want("b", nodes[1], fmt.Sprintf(
			`{"agent_id":"b","capabilities":["go"],"has_key":false,"inbox":{"delivered":1,"parked":0,"read":1,"unread":1},"is_active":true,"last_seen_at":%q,"presence":"offline","role":"builder","sessions":0}`,
			nexus.Stamp(k.now())))
		k.want("c has a key", []any{nodes[2].(object)["agent_id"], nodes[2].(object)["has_key"], nodes[2].(object)["presence"]}, `["c",true,"offline"]`)
		edges := g["edges"].(object)
		k.want("who wrote to whom", edges["messages"], fmt.Sprintf(
			`[{"count":2,"from":"a","in_flight":{"delivered":1,"unread":1},"last_at":%[1]q,"to":"b"},{"count":1,"from":"b","in_flight":{"delivered":0,"unread":1},"last_at":%[1]q,"to":"a"}]`,
			nexus.Stamp(k.now())))
		k.lines("the work", rows(edges["handoffs"]), "handoff_id", name(claimed), name(open))
		k.lines("channels", rows(g["channels"]), "channel_id", channel["channel_id"].(string))

		k.want("everything", len(k.call("observe_graph", object{"window_hours": 26})["edges"].(object)["messages"].([]any)), `2`)
		other := k.call("observe_graph", object{"workspace": "nowhere"})
		k.want("elsewhere", []any{other["workspace_id"], len(other["nodes"].([]any)), other["edges"], other["channels"]},
			`["nowhere",3,{"handoffs":[],"messages":[]},[]]`)
	})
}

// name is the id of a hand-off.
func name(h object) string { return h["handoff_id"].(string) }

func rows(list any) []object { return items(object{"items": list}) }

func TestObservePresence(t *testing.T) {
	each(t, func(k *kit) {
		session := k.open("a")
		presence := func() (string, string) {
			node := k.call("observe_graph", object{})["nodes"].([]any)[0].(object)
			return node["presence"].(string), k.list("observe_sessions", object{})[0]["presence"].(string)
		}
		for _, test := range []struct {
			age  time.Duration
			want string
		}{
			{0, "present"},
			{time.Minute - time.Microsecond, "present"},
			{time.Minute, "stale"},
			{30*time.Minute - time.Microsecond, "stale"},
			{30 * time.Minute, "offline"},
		} {
			k.call("session_heartbeat", object{"session_id": session["session_id"]})
			k.pass(test.age)
			if node, row := presence(); node != test.want || row != test.want {
				k.t.Errorf("after %v: %s, %s; want %s", test.age, node, row, test.want)
			}
		}
		k.call("session_heartbeat", object{"session_id": session["session_id"]})
		k.call("session_close", object{"session_id": session["session_id"]})
		if node, row := presence(); node != "offline" || row != "offline" {
			k.t.Errorf("closed: %s, %s", node, row)
		}
	})
}

func TestObserveSessions(t *testing.T) {
	each(t, func(k *kit) {
		id := func(s object) string { return s["session_id"].(string) }
		closed, stale := id(k.open("a")), id(k.open("b"))
		k.call("session_close", object{"session_id": closed})
		k.pass(2 * time.Minute)
		active := id(k.open("a"))
		other := k.elsewhere()
		away := id(other.open("b"))
		for _, test := range []struct {
			name      string
			arguments object
			want      []string
		}{
			{"all", object{}, []string{away, active, stale, closed}},
			{"a workspace", object{"workspace": k.place()}, []string{active, stale, closed}},
			{"active", object{"status": "active"}, []string{away, active, stale}},
			{"stale", object{"status": "stale"}, []string{stale}},
			{"closed", object{"status": "closed"}, []string{closed}},
			{"an agent", object{"agent": "a"}, []string{active, closed}},
			{"an agent in a workspace", object{"agent": "b", "workspace": other.place()}, []string{away}},
		} {
			k.lines(test.name, k.list("observe_sessions", test.arguments), "session_id", test.want...)
			if got := k.follow("observe_sessions", with(test.arguments, object{"limit": 1}), "session_id", nil); fmt.Sprint(got) != fmt.Sprint(test.want) {
				k.t.Errorf("%s by cursor: got %v, want %v", test.name, got, test.want)
			}
		}
		k.want("a row", fields(k.list("observe_sessions", object{})[0]),
			`"agent_id closed_at last_heartbeat_at metadata presence session_id started_at status workspace_id"`)
	})
}

func TestObserveWork(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		other := k.elsewhere()
		work := k.handoff(anybody, object{"from_agent_id": "a", "payload": "do it"})
		first := name(work)
		second := name(k.handoff(anybody, object{"from_agent_id": "a", "depends_on": []string{first}}))
		third := name(other.handoff(anybody, object{"from_agent_id": "b"}))
		k.call("handoff_claim", k.on(work, "b"))
		for _, test := range []struct {
			name      string
			arguments object
			want      []string
		}{
			{"all", object{}, []string{third, second, first}},
			{"a workspace", object{"workspace": k.place()}, []string{second, first}},
			{"open", object{"status": "OPEN"}, []string{third, second}},
			{"claimed, here", object{"status": "claimed", "workspace": k.place()}, []string{first}},
			{"an agent", object{"agent": "b"}, []string{third, first}},
			{"nobody", object{"agent": "c"}, nil},
		} {
			k.lines(test.name, k.list("observe_handoffs", test.arguments), "handoff_id", test.want...)
			if got := k.follow("observe_handoffs", with(test.arguments, object{"limit": 1}), "handoff_id", nil); fmt.Sprint(got) != fmt.Sprint(test.want) {
				k.t.Errorf("%s by cursor: got %v, want %v", test.name, got, test.want)
			}
		}
		row := k.list("observe_handoffs", object{})[1]
		k.want("a row", fields(row), `"acceptance_criteria attempt blocked claimed_by claimed_session_id created_at depends_on expires_at feedback from_agent_id from_session_id handoff_id lease_expires_at max_attempts payload priority rejected_reason result status target task_id updated_at verify_by visibility workspace_id"`)
		k.want("what it waits for", []any{row["depends_on"], row["blocked"]}, fmt.Sprintf(`[[%q],true]`, first))
		one := k.call("observe_handoff", object{"handoff_id": first})
		k.want("payload", one["payload"], `"do it"`)
		k.lines("its history", rows(one["events"]), "type", "handoff.created", "handoff.claimed")

		task := k.call("task_create", object{"project_root": k.root, "agent_id": "a", "title": "x", "assignee": "b"})["task_id"].(string)
		later := k.call("task_create", object{"project_root": other.root, "agent_id": "a", "title": "y", "depends_on": []string{}})["task_id"].(string)
		k.lines("tasks", k.list("observe_tasks", object{}), "task_id", later, task)
		k.lines("tasks of one", k.list("observe_tasks", object{"assignee": "b"}), "task_id", task)
		k.lines("open tasks", k.list("observe_tasks", object{"status": "Open", "limit": 1}), "task_id", later)
		k.lines("done tasks here", k.list("observe_tasks", object{"status": "done", "workspace": k.place()}), "task_id")

		k.call("artifact_put", object{"project_root": k.root, "artifact_type": "text", "content": "secret", "name": "n"})
		art := k.list("observe_artifacts", object{"type": "text", "workspace": k.place()})
		k.want("an artifact", fields(art[0]), `"artifact_id artifact_type created_at metadata name path size_bytes stored workspace_id"`)
		k.want("its size", []any{art[0]["size_bytes"], art[0]["stored"], art[0]["name"]}, `[6,"inline","n"]`)
		k.lines("no file", k.list("observe_artifacts", object{"type": "file"}), "artifact_id")
	})
}

func TestObserveEvents(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("a", direct("a"))
		k.handoff(anybody, object{"from_agent_id": "a"})
		k.register("b")
		all := k.call("observe_events", object{})
		k.lines("the log", items(all), "type", "agent.registered", "workspace.created", "message.created", "handoff.created", "agent.registered")
		k.want("cursor", all["next_cursor"], `5`)
		row := items(all)[2]
		k.want("a row", fields(row), `"actor_agent_id created_at event_id payload stream trace_id type workspace_id"`)
		k.want("system events are in no workspace", items(all)[0]["workspace_id"], `null`)
		k.want("the end", k.call("observe_events", object{"after": 5}), `{"has_more":false,"items":[],"next_cursor":5}`)
		for _, test := range []struct {
			name      string
			arguments object
			want      string
		}{
			{"limit", object{"limit": 2}, "[1 2]"},
			{"after", object{"after": "2", "limit": 2}, "[3 4]"},
			{"backwards", object{"before": 1 << 53, "limit": 2}, "[5 4]"},
			{"further back", object{"before": 4, "limit": 2}, "[3 2]"},
			{"a workspace", object{"workspace": k.place()}, "[3 4]"},
			{"a workspace, backwards", object{"workspace": k.place(), "before": 100}, "[4 3]"},
			{"a stream", object{"stream": "handoff"}, "[4]"},
			{"a stream of a workspace", object{"stream": "workspace", "workspace": k.place()}, "[3]"},
			{"system", object{"stream": "system"}, "[1 2 5]"},
			{"no system in a workspace", object{"stream": "system", "workspace": k.place()}, "[]"},
			{"a type", object{"type": "agent.registered"}, "[1 5]"},
			{"a type, backwards", object{"type": "agent.registered", "before": 5}, "[1]"},
			{"an agent", object{"agent": "a", "workspace": k.place()}, "[3 4]"},
			{"no trace", object{"trace": "0af7651916cd43dd8448eb211c80319c"}, "[]"},
		} {
			if got := fmt.Sprint(column(k.list("observe_events", test.arguments), "event_id")); got != test.want {
				k.t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
		}
		k.want("types", k.call("observe_event_types", object{}),
			`{"counted_to":10000,"items":[{"count":2,"type":"agent.registered"},{"count":1,"type":"handoff.created"},{"count":1,"type":"message.created"},{"count":1,"type":"workspace.created"}],"next_cursor":null}`)
	})
}

func TestObservePeers(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"a", "b", "c"} {
			k.register(name)
		}
		k.send("a", direct("b"))
		k.send("b", direct("a"))
		last := k.send("b", direct("a"), object{"body": "last"})["message_id"]
		k.call("inbox_pull", object{"agent_id": "a"})
		k.pass(time.Minute)
		k.elsewhere().send("c", direct("a"))
		k.send("a", object{"strategy": "role", "role": "none"})
		k.send("a", direct("a"))
		early, late := nexus.Stamp(k.now().Add(-time.Minute)), nexus.Stamp(k.now())
		all := k.call("observe_peers", object{"agent": "a"})
		k.want("how many", []any{all["failed_count"], all["looked_at"]}, `[1,10000]`)
		for i, want := range []string{
			`{"count":1,"last_at":%[2]q,"last_message":{"created_at":%[2]q,"from_agent_id":"a","message_id":"","preview":"world","status":"unread"},"peer":"a","unread":0}`,
			`{"count":1,"last_at":%[2]q,"last_message":{"created_at":%[2]q,"from_agent_id":"c","message_id":"","preview":"world","status":"unread"},"peer":"c","unread":1}`,
			`{"count":3,"last_at":%[1]q,"last_message":{"created_at":%[1]q,"from_agent_id":"b","message_id":"","preview":"last","status":"delivered"},"peer":"b","unread":0}`,
		} {
			peer := items(all)[i]
			peer["last_message"].(object)["message_id"] = ""
			k.want("a peer", peer, fmt.Sprintf(want, early, late))
		}
		k.call("inbox_ack", object{"agent_id": "a", "message_ids": last})
		k.want("read", items(k.call("observe_peers", object{"agent": "b"}))[0]["last_message"].(object)["status"], `"read"`)
		k.lines("peers here", k.list("observe_peers", object{"agent": "a", "workspace": k.place()}), "peer", "a", "b")
		k.want("nobody's", k.call("observe_peers", object{"agent": "nobody"})["items"], `[]`)
	})
}

func TestObserveWorkspaces(t *testing.T) {
	each(t, func(k *kit) {
		k.open("a")
		k.open("a")
		k.send("a", direct("a"))
		k.handoff(anybody, object{"from_agent_id": "a"})
		k.call("task_create", object{"project_root": k.root, "agent_id": "a", "title": "x"})
		k.pass(time.Minute)
		other := k.elsewhere()
		other.register("b")
		other.send("b", direct("b"))
		all := k.call("observe_workspaces", object{})
		k.lines("workspaces", items(all), "workspace_id", other.place(), k.place())
		row := items(all)[1]
		k.want("a row", fields(row), `"agents created_at display_name handoffs_claimed handoffs_open last_seen_at messages root_realpath sessions tasks_open workspace_id"`)
		k.want("what is in it", []any{row["agents"], row["sessions"], row["messages"], row["handoffs_open"], row["handoffs_claimed"], row["tasks_open"]}, `[1,2,1,1,0,1]`)
		k.want("one", k.call("observe_workspaces", object{"limit": 1})["truncated"], `true`)
	})
}

func TestObserveAnalytics(t *testing.T) {
	each(t, func(k *kit) {
		k.pass(20 * time.Minute) // 12:20
		k.open("a")
		k.register("b")
		finish := func(after time.Duration) {
			h := k.handoff(anybody, object{"from_agent_id": "a"})
			k.pass(after)
			k.call("handoff_claim", k.on(h, "b"))
			k.call("handoff_complete", k.on(h, "b"))
		}
		for i := range 3 {
			k.send("a", direct("b"))
			k.pass(time.Duration(i+1) * time.Second)
			k.call("inbox_ack", object{"agent_id": "b", "message_ids": k.pulled("b")})
		}
		k.pass(2 * time.Hour)
		finish(10 * time.Second)
		k.send("b", direct("a"))

		a := k.call("observe_analytics", object{"workspace_id": k.place()})
		k.want("the answer", fields(a), `"bucket_seconds buckets from generated_at time_to_complete time_to_read top_recipients top_senders totals truncated window workspace_id"`)
		buckets := rows(a["buckets"])
		k.want("the day", []any{a["window"], len(buckets), a["bucket_seconds"], a["from"]}, `["24h",24,3600,"2026-02-28T15:00:00.000000Z"]`)
		k.want("12 o'clock", buckets[21], `{"at":"2026-03-01T12:00:00.000000Z","events":4,"handoffs_completed":0,"handoffs_created":0,"messages":3,"sessions":1}`)
		k.want("2 o'clock", buckets[23], `{"at":"2026-03-01T14:00:00.000000Z","events":4,"handoffs_completed":1,"handoffs_created":1,"messages":1,"sessions":0}`)
		k.want("all", a["totals"], `{"events":8,"handoffs_completed":1,"handoffs_created":1,"messages":4,"sessions":1}`)
		k.want("read", a["time_to_read"], `{"count":3,"median_seconds":2,"p90_seconds":3}`)
		k.want("completed", a["time_to_complete"], `{"count":1,"median_seconds":10,"p90_seconds":10}`)
		k.want("senders", a["top_senders"], `[{"agent_id":"a","count":3},{"agent_id":"b","count":2}]`) // b's includes the notice that it is done
		k.want("recipients", a["top_recipients"], `[{"agent_id":"b","count":3},{"agent_id":"a","count":2}]`)

		k.pass(6 * 24 * time.Hour)
		week := k.call("observe_analytics", object{"workspace_id": k.place(), "window": "7d"})
		k.want("the week", []any{len(rows(week["buckets"])), week["totals"].(object)["messages"]}, `[28,4]`)
		k.want("nothing today", k.call("observe_analytics", object{"workspace_id": k.place()})["time_to_read"],
			`{"count":0,"median_seconds":null,"p90_seconds":null}`)
		k.want("the month", len(rows(k.call("observe_analytics", object{"workspace_id": k.place(), "window": "30d"})["buckets"])), `30`)
	})
}
