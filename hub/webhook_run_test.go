package hub_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/hub"
	"nexus/store"
)

func TestWebhookTellsInOrder(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		k.emit("", "handoff.created") // before there was a webhook
		id, secret := k.webhook(r.URL, "handoff.*", "task.done")
		k.run(k.db)
		var want []int64
		for range 60 {
			n := k.emit("", "handoff.created", "task.created", "task.done", "webhook.fake", "handoffs.other")
			want = append(want, n[0], n[2])
		}
		first := r.next()
		k.want("id", first.body.ID, fmt.Sprintf(`"%s-%d"`, id, want[0]))
		k.want("type and attempt", []any{first.body.Type, first.body.Attempt}, `["handoff.created",1]`)
		k.want("event", first.body.Event, fmt.Sprintf(`{"actor_agent_id":"ada","created_at":"2026-03-01T12:00:00.000000Z","event_id":%d,`+
			`"payload":{"of":"handoff.created"},"stream":"system","trace_id":null,"type":"handoff.created","workspace_id":null}`, want[0]))
		timestamp := first.header.Get("Nexus-Webhook-Timestamp")
		for name, want := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "nexus-webhook/1.2.3", "Nexus-Webhook-Id": first.body.ID,
			"Nexus-Webhook-Timestamp": "1772366400", "Nexus-Webhook-Attempt": "1", "Traceparent": "",
			"Nexus-Webhook-Signature": "v1=" + hub.Signature(secret, timestamp, first.raw),
		} {
			if got := first.header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		r.wants(want[1:]...)
		k.eventually("the position is the last event", func() bool { return k.look(id)["position"] == float64(want[len(want)-1]) })
	})
}

// The signature is what any implementation of HMAC makes of it.
func TestWebhookSignature(t *testing.T) {
	got := hub.Signature("whsec_0123456789abcdef", "1772366400", []byte(`{"a":1}`))
	if want := "f2b3ec118580bd62d485fcc28ba57f867411a5faf06f56f3541b6b6311718c3d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWebhookCarriesTrace(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		k.webhook(r.URL, "workspace.created")
		k.run(k.db)
		const trace = "0af7651916cd43dd8448eb211c80319c"
		ctx := nexus.WithTrace(k.operator(), nexus.Trace{ID: trace, Span: "b7ad6b7169203331"})
		if _, err := k.try(ctx, "workspace_resolve", object{"project_root": t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		d := r.next()
		k.want("trace_id", d.body.Event["trace_id"], `"`+trace+`"`)
		if got, ok := nexus.ParseTrace(d.header.Get("Traceparent")); !ok || got.ID != trace || got.Span == "b7ad6b7169203331" {
			t.Errorf("traceparent: got %q", d.header.Get("Traceparent"))
		}
	})
}

// A webhook of one workspace is told of that one alone; the system's events are
// for those of none.
func TestWebhookWorkspace(t *testing.T) {
	each(t, func(k *kit) {
		resolve := func() string {
			return k.call("workspace_resolve", object{"project_root": t.TempDir()})["workspace_id"].(string)
		}
		here, there := resolve(), resolve()
		one, all := k.receiver(nil), k.receiver(nil)
		id := k.call("webhook_create", object{"url": one.URL, "events": "*", "workspace": here})["webhook_id"]
		k.webhook(all.URL, "*")
		k.run(k.db)
		a, b, c, d := k.emit(here, "task.created")[0], k.emit(there, "task.created")[0], k.emit("", "key.created")[0], k.emit(here, "task.updated")[0]
		one.wants(a, d)
		all.wants(a, b, c, d)
		k.call("webhook_update", object{"webhook_id": id, "workspace": ""})
		one.wants(k.emit(there, "task.created")...)
	})
}

