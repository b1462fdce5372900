package bus_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"nexus"
)

func TestPullLease(t *testing.T) {
	tests := []struct {
		name  string
		wait  time.Duration // between the two pulls
		again int           // deliveries the second pull gets
	}{
		{"held while leased", 4 * time.Minute, 0},
		{"held until the very end", 5 * time.Minute, 0},
		{"offered again when the lease lapses", 5*time.Minute + time.Microsecond, 1},
	}
	each(t, func(k *kit) {
		for i, test := range tests {
			agent := fmt.Sprintf("agent%d", i)
			k.register(agent)
			k.send(agent, direct(agent))
			if n := len(messages(k.call("inbox_pull", object{"agent_id": agent}))); n != 1 {
				k.t.Fatalf("the first pull got %d", n)
			}
			k.pass(test.wait)
			if n := len(messages(k.call("inbox_pull", object{"agent_id": agent}))); n != test.again {
				k.t.Errorf("%s: the second pull got %d", test.name, n)
			}
		}
	})
}

func TestPullOrderAndLimit(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		var want []any
		for range 5 {
			want = append(want, k.send("a", direct("a"))["message_id"])
		}
		var got []any
		for _, limit := range []any{2, "2", 200, 1} {
			for _, m := range messages(k.call("inbox_pull", object{"agent_id": "a", "limit": limit})) {
				got = append(got, m["message_id"])
			}
		}
		k.want("order", got, mustText(want))
		k.fails("inbox_pull", nexus.ValidationError, object{})
		k.fails("inbox_pull", nexus.ValidationError, object{"agent_id": "a", "limit": 0})
		k.fails("inbox_pull", nexus.ValidationError, object{"agent_id": "a", "limit": true})
		k.fails("inbox_pull", nexus.ValidationError, object{"agent_id": "a", "lease_seconds": false})
		k.want("an unknown agent's mail", k.call("inbox_pull", object{"agent_id": "nobody"}), `{"count":0,"messages":[],"unread":0}`)
	})
}

func TestPullLeaseSecondsAreClamped(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		for _, test := range []struct {
			asked any
			want  time.Duration
		}{{1, 10 * time.Second}, {10, 10 * time.Second}, {3600, time.Hour}, {99999, time.Hour}, {-5, 10 * time.Second}, {nil, 5 * time.Minute}} {
			k.send("a", direct("a"))
			m := messages(k.call("inbox_pull", object{"agent_id": "a", "lease_seconds": test.asked}))[0]
			k.want(fmt.Sprint(test.asked), m["lease_expires_at"], fmt.Sprintf("%q", nexus.Stamp(k.now().Add(test.want))))
		}
	})
}

// A delivery is handed out five times; the sixth claim parks it, and the parked
// one takes a place in that pull.
func TestParking(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		poison := k.send("a", direct("a"))["message_id"]
		for i := range 5 {
			if n := len(messages(k.call("inbox_pull", object{"agent_id": "a"}))); n != 1 {
				k.t.Fatalf("claim %d got %d", i+1, n)
			}
			k.pass(10 * time.Minute)
		}
		later := k.send("a", direct("a"))["message_id"]
		k.want("the sixth", k.call("inbox_pull", object{"agent_id": "a", "limit": 1})["count"], `0`)
		k.want("the next", messages(k.call("inbox_pull", object{"agent_id": "a", "limit": 1}))[0]["message_id"], fmt.Sprintf("%q", later))
		status := k.call("message_status", object{"message_id": poison})
		k.want("status", status["deliveries"], `[{"attempts":5,"read_at":null,"recipient":"a","status":"parked"}]`)
		k.want("peek", k.call("inbox_peek", object{"agent_id": "a"})["count"], `1`)
		parked := messages(k.call("inbox_peek", object{"agent_id": "a", "include_parked": true}))
		k.want("peek with parked", []any{parked[0]["message_id"], parked[0]["status"], len(parked)}, fmt.Sprintf(`[%q,"parked",2]`, poison))
		k.want("count", k.call("inbox_count", object{"agent_id": "a"}), `{"in_flight":1,"read":0,"unread":0}`)
		k.want("ack of parked", k.call("inbox_ack", object{"agent_id": "a", "message_ids": poison})["acknowledged"], `0`)
	})
}

func TestAck(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		pulled := k.send("b", direct("a"))["message_id"]
		k.call("inbox_pull", object{"agent_id": "a"})
		unread := k.send("b", direct("a"))["message_id"]
		ack := k.call("inbox_ack", object{"agent_id": "a", "message_ids": []any{pulled, unread, "msg_none"}})
		k.want("acknowledged", ack["acknowledged"], `2`)
		k.want("again", k.call("inbox_ack", object{"agent_id": "a", "message_ids": pulled}), `{"acknowledged":0,"read_message_ids":[],"unread":0}`)
		k.want("nothing", k.call("inbox_ack", object{"agent_id": "a", "message_ids": []any{}})["acknowledged"], `0`)
		k.want("somebody else's", k.call("inbox_ack", object{"agent_id": "b", "message_ids": pulled})["acknowledged"], `0`)
		k.want("count", k.call("inbox_count", object{"agent_id": "a"}), `{"in_flight":0,"read":2,"unread":0}`)
		k.fails("inbox_ack", nexus.ValidationError, object{"agent_id": "a"})
		k.fails("inbox_ack", nexus.ValidationError, object{"message_ids": []string{"x"}})
		k.fails("inbox_ack", nexus.ValidationError, object{"agent_id": "a", "message_ids": 5})
	})
}

