package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"nexus"
	"nexus/bus"
	"nexus/hub"
	"nexus/op"
	"nexus/serve"
	"nexus/store"
	"nexus/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// longEnough is when a test gives up on something that should have happened.
const longEnough = time.Minute

type object = map[string]any

// A kit is a hub on a database of its own, with a clock that the test moves and
// receivers on loopback.
type kit struct {
	*clock
	t     *testing.T
	open  func() *store.DB // another handle on the same database, as another process has
	db    *store.DB
	ops   *op.Catalogue
	logs  *syncBuffer
	send  *serve.WebhookSender
	allow func() bool
}

func each(t *testing.T, test func(k *kit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		k := &kit{t: t, clock: newClock(t), logs: &syncBuffer{}, open: func() *store.DB { return o.Open(t) }}
		k.allow = func() bool { return true }
		k.send = serve.NewWebhookSender(serve.WebhookOptions{AllowPrivate: func() bool { return k.allow() }})
		t.Cleanup(k.send.Close)
		k.db = k.open()
		b := bus.New(bus.Config{Store: store.Of[bus.Tx]{DB: k.db}, Now: k.now, NewID: newID, Settings: bus.Settings{MaxInlineSize: 65536}})
		var err error
		if k.ops, err = op.NewCatalogue(slices.Concat(op.BusOps(b), op.HubOps(k.service(k.db)))...); err != nil {
			t.Fatal(err)
		}
		test(k)
	})
}

func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

func (k *kit) service(db *store.DB) *hub.Service {
	return hub.New(hub.Config{
		Store: store.Of[hub.Tx]{DB: db}, Now: k.now, NewID: newID,
		Webhooks: hub.WebhookConfig{
			Sender: k.send, Version: "1.2.3", AllowPrivate: func() bool { return k.allow() }, Alarm: k.Alarm,
			Log: slog.New(slog.NewTextHandler(k.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
	})
}

// run runs a node until it is stopped, or the test ends.
func (k *kit) run(db *store.DB) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	s := k.service(db)
	go func() { ended <- s.RunWebhooks(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			k.t.Errorf("run webhooks: %v", err)
		}
	})
	k.t.Cleanup(stop)
	return stop
}

func (k *kit) try(ctx context.Context, name string, arguments object) (object, *nexus.Error) {
	k.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		k.t.Fatal(err)
	}
	answer, err := k.ops.Lookup(name).Call(ctx, raw)
	if err != nil {
		return nil, nexus.AsError(err)
	}
	out, err := op.Marshal(answer)
	if err != nil {
		k.t.Fatal(err)
	}
	var data object
	if err := json.Unmarshal(out, &data); err != nil {
		k.t.Fatalf("%s answered %s: %v", name, out, err)
	}
	return data, nil
}

func (k *kit) operator() context.Context {
	return nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindOperator})
}

func (k *kit) call(name string, arguments object) object {
	k.t.Helper()
	data, err := k.try(k.operator(), name, arguments)
	if err != nil {
		k.t.Fatalf("%s: %v", name, err)
	}
	return data
}

func (k *kit) fails(name string, code nexus.Code, arguments object) {
	k.t.Helper()
	if data, err := k.try(k.operator(), name, arguments); err == nil || err.Code != code {
		k.t.Errorf("%s(%v): got %v %v, want %s", name, arguments, data, err, code)
	}
}

// webhook makes one and returns its id and secret.
func (k *kit) webhook(url string, events ...string) (id, secret string) {
	k.t.Helper()
	made := k.call("webhook_create", object{"url": url, "events": events})
	return made["webhook_id"].(string), made["secret"].(string)
}

func (k *kit) look(id string) object {
	k.t.Helper()
	return k.call("webhook_get", object{"webhook_id": id})
}

