package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus"
	"nexus/bus"
	"nexus/store"
)

func serviceBenchmarks() []benchmark {
	return []benchmark{
		{"message_create in the service, 64 callers", "≥ 0.6", func() (result, error) { return sending(64) }},
		{"message_create in the service, 1 caller", "≥ 0.7", func() (result, error) { return sending(1) }},
		{"writes while 8 readers scan", "≥ 0.5", writingWhileReading},
		{"message_create with 10^6 messages stored, of 10^4 agents; with 10^3", "≥ 0.8", sendingIntoMuch},
	}
}

// A hub is a bus on a file of its own.
type hub struct {
	dir  string
	db   *store.DB
	bus  *bus.Service
	stop func()
}

func newHub() (*hub, error) {
	dir, err := os.MkdirTemp("", "nexus-bench")
	if err != nil {
		return nil, err
	}
	h, err := openHub(filepath.Join(dir, "nexus.db"))
	if err != nil {
		return nil, err
	}
	h.dir = dir
	return h, nil
}

// withHub runs a measurement on a new hub with some agents.
func withHub(agents int, measure func(*hub) (result, error)) (result, error) {
	h, err := newHub()
	if err != nil {
		return result{}, err
	}
	defer h.close()
	if err := h.register(agents); err != nil {
		return result{}, err
	}
	return measure(h)
}

func openHub(url string) (*hub, error) {
	db, err := store.Open(context.Background(), store.Options{URL: url, BusyTimeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- db.Run(ctx) }()
	h := &hub{db: db, stop: func() { cancel(); <-done; _ = db.Close() }}
	h.bus = bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: db}, Now: time.Now, NewID: newID,
		Settings: bus.Settings{
			MaxWait: 30 * time.Second, MaxInlineSize: 65536, InboxLease: 5 * time.Minute, HandoffLease: 5 * time.Minute, SessionStale: time.Minute,
			Presence: 30 * time.Minute, SessionReap: 24 * time.Hour, MaxEvents: 1000,
		},
		Versions: bus.Versions{Package: "bench", Schema: db.SchemaVersion(), Surface: nexus.SurfaceRevision},
	})
	return h, nil
}

func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

func (h *hub) close() {
	h.stop()
	_ = os.RemoveAll(h.dir)
}

func (h *hub) register(n int) error {
	for i := range n {
		if _, err := h.bus.Register(context.Background(), bus.RegisterParams{AgentID: agentName(i)}); err != nil {
			return err
		}
	}
	return nil
}

func agentName(i int) string { return fmt.Sprintf("agent-%05d", i) }

var body = strings.Repeat("All work and no play makes a dull agent. ", 5)

func (h *hub) message(i, agents int) bus.SendParams {
	return bus.SendParams{
		ProjectRoot: h.dir, FromAgentID: agentName(i % agents), Subject: "news", Body: body,
		Target: nexus.Object(`{"strategy":"direct","agent_id":"` + agentName((i+1)%agents) + `"}`),
	}
}

// rate runs work in a number of goroutines for a while and counts per second.
func rate(callers int, d time.Duration, work func(i int) error) (float64, error) {
	var count atomic.Int64
	var failure atomic.Pointer[error]
	end := time.Now().Add(d)
	start := time.Now()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := c; time.Now().Before(end) && failure.Load() == nil; i += callers {
				if err := work(i); err != nil {
					failure.Store(&err)
					return
				}
				count.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failure.Load(); err != nil {
		return 0, *err
	}
	return float64(count.Load()) / time.Since(start).Seconds(), nil
}

const benchAgents = 100

func sending(callers int) (result, error) {
	return withHub(benchAgents, func(h *hub) (result, error) {
		return withHub(benchAgents, func(bare *hub) (result, error) {
			w, err := newBareWriter(bare)
			if err != nil {
				return result{}, err
			}
			defer w.close()
			return inTurn(
				func(d time.Duration) (float64, error) { return rate(callers, d, h.send) },
				func(d time.Duration) (float64, error) { return w.rate(callers, d) })
		})
	})
}

// send sends the i-th message.
func (h *hub) send(i int) error {
	_, err := h.bus.Send(context.Background(), h.message(i, benchAgents))
	return err
}

// A bareWriter is the baseline: the same rows, by prepared statements in a loop,
// with a commit after every batch.
type bareWriter struct {
	conn                           *sqlite.Conn
	workspace                      string
	begin, commit                  *sqlite.Stmt
	message, delivery, event, seen *sqlite.Stmt
}

func newBareWriter(h *hub) (*bareWriter, error) {
	workspace, err := h.bus.Resolve(context.Background(), bus.ResolveParams{ProjectRoot: h.dir})
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(filepath.Join(h.dir, "nexus.db"), sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", "PRAGMA wal_autocheckpoint=4000"} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return nil, err
		}
	}
	return &bareWriter{
		conn: conn, workspace: workspace.ID,
		begin: conn.Prep("BEGIN IMMEDIATE"), commit: conn.Prep("COMMIT"),
		message:  conn.Prep(`INSERT INTO messages (message_id, workspace_id, from_agent_id, target, subject, body, created_at) VALUES (?,?,?,?,?,?,?)`),
		delivery: conn.Prep(`INSERT INTO message_deliveries (delivery_id, message_id, recipient_agent_id, status, created_at) VALUES (?,?,?,'unread',?)`),
		event:    conn.Prep(`INSERT INTO events (workspace_id, stream, type, actor_agent_id, visibility, target, payload, created_at) VALUES (?,'workspace','message.created',?,'eligible',?,?,?)`),
		seen:     conn.Prep(`UPDATE agents SET last_seen_at = ? WHERE agent_id = ?`),
	}, nil
}