func TestExtend(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		one := k.send("a", direct("a"))["message_id"]
		k.call("inbox_pull", object{"agent_id": "a"})
		k.pass(5 * time.Minute)
		got := k.call("inbox_extend", object{"agent_id": "a", "message_ids": []any{one, one}, "extend_seconds": 60})
		k.want("extended", got["extended"], `1`)
		k.want("until", got["lease_expires_at"], fmt.Sprintf("%q", nexus.Stamp(k.now().Add(time.Minute))))

		unread := k.send("a", direct("a"))["message_id"]
		ids := func(ids ...any) object { return object{"agent_id": "a", "message_ids": ids, "extend_seconds": 600} }
		err := k.fails("inbox_extend", nexus.InvalidTransition, ids(one, unread, "msg_none"))
		if reasons := mustText(err.Details["not_in_flight"]); reasons == "null" || err.Details["now"] == nil {
			k.t.Errorf("details %v", err.Details)
		}
		k.fails("inbox_extend", nexus.NotFound, ids("msg_none"))
		k.fails("inbox_extend", nexus.NotFound, ids(one, "msg_none"))
		k.fails("inbox_extend", nexus.ValidationError, ids())
		k.fails("inbox_extend", nexus.ValidationError, object{"agent_id": "a", "message_ids": one})
		k.pass(time.Minute + time.Microsecond) // nothing of the above extended it
		k.fails("inbox_extend", nexus.InvalidTransition, ids(one))
	})
}

func TestPeekChangesNothing(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("a", direct("a"))
		k.want("unread", messages(k.call("inbox_peek", object{"agent_id": "a"}))[0]["status"], `"unread"`)
		k.call("inbox_pull", object{"agent_id": "a"})
		k.want("in flight", messages(k.call("inbox_peek", object{"agent_id": "a"}))[0]["status"], `"delivered"`)
		k.pass(6 * time.Minute)
		for range 2 {
			k.want("lapsed", messages(k.call("inbox_peek", object{"agent_id": "a"}))[0]["status"], `"unread"`)
			k.want("count", k.call("inbox_count", object{"agent_id": "a"}), `{"in_flight":0,"read":0,"unread":1}`)
		}
	})
}

func TestHistory(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		var want []any
		for range 5 {
			id := k.send("a", direct("a"))["message_id"]
			k.call("inbox_ack", object{"agent_id": "a", "message_ids": id})
			want = append([]any{id}, want...)
			k.pass(time.Second)
		}
		var got []any
		arguments := object{"agent_id": "a", "limit": 2}
		for range 3 {
			page := k.call("inbox_history", arguments)
			for _, m := range messages(page) {
				got = append(got, m["message_id"])
			}
			k.want("has_more", page["has_more"] == (page["next_cursor"] != nil), `true`)
			arguments["cursor"] = page["next_cursor"]
			// What is read meanwhile neither doubles nor hides anything.
			k.call("inbox_ack", object{"agent_id": "a", "message_ids": k.send("a", direct("a"))["message_id"]})
		}
		k.want("history", got, mustText(want))
		for _, cursor := range []any{"50", "garbage", "~", nexus.Stamp(k.now()) + "~"} {
			k.fails("inbox_history", nexus.ValidationError, object{"agent_id": "a", "cursor": cursor})
		}
	})
}

// However many pull at once, nobody gets what another has.
func TestPullConcurrently(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		for range 40 {
			k.send("a", direct("a"))
		}
		var mu sync.Mutex
		seen := map[any]int{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					data, err := k.try("inbox_pull", object{"agent_id": "a", "limit": 3})
					if err != nil {
						k.t.Error(err)
						return
					}
					mu.Lock()
					for _, m := range messages(data) {
						seen[m["delivery_id"]]++
					}
					done := len(seen) == 40
					mu.Unlock()
					if done {
						return
					}
				}
			})
		}
		wg.Wait()
		for id, n := range seen {
			if n != 1 {
				k.t.Errorf("%v was handed out %d times", id, n)
			}
		}
	})
}

func TestMessageStatus(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b", object{"role": "r"})
		k.register("c", object{"role": "r"})
		id := k.send("a", object{"strategy": "role", "role": "r"})["message_id"]
		k.call("inbox_pull", object{"agent_id": "b"})
		k.call("inbox_ack", object{"agent_id": "c", "message_ids": id})
		k.want("statuses", k.call("message_status", object{"message_id": id})["deliveries"],
			fmt.Sprintf(`[{"attempts":1,"read_at":null,"recipient":"b","status":"delivered"},{"attempts":0,"read_at":%q,"recipient":"c","status":"read"}]`, nexus.Stamp(k.now())))
		k.fails("message_status", nexus.ValidationError, object{})
		k.fails("message_status", nexus.NotFound, object{"message_id": "msg_none"})
	})
}