// What was not acknowledged when a node stopped is told again by the next one,
// and nothing after it is lost.
func TestWebhookSurvivesRestart(t *testing.T) {
	each(t, func(k *kit) {
		third := int64(0)
		r := k.receiver(func(w http.ResponseWriter, d delivery) {
			if d.event() == third && d.body.Attempt == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		k.webhook(r.URL, "*")
		events := k.emit("", "a.one", "a.two", "a.three", "a.four", "a.five")
		third = events[2]
		stop := k.run(k.db)
		r.wants(events[:3]...)
		due := k.alarmIn(5*time.Second, 7*time.Second)
		stop()
		more := k.emit("", "a.six")
		defer k.run(k.open())()
		if got := k.alarmIn(5*time.Second, 7*time.Second); !got.Equal(due) {
			t.Errorf("after the restart it is due at %s, want %s", got, due)
		}
		k.set(due)
		r.wants(slices.Concat(events[2:], more)...)
	})
}

// A node that is stopped while it waits for an answer cuts the request off after
// a while, counts no failure, and leaves the event to the next node.
func TestWebhookStopsInFlight(t *testing.T) {
	each(t, func(k *kit) {
		hanging, release := make(chan struct{}, 2), make(chan struct{})
		r := k.receiver(func(_ http.ResponseWriter, d delivery) {
			select {
			case hanging <- struct{}{}:
				<-release
			default:
			}
		})
		hanging <- struct{}{} // one request hangs
		defer close(release)
		id, _ := k.webhook(r.URL, "*")
		n := k.emit("", "a.one")
		stop := k.run(k.db)
		r.wants(n...)
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		k.alarmIn(3*time.Second, 3*time.Second)
		k.pass(3 * time.Second)
		<-stopped
		k.want("failures", k.look(id)["failures"], `0`)
		k.run(k.open())
		r.wants(n...)
	})
}

// Rests grow from five seconds to an hour; then the webhook is switched off, and
// goes on where it stopped when it is switched on again.
func TestWebhookRetries(t *testing.T) {
	each(t, func(k *kit) {
		answers := make(chan int, 100)
		r := k.receiver(func(w http.ResponseWriter, _ delivery) {
			w.WriteHeader(<-answers)
			_, _ = w.Write([]byte("no\x00\u202e way\n\xff" + strings.Repeat("!", 5000)))
		})
		id, _ := k.webhook(r.URL, "*")
		n := k.emit("", "a.one", "a.two")
		k.run(k.db)
		for attempt := 1; attempt <= 20; attempt++ {
			answers <- http.StatusInternalServerError
			d := r.next()
			k.want("event, attempt", []any{d.event(), d.body.Attempt, d.header.Get("Nexus-Webhook-Attempt")},
				fmt.Sprintf(`[%d,%d,"%d"]`, n[0], attempt, attempt))
			if attempt < 20 {
				least := min(5*time.Second<<(attempt-1), time.Hour)
				k.set(k.alarmIn(least, min(least+least/4, time.Hour)))
			}
		}
		k.eventually("it is switched off", func() bool { return k.look(id)["is_active"] == false })
		k.want("reason", k.look(id)["disabled_reason"], `"20 attempts in a row failed, the last one so: The receiver answered 500."`)
		events := k.systemEvents()
		if last := events[len(events)-1]; last.Type != "webhook.disabled" || !strings.Contains(string(last.Payload), "20 attempts") {
			t.Errorf("the last event is %s %s", last.Type, last.Payload)
		}
		attempts := k.call("webhook_attempts", object{"webhook_id": id})["items"].([]any)
		k.want("attempts", len(attempts), `20`)
		if said := attempts[0].(object)["error"].(string); !strings.HasPrefix(said, "The receiver answered 500. It said: no way \uFFFD!!!") || len(said) > 600 {
			t.Errorf("the error is %q", said)
		}
		answers <- http.StatusOK
		answers <- http.StatusOK
		k.want("switched on", k.call("webhook_update", object{"webhook_id": id, "is_active": true})["failures"], `0`)
		r.wants(n...)
	})
}

func TestWebhookRetryAfter(t *testing.T) {
	for name, test := range map[string]struct {
		asked       string
		least, most time.Duration
	}{
		"longer than the rest":  {"120", 2 * time.Minute, 2 * time.Minute},
		"shorter than the rest": {"1", 5 * time.Second, 7 * time.Second},
		"longer than allowed":   {"99999999999", time.Hour, time.Hour},
		"no sense":              {"soon", 5 * time.Second, 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(k *kit) {
				r := k.receiver(func(w http.ResponseWriter, _ delivery) {
					w.Header().Set("Retry-After", test.asked)
					w.WriteHeader(http.StatusTooManyRequests)
				})
				k.webhook(r.URL, "*")
				k.run(k.db)
				k.emit("", "a.one")
				r.next()
				k.alarmIn(test.least, test.most)
			})
		})
	}
}

func TestWebhookGone(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(status(http.StatusGone))
		id, _ := k.webhook(r.URL, "*")
		k.run(k.db)
		k.emit("", "a.one")
		r.next()
		k.eventually("it is switched off", func() bool { return k.look(id)["is_active"] == false })
		k.want("reason", k.look(id)["disabled_reason"], `"The receiver answered 410: it is gone for good."`)
	})
}

