package topic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"nexus"
	"nexus/store/storetest"
	"nexus/topic"
)

func TestSync(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		sent := k.call("ada", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": []object{{
			"content_markdown": "What now?", "message_type": " question ", "metadata": object{"n": 1}, "client_message_id": "c1",
		}}})
		k.want("status", []any{sent["status"], sent["received_count"], sent["has_more"]}, `["empty",0,false]`)
		m := sent["sent"].([]any)[0].(object)["message"].(object)
		k.want("sent", []any{m["seq"], m["sender"], m["message_type"], m["reply_to"], m["metadata"], m["client_message_id"], m["created_at"]},
			`[1,"ada","question",null,{"n":1},"c1",1772366400]`)

		got := k.hear("bob", id)
		k.want("got", []any{got["status"], got["agent_name"], texts(got), got["cursor"]}, `["ready","bob",["What now?"],{"last_seq":1,"updated_at":1772366400}]`)
		k.want("once", texts(k.hear("bob", id)), `[]`)
		k.call("bob", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": object{
			"content_markdown": "This.", "message_type": "answer", "reply_to": m["message_id"],
		}})
		answer := k.hear("ada", id)
		k.want("an answer", []any{texts(answer), answer["received"].([]any)[0].(object)["reply_to"] == m["message_id"]}, `[["This."],true]`)

		again := k.call("ada", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": []object{{"content_markdown": "What now?", "client_message_id": "c1"}}})
		k.want("sent before", []any{again["sent"].([]any)[0].(object)["duplicate"], again["sent"].([]any)[0].(object)["message"].(object)["seq"]}, `[true,1]`)
		k.want("bob's c1 is another", k.call("bob", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": []object{{"content_markdown": "x", "client_message_id": "c1"}}})["sent"].([]any)[0].(object)["message"].(object)["seq"], `3`)
		k.want("with one's own", texts(k.hear("bob", id, object{"include_self": true})), `["This.","x"]`)
	})
}

func TestCursor(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		for i := range 25 {
			k.say("ada", id, fmt.Sprint(i+1))
		}
		got := k.hear("bob", id)
		k.want("a page", []any{got["received_count"], got["has_more"], got["cursor"].(object)["last_seq"]}, `[20,true,20]`)
		k.want("the rest", texts(k.hear("bob", id)), `["21","22","23","24","25"]`)
		reset := k.call("bob", "cursor_reset", object{"topic_id": id, "last_seq": 23})
		k.want("reset", []any{reset["agent_name"], reset["cursor"]}, `["bob",{"last_seq":23,"updated_at":1772366400}]`)
		k.want("replayed", texts(k.hear("bob", id, object{"auto_advance": false})), `["24","25"]`)
		k.want("not advanced", texts(k.hear("bob", id, object{"auto_advance": false, "max_items": 1})), `["24"]`)
		acked := k.hear("bob", id, object{"auto_advance": false, "ack_through": 24})
		k.want("acknowledged", []any{texts(acked), acked["cursor"].(object)["last_seq"]}, `[["25"],24]`)
		k.want("backwards does nothing", k.hear("bob", id, object{"auto_advance": false, "ack_through": 3})["cursor"].(object)["last_seq"], `24`)
		k.call("ada", "cursor_reset", object{"topic_id": id})
		k.want("only what others wrote", texts(k.hear("ada", id)), `[]`)

		for _, bad := range []struct {
			words     string
			arguments object
		}{
			{"ack_through requires auto_advance=false", object{"ack_through": 1}},
			{"ack_through exceeds latest message seq", object{"ack_through": 26, "auto_advance": false}},
			{"ack_through must be an int >= 0", object{"ack_through": -1, "auto_advance": false}},
			{"max_items must be <= 20", object{"max_items": 21}},
			{"max_items must be > 0", object{"max_items": 0}},
			{"wait_seconds must be an int >= 0", object{"wait_seconds": -1}},
		} {
			bad.arguments["topic_id"] = id
			k.fails("bob", "sync", nexus.InvalidArgument, bad.words, bad.arguments)
		}
		k.fails("bob", "cursor_reset", nexus.InvalidArgument, "last_seq exceeds latest message seq", object{"topic_id": id, "last_seq": 26})
		k.fails("bob", "cursor_reset", nexus.InvalidArgument, "last_seq must be an int >= 0", object{"topic_id": id, "last_seq": -1})
		k.fails("eve", "cursor_reset", nexus.AgentNotJoined, "", object{"topic_id": id})
		k.fails("bob", "sync", nexus.TopicNotFound, "", object{"topic_id": "none"})
		k.fails("bob", "sync", nexus.InvalidArgument, "topic_id must be a non-empty string", object{})
	})
}

