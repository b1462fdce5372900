package bus_test

import (
	"fmt"
	"testing"
	"time"

	"nexus"
)

func TestObserveActivity(t *testing.T) {
	each(t, func(k *kit) {
		k.pass(20 * time.Minute) // 12:20
		k.register("boss")
		k.register("b")
		k.send("boss", direct("b"))
		k.pass(90 * time.Minute) // 13:50
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": k.pulled("b")})
		done, rejected, lapsed := k.handoff(anybody), k.handoff(anybody), k.handoff(anybody)
		for _, h := range []object{done, rejected, lapsed} {
			k.call("handoff_claim", k.on(h, "b"))
		}
		k.call("handoff_complete", k.on(done, "b"))
		k.call("handoff_reject", k.on(rejected, "b"))
		k.pass(time.Hour) // 14:50
		k.available("b")  // somebody comes by
		k.send("b", direct("b"))
		for range 6 {
			k.call("inbox_pull", object{"agent_id": "b", "lease_seconds": 10})
			k.pass(11 * time.Second)
		}
		k.elsewhere().send("boss", direct("b"))

		a := k.call("observe_activity", object{"workspace": k.place()})
		buckets := rows(a["buckets"])
		k.want("the day", []any{a["workspace_id"], a["from"], a["bucket_seconds"], len(buckets), a["truncated"]},
			fmt.Sprintf(`[%q,"2026-02-28T15:00:00.000000Z",3600,24,false]`, k.place()))
		k.want("12 o'clock", buckets[21], `{"at":"2026-03-01T12:00:00.000000Z","claims":0,"completed":0,"events":1,"failures":0,"handoffs_created":0,"messages":1,"read":0}`)
		k.want("1 o'clock", buckets[22], `{"at":"2026-03-01T13:00:00.000000Z","claims":3,"completed":1,"events":8,"failures":1,"handoffs_created":3,"messages":0,"read":1}`)
		k.want("2 o'clock", buckets[23], `{"at":"2026-03-01T14:00:00.000000Z","claims":0,"completed":0,"events":2,"failures":2,"handoffs_created":0,"messages":1,"read":0}`)
		k.want("all", a["totals"], `{"claims":3,"completed":1,"events":11,"failures":3,"handoffs_created":3,"messages":2,"read":1}`)

		hub := k.call("observe_activity", nil)["totals"].(object)
		k.want("the hub", []any{hub["messages"], hub["events"].(float64) > 20}, `[3,true]`)
		k.want("an agent", k.call("observe_activity", object{"agent": "boss", "workspace": k.place()})["totals"],
			`{"claims":0,"completed":0,"events":4,"failures":0,"handoffs_created":3,"messages":1,"read":0}`)
		k.want("types", k.call("observe_activity", object{"type": "handoff.claimed, handoff.rejected"})["totals"],
			`{"claims":3,"completed":0,"events":4,"failures":1,"handoffs_created":0,"messages":0,"read":0}`)

		hour := k.call("observe_activity", object{"window_hours": 1, "buckets": 12})
		k.want("an hour", []any{hour["from"], hour["bucket_seconds"], len(rows(hour["buckets"]))}, `["2026-03-01T13:52:00.000000Z",300,12]`)
		odd := k.call("observe_activity", object{"window_hours": 1, "buckets": 500})
		k.want("no part is shorter than a minute", []any{odd["bucket_seconds"], len(rows(odd["buckets"]))}, `[60,60]`)
		for _, bad := range []object{{"window_hours": 0}, {"window_hours": 8761}, {"buckets": 0}, {"buckets": 501}} {
			k.fails("observe_activity", nexus.ValidationError, bad)
		}
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "b", Blind: true}, func() {
			k.fails("observe_activity", nexus.PermissionDenied, nil)
		})
	})
}

// A page of the log is found by time as well as by number.
func TestObserveEventsByTime(t *testing.T) {
	each(t, func(k *kit) {
		start := k.now()
		for i := range 10 {
			k.register(fmt.Sprint("a", i)) // events 1 to 10, ten minutes apart
			k.pass(10 * time.Minute)
		}
		at := func(minutes int) string { return start.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339) }
		for _, test := range []struct {
			name      string
			arguments object
			want      string
		}{
			{"since", object{"since": at(70)}, "[8 9 10]"},
			{"since, just after", object{"since": at(71)}, "[9 10]"},
			{"since, further on", object{"since": at(70), "after": 8}, "[9 10]"},
			{"until", object{"until": at(30)}, "[3 2 1]"},
			{"until, a page", object{"until": at(50), "limit": 2}, "[5 4]"},
			{"until, the next page", object{"until": at(50), "limit": 2, "before": 4}, "[3 2]"},
			{"until, upwards", object{"until": at(30), "after": 1}, "[2 3]"},
			{"both", object{"since": at(20), "until": at(50)}, "[3 4 5]"},
			{"both, backwards", object{"since": at(20), "until": at(50), "before": 100}, "[5 4 3]"},
			{"too early", object{"until": at(-100)}, "[]"},
			{"too late", object{"since": at(1000)}, "[]"},
			{"types", object{"type": "agent.registered, key.created,agent.registered", "until": at(20)}, "[2 1]"},
		} {
			if got := fmt.Sprint(column(k.list("observe_events", test.arguments), "event_id")); got != test.want {
				k.t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
		}
		k.fails("observe_events", nexus.InvalidParam, object{"since": "yesterday"})
		k.fails("observe_events", nexus.ValidationError, object{"type": "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u"})
	})
}
