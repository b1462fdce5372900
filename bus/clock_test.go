package bus_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
	"nexus/store/storetest"
)

// inBubble runs a test on a SQLite file whose clock moves on only when everybody
// waits: then it stands exactly where the first of them wakes.
func inBubble(t *testing.T, test func(k *kit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), storetest.SQLite(t).Options())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		s := settings()
		s.MaxWait = time.Hour
		k := newKit(t, db, s)
		k.service = bus.New(bus.Config{Store: store.Of[bus.Tx]{DB: db}, Settings: s, Now: time.Now, NewID: newID})
		if k.ops, err = op.NewCatalogue(op.BusOps(k.service)...); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"boss", "first", "second"} {
			k.register(name)
		}
		test(k)
	})
}

// Whoever waits for work is woken by what happens and by what becomes true by
// itself, at that moment and not at another.
func TestClockWakesForWork(t *testing.T) {
	patient := object{"agent_id": "second", "timeout_seconds": 1800}
	tests := []struct {
		name   string
		before func(k *kit) // work that cannot be taken yet
		during func(k *kit) // what happens after a minute
		wakes  time.Duration
	}{
		{"a lease lapses", func(k *kit) {
			k.call("handoff_claim", k.on(k.handoff(anybody), "first"))
		}, nil, 5*time.Minute + time.Microsecond},
		{"the shortest lease lapses", func(k *kit) {
			for _, seconds := range []int{200, 100, 300} {
				k.call("handoff_claim", k.on(k.handoff(anybody), "first", object{"lease_seconds": seconds}))
			}
		}, nil, 100*time.Second + time.Microsecond},
		{"a renewed lease lapses later", func(k *kit) {
			h := k.handoff(anybody)
			k.call("handoff_claim", k.on(h, "first", object{"lease_seconds": 60}))
			k.call("handoff_renew", k.on(h, "first", object{"lease_seconds": 600}))
		}, nil, 10*time.Minute + time.Microsecond},
		{"a lease lapses behind many of others", func(k *kit) {
			for range 110 {
				k.call("handoff_claim", k.on(k.handoff(direct("first")), "first"))
			}
			k.call("handoff_claim", k.on(k.handoff(direct("second")), "second"))
		}, nil, 5*time.Minute + time.Microsecond},
		{"the fallback opens", func(k *kit) {
			k.handoff(object{"strategy": "direct_with_fallback", "agent_id": "first", "fallback_after_seconds": 90})
		}, nil, 90*time.Second + time.Microsecond},
		{"work is created", nil, func(k *kit) { k.handoff(direct("second")) }, time.Minute},
		{"a claim is renewed meanwhile", func(k *kit) {
			k.call("handoff_claim", k.on(k.handoff(anybody, object{"payload": "renew"}), "first"))
		}, func(k *kit) {
			page := k.call("event_get", object{"project_root": k.root, "agent_id": "boss", "stream": "handoff"})
			h := page["events"].([]any)[0].(object)
			k.call("handoff_renew", k.on(h, "first"))
		}, 6*time.Minute + time.Microsecond},
		{"nobody else's work", nil, func(k *kit) { k.handoff(direct("first")) }, 0},
		{"work that nobody will get back", func(k *kit) {
			k.call("handoff_claim", k.on(k.handoff(anybody, object{"max_attempts": 1}), "first"))
		}, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(k *kit) {
				if test.before != nil {
					test.before(k)
				}
				start := time.Now()
				if test.during != nil {
					go func() {
						time.Sleep(time.Minute)
						test.during(k)
					}()
				}
				arguments := object{"project_root": k.root}
				for key, value := range patient {
					arguments[key] = value
				}
				page := k.call("handoff_list_available", arguments)
				k.checkWoken(time.Since(start), test.wakes, page["timed_out"], len(page["handoffs"].([]any)))
			})
		})
	}
}

// checkWoken wants one thing to be found at a moment, or nothing when the time
// is up if that is 0.
func (k *kit) checkWoken(after, want time.Duration, timedOut any, found int) {
	k.t.Helper()
	got, expected := fmt.Sprint(after, timedOut, found), fmt.Sprint(want, false, 1)
	if want == 0 {
		expected = fmt.Sprint(30*time.Minute, true, 0)
	}
	if got != expected {
		k.t.Errorf("woken after, timed out, found: %s, want %s", got, expected)
	}
}

func TestClockWakesForMail(t *testing.T) {
	tests := []struct {
		name   string
		before func(k *kit)
		during func(k *kit)
		wakes  time.Duration
	}{
		{"a lease lapses", func(k *kit) {
			k.send("boss", direct("second"))
			k.call("inbox_pull", object{"agent_id": "second", "lease_seconds": 90})
		}, nil, 90*time.Second + time.Microsecond},
		{"an extended lease lapses later", func(k *kit) {
			id := k.send("boss", direct("second"))["message_id"]
			k.call("inbox_pull", object{"agent_id": "second", "lease_seconds": 90})
			k.call("inbox_extend", object{"agent_id": "second", "message_ids": id, "extend_seconds": 400})
		}, nil, 400*time.Second + time.Microsecond},
		{"mail comes", nil, func(k *kit) { k.send("boss", direct("second")) }, time.Minute},
		{"mail is acknowledged meanwhile", func(k *kit) {
			k.send("boss", direct("second"))
			k.call("inbox_pull", object{"agent_id": "second"})
		}, func(k *kit) {
			for _, m := range messages(k.call("inbox_peek", object{"agent_id": "second"})) {
				k.call("inbox_ack", object{"agent_id": "second", "message_ids": m["message_id"]})
			}
		}, 0},
		{"parked mail is offered again", func(k *kit) { k.parkedMail("second") }, func(k *kit) {
			for _, m := range messages(k.call("inbox_peek", object{"agent_id": "second", "include_parked": true})) {
				k.call("inbox_requeue", object{"agent_id": "second", "message_ids": m["message_id"]})
			}
		}, time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(k *kit) {
				if test.before != nil {
					test.before(k)
				}
				start := time.Now()
				if test.during != nil {
					go func() {
						time.Sleep(time.Minute)
						test.during(k)
					}()
				}
				mail := k.call("inbox_wait", object{"agent_id": "second", "timeout_seconds": 1800})
				k.checkWoken(time.Since(start), test.wakes, mail["timed_out"], len(messages(mail)))
			})
		})
	}
}

