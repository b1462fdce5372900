package bus_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
	"nexus/store/storetest"
)

// items are the rows of a list.
func items(data object) []object {
	all := []object{}
	for _, row := range data["items"].([]any) {
		all = append(all, row.(object))
	}
	return all
}

// column is one field of every row.
func column(rows []object, field string) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = fmt.Sprint(row[field])
	}
	return all
}

// fields are the names in an object, sorted.
func fields(row any) string { return strings.Join(slices.Sorted(maps.Keys(row.(object))), " ") }

func (k *kit) list(name string, arguments object) []object { return items(k.call(name, arguments)) }

// lines compares a column of a list with what it should be.
func (k *kit) lines(what string, got []object, field string, want ...string) {
	k.t.Helper()
	if have := column(got, field); !slices.Equal(have, want) && len(have)+len(want) > 0 {
		k.t.Errorf("%s: got %v, want %v", what, have, want)
	}
}

// place is the workspace of the kit's project.
func (k *kit) place() string {
	return k.call("workspace_resolve", object{"project_root": k.root})["workspace_id"].(string)
}

// elsewhere is the kit in another project.
func (k *kit) elsewhere() *kit {
	other := &kit{t: k.t, ops: k.ops, root: k.t.TempDir(), clock: k.now()}
	return other
}