func TestWebhookFollowsNoRedirect(t *testing.T) {
	each(t, func(k *kit) {
		elsewhere := k.receiver(nil)
		r := k.receiver(func(w http.ResponseWriter, _ delivery) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		id, _ := k.webhook(r.URL, "*")
		k.run(k.db)
		k.emit("", "a.one")
		r.next()
		k.alarmIn(5*time.Second, 7*time.Second)
		if len(elsewhere.got) > 0 {
			t.Error("the redirect was followed")
		}
		k.want("failures", k.look(id)["failures"], `1`)
	})
}

// Those who do not answer hold nobody else up, not even more of them than are
// worked for at once: each has its turn.
func TestWebhookSlowBlocksNobody(t *testing.T) {
	each(t, func(k *kit) {
		release := make(chan struct{})
		slow := k.receiver(func(http.ResponseWriter, delivery) { <-release })
		fast := k.receiver(nil)
		for range 7 {
			k.webhook(slow.URL, "*")
		}
		k.webhook(fast.URL, "*")
		k.run(k.db)
		var want []int64
		for range 20 {
			want = append(want, k.emit("", "a.one")...)
		}
		fast.wants(want...)
		close(release)
	})
}

// However much there is to tell one, the others have their turn.
func TestWebhookTakesTurns(t *testing.T) {
	each(t, func(k *kit) {
		k.emit("", "a.zero")
		r := k.receiver(nil)
		for range 12 {
			k.webhook(r.URL, "*")
		}
		events := k.emit("", slices.Repeat([]string{"a.one"}, 130)...)
		k.run(k.db)
		seen := map[string][]int64{}
		for range 12 * len(events) {
			d := r.next()
			id, _, _ := strings.Cut(d.body.ID, "-")
			seen[id] = append(seen[id], d.event())
		}
		for id, got := range seen {
			if !slices.Equal(got, events) {
				t.Errorf("%s was told of %v", id, got)
			}
		}
	})
}

func TestWebhookSeveralNodes(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		var stops []func()
		for range 3 {
			stops = append(stops, k.run(k.open()))
		}
		k.webhook(r.URL, "*")
		var want []int64
		for range 50 {
			want = append(want, k.emit("", "a.one", "a.two")...)
		}
		r.wants(want...)
		for _, stop := range stops { // whoever holds it leaves it to the others
			r.wants(k.emit("", "a.three")...)
			stop()
		}
		if len(r.got) > 0 {
			t.Errorf("%d were told twice", len(r.got))
		}
	})
}

// A node that died is replaced when its lease has lapsed, and not before.
func TestWebhookDeadNode(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		id, _ := k.webhook(r.URL, "*")
		until := k.now().Add(time.Minute)
		if _, err := k.db.Update(t.Context(), func(tx *store.Tx) (any, error) {
			return tx.HoldWebhook(id, "node_dead", nexus.Stamp(k.now()), nexus.Stamp(until))
		}); err != nil {
			t.Fatal(err)
		}
		n := k.emit("", "a.one")
		k.run(k.db)
		lapse := k.alarmIn(time.Minute, time.Minute+time.Second)
		if len(r.got) > 0 {
			t.Error("told although another node holds it")
		}
		k.set(lapse)
		r.wants(n...)
	})
}

// A webhook that failed is held by nobody while it rests: if the node that tried
// dies, another one need not wait for longer than it would have.
func TestWebhookRestsFree(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(func(w http.ResponseWriter, _ delivery) { w.WriteHeader(http.StatusInternalServerError) })
		id, _ := k.webhook(r.URL, "*")
		k.emit("", "a.one")
		k.run(k.db)
		due := k.alarmIn(5*time.Second, 7*time.Second)
		taken, err := k.open().Update(t.Context(), func(tx *store.Tx) (any, error) {
			return tx.HoldWebhook(id, "node_other", nexus.Stamp(due), nexus.Stamp(due.Add(time.Minute)))
		})
		if err != nil || taken != true {
			t.Errorf("another node may take it when it is due: %v, %v", taken, err)
		}
	})
}

// A node that was silent for too long notes nothing about a webhook that is
// another node's by then.
func TestWebhookLostInFlight(t *testing.T) {
	each(t, func(k *kit) {
		release := make(chan struct{})
		r := k.receiver(func(http.ResponseWriter, delivery) { <-release })
		id, _ := k.webhook(r.URL, "*")
		stop := k.run(k.db)
		n := k.emit("", "a.one")
		r.wants(n...)
		k.pass(time.Minute + time.Second)
		taken, err := k.db.Update(t.Context(), func(tx *store.Tx) (any, error) {
			return tx.HoldWebhook(id, "node_other", nexus.Stamp(k.now()), nexus.Stamp(k.now().Add(time.Minute)))
		})
		if err != nil || taken != true {
			t.Fatalf("taken over: %v, %v", taken, err)
		}
		close(release)
		k.alarmIn(time.Minute, time.Minute+time.Second) // for when the other's lease lapses
		stop()
		k.want("moved on", k.look(id)["position"] == float64(n[0]), `false`)
		k.want("noted", k.call("webhook_attempts", object{"webhook_id": id})["items"], `[]`)
	})
}