// parkedMail hands a message out too often.
func (k *kit) parkedMail(agent string) {
	k.send(agent, direct(agent))
	for range 6 {
		k.call("inbox_pull", object{"agent_id": agent, "lease_seconds": 10})
		time.Sleep(time.Minute)
	}
}

// What can be claimed is offered, and what is offered can be claimed: both go by
// the same moments, wherever the clock jumps and however often it is offered.
func TestClockOffersWhatCanBeClaimed(t *testing.T) {
	second := object{"strategy": "direct", "agent_id": "second"}
	fallback := func(to string, seconds int, target object) object {
		return object{"strategy": "direct_with_fallback", "agent_id": to, "fallback_after_seconds": seconds, "fallback": target}
	}
	tests := []struct {
		name     string
		target   object
		requeued bool
		age      time.Duration
		want     bool
	}{
		{"just made", second, false, 0, true},
		{"the clock jumped back", second, false, -time.Hour, true},
		{"before the fallback", fallback("first", 60, second), false, time.Minute - time.Microsecond, false},
		{"at the fallback", fallback("first", 60, second), false, time.Minute, true},
		{"offered again long after the fallback", fallback("first", 60, second), true, time.Hour, true},
		{"before the outer one of two fallbacks", fallback("first", 60, fallback("first", 30, second)), false, 59 * time.Second, false},
		{"at the outer one of two fallbacks", fallback("first", 60, fallback("first", 30, second)), false, time.Minute, true},
		{"before the inner one of two fallbacks", fallback("first", 30, fallback("first", 60, second)), false, 59 * time.Second, false},
		{"at the inner one of two fallbacks", fallback("first", 30, fallback("first", 60, second)), false, time.Minute, true},
	}
	each(t, func(k *kit) {
		for _, name := range []string{"boss", "first", "second"} {
			k.register(name)
		}
		start := k.now()
		for _, test := range tests {
			k.set(start)
			h := k.handoff(test.target)
			k.pass(test.age)
			if test.requeued {
				k.call("handoff_reject", k.on(h, "first"))
				k.call("handoff_requeue", k.on(h, "boss"))
			}
			listed := len(k.available("second")) > 0
			_, err := k.try("handoff_claim", k.on(h, "second"))
			if listed != test.want || (err == nil) != test.want {
				k.t.Errorf("%s: listed %v, claimed %v, want %v", test.name, listed, err, test.want)
			}
			if err == nil {
				k.call("handoff_complete", k.on(h, "second"))
			} else {
				k.call("handoff_cancel", k.on(h, "boss"))
			}
		}
	})
}

// A lease that has lapsed is lost and a deadline that has passed is over, however
// many others there are to be cleared away first.
func TestClockManyLapse(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("worker")
		var last object
		for range 130 {
			last = k.handoff(anybody)
			k.call("handoff_claim", k.on(last, "worker"))
		}
		dated := k.handoff(anybody, object{"expires_at": nexus.Stamp(k.now().Add(time.Minute))})
		k.pass(5*time.Minute + time.Microsecond)
		k.fails("handoff_complete", nexus.LeaseLost, k.on(last, "worker", object{"attempt": 1}))
		k.fails("handoff_renew", nexus.InvalidTransition, k.on(last, "worker"))
		k.fails("handoff_claim", nexus.AlreadyClaimed, k.on(dated, "worker"))
		k.want("it is open again", k.status(last), `"OPEN"`)
		k.want("too late", k.status(dated), `"EXPIRED"`)
		k.want("all of it is offered", len(k.call("handoff_list_available", object{
			"project_root": k.root, "agent_id": "worker", "limit": 500,
		})["handoffs"].([]any)), `130`)
	})
}

// The creator of work hears that nobody wants it, or that it was given up too
// often, when that is so, though nobody asks for work.
func TestClockTellsOfOverdueWork(t *testing.T) {
	for name, test := range map[string]struct {
		before func(k *kit)
		hears  time.Duration
	}{
		"it expires": {func(k *kit) {
			k.handoff(anybody, object{"expires_at": nexus.Stamp(time.Now().Add(90 * time.Second))})
		}, 90*time.Second + time.Microsecond},
		"it is parked": {func(k *kit) {
			k.call("handoff_claim", k.on(k.handoff(anybody, object{"max_attempts": 1}), "first"))
		}, 5*time.Minute + time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(k *kit) {
				ctx, stop := context.WithCancel(k.t.Context())
				done := make(chan struct{})
				go func() { defer close(done); k.service.RunSweeps(ctx) }()
				start := time.Now()
				test.before(k)
				got := k.call("inbox_wait", object{"agent_id": "boss", "timeout_seconds": 1800})
				k.want("heard", []any{got["count"], time.Since(start).String()}, fmt.Sprintf(`[1,%q]`, test.hears))
				stop()
				<-done
			})
		})
	}
}