func TestObserveMessages(t *testing.T) {
	each(t, func(k *kit) {
		for _, name := range []string{"a", "b", "c"} {
			k.register(name)
		}
		other := k.elsewhere()
		channel := k.call("channel_create", object{"project_root": k.root, "name": "x"})["channel"].(object)["channel_id"]
		send := func(on *kit, from, to, subject string, more ...object) string {
			k.pass(time.Minute)
			return on.send(from, direct(to), append(more, object{"subject": subject})...)["message_id"].(string)
		}
		one := send(k, "a", "b", "1")
		send(k, "b", "a", "2", object{"channel_id": channel})
		send(other, "a", "c", "3")
		send(k, "a", "a", "4")
		k.pass(time.Minute)
		k.send("a", object{"strategy": "capability", "capability": "none"}, object{"subject": "5"})
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": one})
		send(k, "a", "b", "6", object{"body": strings.Repeat("ü", 200), "artifacts": []string{"art_1"}, "parent_message_id": one})
		k.call("inbox_pull", object{"agent_id": "c"})
		at := func(minutes int) string {
			return nexus.Stamp(time.Date(2026, 3, 1, 12, minutes, 0, 0, time.UTC))
		}
		tests := []struct {
			name      string
			arguments object
			want      string // subjects, newest first
		}{
			{"all", object{}, "654321"},
			{"all, said", object{"workspace": "all"}, "654321"},
			{"a workspace", object{"workspace": k.place()}, "65421"},
			{"another", object{"workspace": other.place()}, "3"},
			{"none", object{"workspace": "nowhere"}, ""},
			{"an agent", object{"agent": "a"}, "654321"},
			{"an agent that only receives", object{"agent": "c"}, "3"},
			{"an agent in a workspace", object{"agent": "a", "workspace": other.place()}, "3"},
			{"a conversation", object{"agent": "a", "peer": "b"}, "621"},
			{"with oneself", object{"agent": "a", "peer": "a"}, "4"},
			{"a sender", object{"from_agent": "b"}, "2"},
			{"a recipient", object{"to_agent": "b"}, "61"},
			{"both", object{"from_agent": "a", "to_agent": "a"}, "4"},
			{"an agent and a recipient", object{"agent": "a", "to_agent": "b"}, "61"},
			{"a channel", object{"channel": channel}, "2"},
			{"unread", object{"lane": "unread"}, "642"},
			{"read", object{"lane": "READ"}, "1"},
			{"in flight", object{"lane": "delivered"}, "3"},
			{"unread by one", object{"lane": "unread", "to_agent": "b"}, "6"},
			{"parked", object{"lane": "parked"}, ""},
			{"to nobody", object{"undelivered": true}, "5"},
			{"since", object{"since": at(5)}, "65"},
			{"until", object{"until": at(3)}, "21"},
			{"between, of one", object{"since": at(2), "until": at(6), "agent": "a", "workspace": k.place()}, "542"},
			{"before the beginning", object{"until": "2020-01-01"}, ""},
			{"after the end", object{"since": "2030-01-01T00:00:00+01:00"}, ""},
			{"like SQL", object{"agent": "' OR 1=1 --"}, ""},
		}
		for _, test := range tests {
			data := k.call("observe_messages", test.arguments)
			if got := strings.Join(column(items(data), "subject"), ""); got != test.want {
				k.t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
			if data["total"] != float64(len(test.want)) || data["total_is_estimate"] != false || data["next_cursor"] != nil {
				k.t.Errorf("%s: got total %v, %v, %v", test.name, data["total"], data["total_is_estimate"], data["next_cursor"])
			}
		}
		k.pass(time.Hour)
		k.lines("a lease that lapsed is unread", k.list("observe_messages", object{"lane": "unread", "to_agent": "c"}), "subject", "3")

		page := k.call("observe_messages", object{})
		k.want("the page", fields(page), `"items next_cursor page page_size total total_is_estimate"`)
		row := items(page)[0]
		k.want("a row", fields(row), `"channel_id created_at deliveries from_agent_id from_session_id message_id parent_message_id preview provenance subject target workspace_id"`)
		k.want("preview", row["preview"], `"`+strings.Repeat("ü", 160)+`"`)
		k.want("parent", row["parent_message_id"], `"`+one+`"`)
		k.want("target", row["target"], `{"agent_id":"b","strategy":"direct"}`)
		k.want("a delivery", fields(row["deliveries"].([]any)[0]), `"attempts created_at delivered_at delivery_id lease_expires_at read_at recipient_agent_id status"`)
		k.want("nobody's deliveries", items(page)[1]["deliveries"], `[]`)
		row = k.list("observe_messages", object{"include_body": "true", "page_size": "1"})[0]
		k.want("body", row["body"], `"`+strings.Repeat("ü", 200)+`"`)
		k.want("artifacts", row["artifacts"], `["art_1"]`)

		message := k.call("observe_message", object{"message_id": one})
		k.want("body", message["body"], `"world"`)
		delivery := message["deliveries"].([]any)[0].(object)
		k.want("delivery", delivery["status"], `"read"`)
		if delivery["read_at"] == nil {
			k.t.Errorf("the delivery is %v", delivery)
		}
		k.fails("observe_message", nexus.NotFound, object{"message_id": "msg_none"})
		k.fails("observe_message", nexus.ValidationError, object{})
	})
}

// Pages by number and by cursor are the same, and what is sent meanwhile neither
// hides nor doubles anything behind a cursor.
func TestObservePages(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		var sent []string
		for i := range 25 {
			to := []string{"a", "b"}[i%2]
			sent = append(sent, k.send("a", direct(to))["message_id"].(string))
		}
		slices.Reverse(sent)
		toB := []string{}
		for i, id := range sent {
			if i%2 == 1 {
				toB = append(toB, id)
			}
		}
		for _, test := range []struct {
			filter object
			want   []string
		}{{object{}, sent}, {object{"agent": "a"}, sent}, {object{"to_agent": "b", "from_agent": "a", "workspace": k.place()}, toB}} {
			var byNumber []string
			for page := 1; ; page++ {
				data := k.call("observe_messages", with(test.filter, object{"page": page, "page_size": 4}))
				if data["total"] != float64(len(test.want)) || data["page"] != float64(page) {
					k.t.Errorf("page %d has total %v, page %v", page, data["total"], data["page"])
				}
				if len(items(data)) == 0 {
					break
				}
				byNumber = append(byNumber, column(items(data), "message_id")...)
			}
			if !slices.Equal(byNumber, test.want) {
				k.t.Errorf("%v by number: got %d, want %d", test.filter, len(byNumber), len(test.want))
			}
			if got := k.follow("observe_messages", with(test.filter, object{"page_size": 4}), "message_id", nil); !slices.Equal(got, test.want) {
				k.t.Errorf("%v by cursor: got %d, want %d", test.filter, len(got), len(test.want))
			}
		}
		var senders sync.WaitGroup
		got := k.follow("observe_messages", object{"page_size": 3}, "message_id", func() {
			senders.Go(func() { k.send("b", direct("a")) })
			k.send("b", direct("a"))
		})
		senders.Wait()
		if !slices.Equal(got, sent) {
			k.t.Errorf("while others write: got %d, want the %d there were", len(got), len(sent))
		}
		k.want("a page by cursor", k.call("observe_messages", object{"cursor": sent[3]})["total"], `null`)
	})
}