// An argument of the wrong type is refused with the text that its clients know.
func TestWrongTypes(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "bob")
		for _, value := range []any{0.5, true, "abc", []int{1}, object{}} {
			k.fails("bob", "sync", nexus.InvalidArgument, "wait_seconds must be an int >= 0", object{"topic_id": id, "wait_seconds": value})
			k.fails("bob", "sync", nexus.InvalidArgument, "ack_through must be an int >= 0", object{"topic_id": id, "ack_through": value, "auto_advance": false})
			k.fails("bob", "cursor_reset", nexus.InvalidArgument, "last_seq must be an int >= 0", object{"topic_id": id, "last_seq": value})
			k.fails("", "topic_presence", nexus.InvalidArgument, "window_seconds must be > 0", object{"topic_id": id, "window_seconds": value})
			k.fails("", "messages_search", nexus.InvalidArgument, "limit must be > 0", object{"query": "x", "limit": value})
		}
		for _, value := range []any{5, false, []string{"x"}, object{}} {
			k.fails("", "topic_join", nexus.InvalidArgument, "agent_name must be a non-empty string", object{"topic_id": id, "agent_name": value})
			k.fails("", "topic_join", nexus.InvalidArgument, "reclaim_token must be a non-empty string", object{"topic_id": id, "agent_name": "x", "reclaim_token": value})
			k.fails("", "topic_resolve", nexus.InvalidArgument, "name must be a non-empty string", object{"name": value})
			k.fails("", "messages_search", nexus.InvalidArgument, "query must be a non-empty string", object{"query": value})
		}
		k.want("the argument", k.fails("bob", "sync", nexus.InvalidArgument, "", object{"topic_id": id, "wait_seconds": 0.5}).Details, `{"field":"wait_seconds"}`)
		k.fails("bob", "sync", nexus.InvalidArgument, "max_items must be an integer, not 0.5.", object{"topic_id": id, "max_items": 0.5})
	})
}

// What a peer wrote itself is neither shown nor looked at again, and still does
// not hide what others wrote meanwhile.
func TestOwnMessages(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		k.say("ada", id, "1", "2")
		k.say("bob", id, "3")
		k.say("ada", id, "4") // receives 3
		k.say("bob", id, "5")
		k.say("ada", id)
		k.want("cursor", k.hear("ada", id)["cursor"].(object)["last_seq"], `5`)
		k.say("ada", id, "6")
		k.say("bob", id, "7")
		k.want("bob has all of ada's", texts(k.hear("bob", id)), `[]`)
		k.call("bob", "cursor_reset", object{"topic_id": id})
		k.want("again", texts(k.hear("bob", id)), `["1","2","4","6"]`)
		k.want("ada", texts(k.hear("ada", id, object{"auto_advance": false})), `["7"]`)
		k.want("ada again", texts(k.hear("ada", id)), `["7"]`)
	})
}