// rate writes for a while and counts per second.
func (w *bareWriter) rate(batch int, d time.Duration) (float64, error) {
	end, start, n := time.Now().Add(d), time.Now(), 0
	for time.Now().Before(end) {
		if err := w.batch(n, batch); err != nil {
			return 0, err
		}
		n += batch
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

func (w *bareWriter) close() { _ = w.conn.Close() }

func (w *bareWriter) batch(from, n int) error {
	if err := step(w.begin); err != nil {
		return err
	}
	for i := from; i < from+n; i++ {
		id, now := newID("msg"), nexus.Stamp(time.Now())
		sender, recipient := agentName(i%benchAgents), agentName((i+1)%benchAgents)
		target := `{"strategy":"direct","agent_id":"` + recipient + `"}`
		payload := `{"message_id":"` + id + `","channel_id":null,"from_agent_id":"` + sender + `","target":` + target + `,"subject":"news","created_at":"` + now + `"}`
		for _, s := range []struct {
			stmt *sqlite.Stmt
			args []string
		}{
			{w.message, []string{id, w.workspace, sender, target, "news", body, now}},
			{w.delivery, []string{newID("dlv"), id, recipient, now}},
			{w.event, []string{w.workspace, sender, target, payload, now}},
			{w.seen, []string{now, sender}},
		} {
			if err := step(s.stmt, s.args...); err != nil {
				return err
			}
		}
	}
	return step(w.commit)
}

func step(s *sqlite.Stmt, args ...string) error {
	for i, a := range args {
		s.BindText(i+1, a)
	}
	_, err := s.Step()
	if err != nil {
		return err
	}
	return s.Reset()
}

// writingWhileReading compares writes beside eight readers with writes alone.
func writingWhileReading() (result, error) {
	return withHub(benchAgents, func(h *hub) (result, error) {
		alone := func(d time.Duration) (float64, error) { return rate(16, d, h.send) }
		return inTurn(func(d time.Duration) (float64, error) {
			ctx, cancel := context.WithCancel(context.Background())
			var readers sync.WaitGroup
			for range 8 {
				readers.Go(func() {
					limit := 1000
					for ctx.Err() == nil {
						_, _ = h.bus.ReadEvents(ctx, bus.ReadParams{ProjectRoot: h.dir, AgentID: "reader", Stream: "workspace", Limit: &limit})
					}
				})
			}
			defer readers.Wait()
			defer cancel()
			return alone(d)
		}, alone)
	})
}

// sendingIntoMuch compares a store that holds many messages with one that holds
// few, of the same agents.
func sendingIntoMuch() (result, error) {
	little, err := filled(1_000, 10_000)
	if err != nil {
		return result{}, err
	}
	defer little.close()
	much, err := filled(1_000_000, 10_000)
	if err != nil {
		return result{}, err
	}
	defer much.close()
	sender := func(h *hub) measure {
		var sent atomic.Int64
		return func(d time.Duration) (float64, error) {
			return rate(64, d, func(int) error {
				_, err := h.bus.Send(context.Background(), h.message(int(sent.Add(1))*7919, 10_000))
				return err
			})
		}
	}
	return inTurn(sender(much), sender(little))
}

// filled is a hub that holds messages already.
func filled(messages, agents int) (*hub, error) {
	h, err := newHub()
	if err != nil {
		return nil, err
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var failure atomic.Pointer[error]
	work := func(n int, do func(i int) error) {
		next.Store(0)
		for range 128 {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					if err := do(i); err != nil {
						failure.Store(&err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	work(agents, func(i int) error {
		_, err := h.bus.Register(context.Background(), bus.RegisterParams{AgentID: agentName(i), Capabilities: nexus.JSON(`["go"]`)})
		return err
	})
	work(messages, func(i int) error {
		_, err := h.bus.Send(context.Background(), h.message(i, agents))
		return err
	})
	if err := failure.Load(); err != nil {
		return nil, *err
	}
	return h, nil
}