// Whoever names no limit gets hand-offs and sessions as far as a page may go, and
// of other lists the usual hundred.
func TestObserveWithoutLimit(t *testing.T) {
	each(t, func(k *kit) {
		const some = 101
		k.register("boss")
		for range some {
			k.open("boss")
			k.handoff(direct("boss"))
			k.call("task_create", object{"project_root": k.root, "agent_id": "boss", "title": "t"})
		}
		for name, want := range map[string]int{"observe_handoffs": some, "observe_sessions": some, "observe_tasks": some - 1} {
			if got := len(k.list(name, nil)); got != want {
				k.t.Errorf("%s: got %d, want %d", name, got, want)
			}
		}
	})
}

// follow reads a list to its end by cursor. meanwhile, if given, happens after
// the first page and each one more.
func (k *kit) follow(name string, arguments object, field string, meanwhile func()) (all []string) {
	k.t.Helper()
	for range 100 {
		data := k.call(name, arguments)
		all = append(all, column(items(data), field)...)
		if data["next_cursor"] == nil {
			return all
		}
		if meanwhile != nil {
			meanwhile()
		}
		arguments = with(arguments, object{"cursor": data["next_cursor"]})
	}
	k.t.Fatalf("%s has no end", name)
	return nil
}

func with(some, more object) object {
	all := maps.Clone(some)
	maps.Copy(all, more)
	return all
}