func TestOutbox(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		other := k.open("play", "ada")
		elsewhere := k.say("ada", other, "x")["sent"].([]any)[0].(object)["message"].(object)["message_id"]
		for _, bad := range []struct {
			words  string
			outbox any
		}{
			{"outbox must be a list of objects, such as [{\"content_markdown\": \"…\"}]", "not json"},
			{"", 5},
			{"", []any{1}},
			{"", `"[]"`},
			{"outbox[0].content_markdown must be a non-empty string", []object{{}}},
			{"outbox[1].content_markdown must be a non-empty string", []object{{"content_markdown": "a"}, {"content_markdown": " "}}},
			{"outbox[0].content_markdown must be a non-empty string; the field is called content_markdown, not content", []object{{"content": "a"}}},
			{"outbox[0].content_markdown must be a string", []object{{"content_markdown": 5}}},
			{"outbox[0].content_markdown exceeds max length (65536)", []object{{"content_markdown": strings.Repeat("ü", 65537)}}},
			{"outbox[0].message_type must be a non-empty string", []object{{"content_markdown": "a", "message_type": ""}}},
			{"outbox[0].message_type must be <= 32 characters", []object{{"content_markdown": "a", "message_type": strings.Repeat("x", 33)}}},
			{"outbox[0].client_message_id must be <= 128 characters", []object{{"content_markdown": "a", "client_message_id": strings.Repeat("x", 129)}}},
			{"outbox[0].metadata must be an object", []object{{"content_markdown": "a", "metadata": "x"}}},
			{"outbox[1].reply_to must be the message_id of a message in this topic", []object{{"content_markdown": "a"}, {"content_markdown": "a", "reply_to": "none"}}},
			{"outbox[0].reply_to must be the message_id of a message in this topic", []object{{"content_markdown": "a", "reply_to": elsewhere}}},
			{"outbox holds half of a surrogate pair.", `[{"content_markdown":"a\ud800"}]`},
			{"outbox nests more than 200 levels deep.", `[{"content_markdown":"a","metadata":{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}]`},
			{"outbox[0].metadata holds half of a surrogate pair.", []object{{"content_markdown": "a", "metadata": `{"a":"\ud800"}`}}},
			{"outbox[0].metadata nests more than 200 levels deep.", []object{{"content_markdown": "a", "metadata": `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`}}},
			{"outbox holds a number that does not fit into 64 bits: 1e999. Send it as a string.", json.RawMessage(`[{"content_markdown":"a","metadata":{"a":1e999}}]`)},
			{"outbox[0].metadata holds a number that does not fit into 64 bits: 1e999. Send it as a string.", []object{{"content_markdown": "a", "metadata": `{"a":1e999}`}}},
			{"outbox must have at most 50 items", make([]object, 51)},
		} {
			if list, ok := bad.outbox.([]object); ok && len(list) == 51 {
				for i := range list {
					list[i] = object{"content_markdown": "a"}
				}
			}
			k.fails("ada", "sync", nexus.InvalidArgument, bad.words, object{"topic_id": id, "outbox": bad.outbox, "wait_seconds": 0})
		}
		k.want("nothing was sent", texts(k.hear("bob", id)), `[]`)
		k.say("ada", id, strings.Repeat("ü", 65536))
		k.want("all of it", len(texts(k.hear("bob", id))[0]), `131072`)
		warned := k.hear("ada", id, object{"outbox": []object{{"content_markdown": "a", "to": "bob"}}})
		k.want("warned", warned["warnings"].([]any)[0].(object)["context"], `{"field":"to","index":0}`)
		k.want("null is nothing", len(k.hear("ada", id, object{"outbox": nil})["sent"].([]any)), `0`)
		k.want("metadata as text", k.hear("ada", id, object{"outbox": []object{{"content_markdown": "b", "metadata": ` {"a":1}`}}})["sent"].([]any)[0].(object)["message"].(object)["metadata"], `{"a":1}`)
		k.want("as text", len(k.hear("ada", id, object{"outbox": `{"content_markdown":"b","reply_to":null,"metadata":null}`})["sent"].([]any)), `1`)
	})
}

// A waiting peer is woken by what another writes, through another database
// handle as another process would have it, and while it waits nothing is written.
func TestSyncWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		k := newKit(t, o.Open(t), topic.DefaultSettings())
		other := newKit(t, o.Open(t), topic.DefaultSettings())
		id := k.open("work", "ada", "bob")
		other.held = k.held
		got := make(chan object)
		go func() {
			data, _ := k.try("bob", "sync", object{"topic_id": id, "wait_seconds": 120})
			got <- data
		}()
		other.say("ada", id, "wake up")
		if data := <-got; data == nil || data["status"] != "ready" {
			t.Fatalf("got %v", data)
		}
		k.want("one does not wait for oneself", func() any {
			data := k.call("ada", "sync", object{"topic_id": id, "wait_seconds": 1, "outbox": []object{{"content_markdown": "echo?"}}})
			return []any{data["status"], data["received_count"], len(data["sent"].([]any))}
		}(), `["timeout",0,1]`)
	})
}