func TestWebhookDeletedInFlight(t *testing.T) {
	each(t, func(k *kit) {
		release := make(chan struct{})
		r := k.receiver(func(http.ResponseWriter, delivery) { <-release })
		other := k.receiver(nil)
		id, _ := k.webhook(r.URL, "*")
		k.run(k.db)
		n := k.emit("", "a.one", "a.two")
		r.wants(n[0])
		k.want("deleted", k.call("webhook_delete", object{"webhook_id": id})["deleted"], `true`)
		k.webhook(other.URL, "*")
		close(release)
		other.wants(k.emit("", "a.three")...)
		k.fails("webhook_get", nexus.NotFound, object{"webhook_id": id})
		k.fails("webhook_attempts", nexus.NotFound, object{"webhook_id": id})
		k.eventually("nobody is worked for", func() bool { return len(r.got) == 0 })
	})
}

// What changes while a request is under way holds for the next one.
func TestWebhookChangedInFlight(t *testing.T) {
	each(t, func(k *kit) {
		release := make(chan struct{})
		old := k.receiver(func(http.ResponseWriter, delivery) { <-release })
		fresh := k.receiver(nil)
		id, _ := k.webhook(old.URL, "*")
		k.run(k.db)
		n := k.emit("", "a.one", "b.two", "a.three")
		old.wants(n[0])
		k.call("webhook_update", object{"webhook_id": id, "url": fresh.URL, "events": []string{"a.*"}})
		secret := k.call("webhook_rotate_secret", object{"webhook_id": id})["secret"].(string)
		close(release)
		d := fresh.next()
		if want := "v1=" + hub.Signature(secret, d.header.Get("Nexus-Webhook-Timestamp"), d.raw); d.event() != n[2] || d.header.Get("Nexus-Webhook-Signature") != want {
			t.Errorf("told of %d, want %d signed with the new secret", d.event(), n[2])
		}
		if len(old.got) > 0 {
			t.Error("the old address was told more")
		}
	})
}

// A paused webhook is told of nothing, and of everything when it goes on.
func TestWebhookPause(t *testing.T) {
	each(t, func(k *kit) {
		r, other := k.receiver(nil), k.receiver(nil)
		id, _ := k.webhook(r.URL, "*")
		k.webhook(other.URL, "*")
		k.run(k.db)
		k.call("webhook_update", object{"webhook_id": id, "is_active": false})
		n := k.emit("", "a.one", "a.two")
		other.wants(n...)
		if len(r.got) > 0 {
			t.Error("told while it paused")
		}
		k.call("webhook_update", object{"webhook_id": id, "is_active": true})
		r.wants(n...)
	})
}

// Events that nobody wants move the position on, but not one by one.
func TestWebhookPositionIsLazy(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		id, _ := k.webhook(r.URL, "wanted.*")
		start := k.look(id)["position"]
		k.run(k.db)
		k.emit("", slices.Repeat([]string{"other.kind"}, 400)...)
		k.want("position", k.look(id)["position"] == start, `true`)
		last := k.emit("", slices.Repeat([]string{"other.kind"}, 700)...)[699]
		k.eventually("the position moves on", func() bool { return k.look(id)["position"].(float64) > float64(last-400) })
		r.wants(k.emit("", "wanted.one")...)
	})
}

// A node listens to the log only while there is somebody to tell.
func TestWebhookIdleCostsNothing(t *testing.T) {
	each(t, func(k *kit) {
		waiters := func(n float64) func() bool { return func() bool { return k.db.Stats()["store_waiters"] == n } }
		k.run(k.db)
		k.eventually("it listens for webhooks only", waiters(1))
		id, _ := k.webhook("https://example.com/hook", "never.happens")
		k.eventually("it listens to the log", waiters(2))
		k.call("webhook_update", object{"webhook_id": id, "is_active": false})
		k.eventually("it stops to listen", waiters(1))
		k.call("webhook_update", object{"webhook_id": id, "is_active": true})
		k.eventually("it listens again", waiters(2))
		k.call("webhook_delete", object{"webhook_id": id})
		k.eventually("it stops again", waiters(1))
	})
}