// A list that has little of what is wanted comes to its end all the same.
// copies puts more messages of the kind into the store, all in one transaction:
// sending as many would take long.
func (k *kit) copies(id string, n int) {
	k.t.Helper()
	_, err := k.db.Update(k.t.Context(), func(tx *store.Tx) (any, error) {
		workspace, _, _, err := tx.MessagePlace(id)
		if err != nil {
			return nil, err
		}
		at := nexus.Stamp(k.now())
		for range n {
			m := bus.Message{ID: newID("msg"), WorkspaceID: workspace, FromAgentID: "a", Subject: "hello", Body: "world", CreatedAt: at}
			if err := tx.InsertMessage(m); err != nil {
				return nil, err
			}
			if err := tx.InsertDeliveries(m.ID, []string{"b"}, []string{newID("dlv")}, at); err != nil {
				return nil, err
			}
			if err := tx.AppendEvent(&nexus.Event{WorkspaceID: workspace, Stream: nexus.StreamWorkspace, Type: "message.created", Actor: "a", CreatedAt: at}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

func TestObserveSparse(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		rare := k.send("a", direct("b"), object{"subject": "rare"})["message_id"].(string)
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": rare})
		k.copies(rare, 5200)
		first := k.call("observe_messages", object{"lane": "read"})
		if len(items(first)) != 0 || first["next_cursor"] == nil || first["total"] != float64(0) || first["total_is_estimate"] != true {
			k.t.Errorf("the first page is %v", first)
		}
		if got := k.follow("observe_messages", object{"lane": "read"}, "subject", nil); !slices.Equal(got, []string{"rare"}) {
			k.t.Errorf("got %v", got)
		}
		page := k.call("observe_messages", object{"page_size": 1})
		k.want("total", page["total"], `5201`)
		k.fails("observe_messages", nexus.InvalidParam, object{"page": 10002, "page_size": 1})
		events := k.call("observe_events", object{"agent": "nobody"})
		k.want("a page of nobody's events", []any{len(items(events)), events["has_more"]}, `[0,true]`)
		if events["next_cursor"].(float64) < 5000 {
			k.t.Errorf("the cursor stays at %v", events["next_cursor"])
		}
		hits := k.call("observe_search", object{"q": "RARE"})
		k.lines("search", items(hits), "message_id", rare)
		k.want("looked at", hits["looked_at"], `5201`)
	})
}

func TestObserveHostile(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("a", direct("a"))
		k.handoff(anybody, object{"from_agent_id": "a"})
		lists := []string{"observe_messages", "observe_handoffs", "observe_tasks", "observe_artifacts", "observe_sessions", "observe_events", "observe_workspaces"}
		for _, name := range lists {
			arguments := k.ops.Lookup(name).Arguments()
			for _, argument := range arguments {
				for _, value := range []any{-1, 0, 1 << 62, "'; DROP TABLE messages; --", "%", "\xff", "\u0000", strings.Repeat("x", 10_000), "2026-13-45", true, []string{"x"}, object{}, "9223372036854775808", " "} {
					_, err := k.try(name, object{argument: value})
					if err != nil && !slices.Contains([]nexus.Code{nexus.ValidationError, nexus.InvalidParam, nexus.InvalidStream}, err.Code) {
						k.t.Errorf("%s(%s=%.40v): %v", name, argument, value, err)
					}
				}
			}
		}
		refused := []struct {
			name      string
			code      nexus.Code
			arguments object
		}{
			{"observe_messages", nexus.ValidationError, object{"page": 0}},
			{"observe_messages", nexus.ValidationError, object{"page_size": -1}},
			{"observe_messages", nexus.InvalidParam, object{"page": 1_000_000_000}},
			{"observe_messages", nexus.InvalidParam, object{"lane": "fast"}},
			{"observe_messages", nexus.InvalidParam, object{"peer": "b"}},
			{"observe_messages", nexus.InvalidParam, object{"since": "yesterday"}},
			{"observe_messages", nexus.InvalidParam, object{"until": "2026-02-30"}},
			{"observe_messages", nexus.ValidationError, object{"cursor": "\u00fc"}},
			{"observe_messages", nexus.ValidationError, object{"cursor": strings.Repeat("9", 300)}},
			{"observe_handoffs", nexus.InvalidParam, object{"status": "DONE"}},
			{"observe_handoffs", nexus.ValidationError, object{"limit": 0}},
			{"observe_tasks", nexus.InvalidParam, object{"status": "DONE-ish"}},
			{"observe_artifacts", nexus.InvalidParam, object{"type": "movie"}},
			{"observe_sessions", nexus.InvalidParam, object{"status": "asleep"}},
			{"observe_events", nexus.InvalidStream, object{"stream": "nile"}},
			{"observe_events", nexus.ValidationError, object{"after": -1}},
			{"observe_graph", nexus.ValidationError, object{"window_hours": 0}},
			{"observe_graph", nexus.ValidationError, object{"window_hours": 8761}},
			{"observe_peers", nexus.ValidationError, object{}},
			{"observe_search", nexus.ValidationError, object{}},
			{"observe_search", nexus.ValidationError, object{"q": "  "}},
			{"observe_analytics", nexus.InvalidWindow, object{"workspace_id": k.place(), "window": "1y"}},
			{"observe_analytics", nexus.NotFound, object{"workspace_id": "nowhere"}},
			{"observe_analytics", nexus.NotFound, object{}},
			{"observe_handoff", nexus.NotFound, object{"handoff_id": "hof_none"}},
		}
		for _, r := range refused {
			k.fails(r.name, r.code, r.arguments)
		}
		k.want("a large page", k.call("observe_messages", object{"page_size": 1_000_000_000})["page_size"], `200`)
		if n := len(k.list("observe_messages", object{})); n != 1 {
			k.t.Errorf("%d messages are left", n)
		}
	})
}

func TestObserveSearch(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("a", direct("a"), object{"subject": "Größe 100%", "body": "nothing"})
		k.send("a", direct("a"), object{"subject": "plain", "body": "it is GRÖSSER_than"})
		for i := range 12 {
			k.send("a", direct("a"), object{"subject": fmt.Sprint("many ", i)})
		}
		for _, test := range []struct {
			q    string
			want []string
		}{
			{"größe", []string{"Größe 100%"}},
			{"100%", []string{"Größe 100%"}},
			{"R_T", []string{"plain"}},
			{"gr%e", nil},
			{"' OR ''='", nil},
			{"many 11", []string{"many 11"}},
		} {
			k.lines(test.q, k.list("observe_search", object{"q": test.q}), "subject", test.want...)
		}
		hits := k.list("observe_search", object{"q": "many"})
		k.want("usual hits", []any{len(hits), hits[0]["subject"], hits[0]["score"]}, `[10,"many 11",1]`)
		k.want("a hit", fields(hits[0]), `"created_at from_agent_id message_id score subject"`)
		k.want("in the body", k.list("observe_search", object{"q": "than"})[0]["score"], `0.5`)
		k.want("at least one", len(k.list("observe_search", object{"q": "many", "k": -5})), `1`)
		k.want("at most", len(k.list("observe_search", object{"q": "a", "k": 500})), `13`)
		k.lines("elsewhere", k.list("observe_search", object{"q": "many", "workspace": "nowhere"}), "subject")
	})
}

// The catalogue shows all of it to operators and none of it to agents.
func TestObserveFaces(t *testing.T) {
	n := 0
	for _, o := range newKit(t, storetest.SQLite(t).Open(t), settings()).ops.On(op.AllFaces) {
		if !strings.HasPrefix(o.Name, "observe_") {
			continue
		}
		n++
		if o.Shows(op.MCP) || !o.Shows(op.REST) || o.Effect != op.Read || !strings.HasPrefix(o.Route, "GET /") {
			t.Errorf("%s is shown as %+v", o.Name, o.Info)
		}
	}
	if n != 17 {
		t.Errorf("there are %d operations", n)
	}
}