// A topic that is deleted under a waiting peer ends its wait.
func TestDeleteEndsWait(t *testing.T) {
	each(t, func(k *kit) {
		k.actor.Kind = nexus.KindOperator
		id := k.open("work", "ada", "bob")
		got := make(chan *nexus.Error)
		go func() {
			_, err := k.try("bob", "sync", object{"topic_id": id, "wait_seconds": 120})
			got <- err
		}()
		k.call("", "topic_delete", object{"topic_id": id})
		if err := <-got; nexus.CodeOf(err) != nexus.TopicNotFound {
			k.t.Errorf("got %v", err)
		}
	})
}

// Whoever posts at once, numbers have no gap and nobody misses or doubles one.
func TestGapless(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		k := newKit(t, o.Open(t), topic.DefaultSettings())
		second := newKit(t, o.Open(t), topic.DefaultSettings())
		const writers, each = 6, 15
		peers := []string{"reader"}
		for i := range writers {
			peers = append(peers, fmt.Sprint("w", i))
		}
		id := k.open("work", peers...)
		second.held = k.held
		var all sync.WaitGroup
		for i := range writers {
			on := []*kit{k, second}[i%2]
			all.Go(func() {
				for n := range each {
					on.say(fmt.Sprint("w", i), id, fmt.Sprintf("%d.%d", i, n))
				}
			})
		}
		seen := map[string]bool{}
		next := 1.0
		for len(seen) < writers*each {
			data := k.call("reader", "sync", object{"topic_id": id, "wait_seconds": 60})
			for _, m := range data["received"].([]any) {
				m := m.(object)
				if m["seq"] != next || seen[m["content_markdown"].(string)] {
					t.Fatalf("after %v came %v", next-1, m)
				}
				next++
				seen[m["content_markdown"].(string)] = true
			}
		}
		all.Wait()
	})
}

// A call that is repeated after a cut sends once and gets what it was given, also
// when it was cut while it waited.
func TestSyncRepeated(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		k.say("bob", id, "first")
		call := func(key string, p topic.SyncParams) topic.SyncResult {
			k.t.Helper()
			ctx := nexus.WithIdempotency(k.t.Context(), nexus.Idempotency{Op: "sync", Scope: "conn", Key: key, Body: "b"})
			r, err := k.topics.Sync(nexus.WithMemberships(ctx, nexus.Memberships{Held: k.held["ada"]}), p)
			if err != nil {
				k.t.Fatal(err)
			}
			return r
		}
		p := topic.SyncParams{TopicID: id, Outbox: nexus.JSON(`[{"content_markdown":"hello"}]`)}
		one, two := call("a", p), call("a", p)
		k.want("the same answer", two, string(mustMarshal(one)))
		k.want("it", []any{one.Count, len(one.Sent), one.Cursor.LastSeq}, `[1,1,1]`)

		zero, second, minute := 0, 1, 60
		p.WaitSeconds = &second
		call("b", p) // sent, and nothing received
		k.say("bob", id, "second")
		p.WaitSeconds = &minute
		late := call("b", p) // cut, and made again
		k.want("goes on waiting", []any{late.Received[0].Content, late.Sent[0].Message.Seq}, `["second",3]`)
		k.want("and again", call("b", p), string(mustMarshal(late)))
		p.WaitSeconds = &zero // cut again, and there is no time left
		k.want("what it was given is not lost", call("b", p), string(mustMarshal(late)))
		k.want("sent once each", k.call("", "topic_read", object{"topic_id": id})["last_seq"], `4`)
	})
}

func TestMaxSyncItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		s := topic.DefaultSettings()
		s.MaxSyncItems = 3
		k := newKit(t, o.Open(t), s)
		id := k.open("work", "ada", "bob")
		k.say("ada", id, "1", "2", "3", "4")
		k.want("by default", texts(k.hear("bob", id)), `["1","2","3"]`)
		k.fails("bob", "sync", nexus.InvalidArgument, "max_items must be <= 3", object{"topic_id": id, "max_items": 4})
		s.MaxSyncItems = -1
		k.topics.Apply(s)
		k.fails("bob", "sync", nexus.InvalidArgument, "", object{"topic_id": id})
		k.call("bob", "topic_list", nil)
	})
}