// emit appends events of these types to a workspace, or to the system's stream.
func (k *kit) emit(workspace string, kinds ...string) []int64 {
	k.t.Helper()
	ids, err := k.db.Update(k.t.Context(), func(tx *store.Tx) (any, error) {
		var events []*nexus.Event
		for _, kind := range kinds {
			e := &nexus.Event{
				WorkspaceID: workspace, Stream: nexus.StreamSystem, Type: kind, Actor: "ada",
				Payload: nexus.JSON(`{"of":"` + kind + `"}`), CreatedAt: nexus.Stamp(k.now()),
			}
			if workspace != "" {
				e.Stream = nexus.StreamWorkspace
			}
			if err := tx.AppendEvent(e); err != nil {
				return nil, err
			}
			events = append(events, e)
		}
		return events, nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
	var numbers []int64
	for _, e := range ids.([]*nexus.Event) {
		numbers = append(numbers, e.ID)
	}
	return numbers
}

// eventually asks until the answer is yes.
func (k *kit) eventually(what string, look func() bool) {
	k.t.Helper()
	limit := time.After(longEnough)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !look() {
		select {
		case <-tick.C:
		case <-limit:
			k.t.Fatalf("it never came that %s", what)
		}
	}
}

// systemEvents are the types and payloads of the events about webhooks.
func (k *kit) systemEvents() (all []nexus.Event) {
	k.t.Helper()
	if err := k.db.View(k.t.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.Log(0, 1<<62, 10000)
		return err
	}); err != nil {
		k.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(e nexus.Event) bool { return !strings.HasPrefix(e.Type, "webhook.") })
}

func (k *kit) want(what string, got any, want string) {
	k.t.Helper()
	raw, err := op.Marshal(got)
	if err != nil {
		k.t.Fatal(err)
	}
	if string(raw) != want {
		k.t.Errorf("%s: got %s, want %s", what, raw, want)
	}
}

// A receiver is a server that webhooks tell.
type receiver struct {
	*httptest.Server
	t   *testing.T
	got chan delivery
}

type delivery struct {
	header http.Header
	raw    []byte
	body   struct {
		ID        string
		Type      string
		CreatedAt string `json:"created_at"`
		Attempt   int
		Event     map[string]any
	}
}

func (d delivery) event() int64 { n, _ := d.body.Event["event_id"].(float64); return int64(n) }

// receiver answers as told; nil for 204.
func (k *kit) receiver(answer func(w http.ResponseWriter, d delivery)) *receiver {
	r := &receiver{t: k.t, got: make(chan delivery, 4096)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		d := delivery{header: request.Header}
		d.raw, _ = io.ReadAll(request.Body)
		if err := json.Unmarshal(d.raw, &d.body); err != nil {
			k.t.Errorf("a body that is no JSON: %s", d.raw)
		}
		r.got <- d
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, d)
	}))
	k.t.Cleanup(r.Close)
	return r
}

func status(code int) func(http.ResponseWriter, delivery) {
	return func(w http.ResponseWriter, _ delivery) { w.WriteHeader(code) }
}

// next is the next delivery.
func (r *receiver) next() delivery {
	r.t.Helper()
	select {
	case d := <-r.got:
		return d
	case <-time.After(longEnough):
		r.t.Fatal("nothing came")
		return delivery{}
	}
}

// wants takes as many deliveries and compares their events.
func (r *receiver) wants(events ...int64) {
	r.t.Helper()
	for _, want := range events {
		if got := r.next().event(); got != want {
			r.t.Fatalf("told of event %d, want %d", got, want)
		}
	}
}

// A clock stands still until it is moved.
type clock struct {
	t      *testing.T
	mu     sync.Mutex
	at     time.Time
	alarms []alarm
	rung   chan struct{} // closed and replaced when an alarm is set
}

type alarm struct {
	at time.Time
	c  chan time.Time
}

func newClock(t *testing.T) *clock {
	return &clock{t: t, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), rung: make(chan struct{})}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) Alarm(at time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := alarm{at, make(chan time.Time, 1)}
	if at.After(c.at) {
		c.alarms = append(c.alarms, a)
	} else {
		a.c <- c.at
	}
	close(c.rung)
	c.rung = make(chan struct{})
	return a.c
}

// set moves the clock to a moment and rings what is due.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
	c.alarms = slices.DeleteFunc(c.alarms, func(a alarm) bool {
		if a.at.After(at) {
			return false
		}
		a.c <- at
		return true
	})
}

func (c *clock) pass(d time.Duration) { c.set(c.now().Add(d)) }

// alarmIn waits until an alarm is set for no earlier than least and no later
// than most from now, and tells for when.
func (c *clock) alarmIn(least, most time.Duration) time.Time {
	c.t.Helper()
	limit := time.After(longEnough)
	for {
		c.mu.Lock()
		rung := c.rung
		for _, a := range c.alarms {
			if d := a.at.Sub(c.at); d >= least && d <= most {
				c.mu.Unlock()
				return a.at
			}
		}
		c.mu.Unlock()
		select {
		case <-rung:
		case <-limit:
			c.t.Fatalf("no alarm was set for %s to %s from now", least, most)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
