package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/serve"
	"nexus/store"
	"nexus/store/storetest"
)

// A logHub is a hub on a real store and a real listener.
type logHub struct {
	*serve.Server
	db  *store.DB
	bus *bus.Service
	ops *op.Catalogue
	url string
	// stop ends the hub and waits until it has.
	stop func()
}

func startLogHub(t testing.TB, o storetest.Opener, opts serve.Options) *logHub {
	t.Helper()
	db := o.Open(t)
	h := &logHub{db: db, bus: bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: db}, Home: t.TempDir(), Now: time.Now,
		Settings: bus.Settings{MaxInlineSize: 65536, InboxLease: time.Minute, Presence: time.Hour},
		NewID: func(prefix string) string {
			return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
		},
	})}
	ops, err := op.NewCatalogue(op.BusOps(h.bus)...)
	if err != nil {
		t.Fatal(err)
	}
	h.ops = ops
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if opts.Addr == nil {
		opts.Addr = l.Addr()
	}
	h.Server = newHub(t, serve.Deps{
		Catalogue: ops, Sessions: db, Keys: h.bus, Watcher: db, Events: db, OperatorKeyHash: sha(operatorKey), Version: "1.2.3",
	}, opts)
	h.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

// add appends events to the log and returns the number of the last one.
func add(t testing.TB, db *store.DB, events ...nexus.Event) int64 {
	t.Helper()
	_, err := db.Update(context.Background(), func(tx *store.Tx) (any, error) {
		for i := range events {
			e := &events[i]
			if e.Stream == "" {
				e.Stream = nexus.StreamSystem
			}
			if e.Type == "" {
				e.Type = "note"
			}
			if e.CreatedAt == "" {
				e.CreatedAt = "2026-01-02T03:04:05.000006Z"
			}
			if err := tx.AppendEvent(e); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events[len(events)-1].ID
}

// addMany appends n plain events.
func addMany(t testing.TB, db *store.DB, n int) int64 {
	t.Helper()
	return add(t, db, make([]nexus.Event, n)...)
}

func addWorkspaces(t testing.TB, db *store.DB, ids ...string) {
	t.Helper()
	_, err := db.Update(context.Background(), func(tx *store.Tx) (any, error) {
		for _, id := range ids {
			if _, err := tx.InsertWorkspace(bus.Workspace{ID: id, Root: "/" + id, CreatedAt: "x", LastSeenAt: "x"}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prune deletes the events up to a number, as retention does.
func prune(t testing.TB, db *store.DB, upTo int64) {
	t.Helper()
	_, err := db.Update(context.Background(), func(tx *store.Tx) (any, error) {
		return tx.DeleteEvents(upTo, "9999", 1_000_000)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A sseFrame is what a client sees between two blank lines.
type sseFrame struct {
	id, event, data string
	comments        string
}

// A follower is a client of the stream.
type follower struct {
	t    testing.TB
	resp *http.Response
	in   *bufio.Reader
	// close hangs up.
	close func()
}

// follow opens a stream and reads its greeting. A last of "" sends no header.
func (h *logHub) follow(t testing.TB, query, last string) *follower {
	t.Helper()
	f := h.tryFollow(t, query, last)
	if f.resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream was answered %s", f.resp.Status)
	}
	if got := f.frame(); got.comments == "" || got.data != "" {
		t.Fatalf("the stream began with %+v", got)
	}
	return f
}

func (h *logHub) tryFollow(t testing.TB, query, last string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/api/v1/stream?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	transport := &http.Transport{}
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, resp: resp, in: bufio.NewReader(resp.Body), close: sync.OnceFunc(func() {
		cancel()
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
	})}
	t.Cleanup(f.close)
	return f
}

// read is the next frame, or why there is none.
func (f *follower) read() (got sseFrame, err error) {
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return got, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			return got, nil
		case name == "id":
			got.id = value
		case name == "event":
			got.event = value
		case name == "data":
			got.data += value
		case name == "":
			got.comments += value
		}
	}
}

func (f *follower) frame() sseFrame {
	f.t.Helper()
	got, err := f.read()
	if err != nil {
		f.t.Fatalf("read the stream: %v", err)
	}
	return got
}

// ids are the numbers of the next n events.
func (f *follower) ids(n int) []int64 {
	f.t.Helper()
	var all []int64
	for len(all) < n {
		got := f.frame()
		if got.event != "nexus" {
			f.t.Fatalf("got %+v, want an event", got)
		}
		id, err := strconv.ParseInt(got.id, 10, 64)
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}

// numbers are those from a to b.
func numbers(a, b int64) (all []int64) {
	for ; a <= b; a++ {
		all = append(all, a)
	}
	return all
}

// bulky is an event that fills buffers.
func bulky() nexus.Event {
	text, _ := json.Marshal(strings.Repeat("x", 100_000)) // text always marshals
	return nexus.Event{Payload: text}
}

// flood writes large events one by one, with a reader of its own that keeps up,
// until there is no other reader left, and returns how many that took. On a
// machine that is busy its own may be cut off too; it then comes back.
func (h *logHub) flood(t *testing.T) (n int64) {
	t.Helper()
	quick := h.follow(t, "", "")
	for h.streams(t) > 1 {
		n = add(t, h.db, bulky())
		got, err := quick.read()
		for err != nil {
			quick = h.follow(t, "", strconv.FormatInt(n-1, 10))
			got, err = quick.read()
		}
		if got.id != strconv.FormatInt(n, 10) {
			t.Fatalf("the quick one got %s, want %d", got.id, n)
		}
	}
	return n
}

// streams is how many streams are open, as the metrics say.
func (h *logHub) streams(t *testing.T) (n int) {
	t.Helper()
	_, rest, _ := strings.Cut(ask(t, h.Server, http.MethodGet, "/metrics", "").Body.String(), "\nnexus_streams ")
	digits, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
