package store

import (
	"context"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nexus"
)

// work is what the engines note while they work.
type work struct {
	commits *nexus.Histogram // how long they took
	batches *nexus.Histogram // how many updates shared one; of SQLite only
	updates atomic.Int64
	reruns  atomic.Int64
	events  tally
}

func newWork() *work {
	return &work{commits: nexus.NewTimes(), batches: nexus.NewHistogram(1, 2, 4, 8, 16, 32, 64, 128, maxBatch)}
}

// done notes updates that one commit has made durable.
func (w *work) done(jobs ...*job) {
	for _, j := range jobs {
		if j.err != nil {
			continue
		}
		w.updates.Add(1)
		for _, kind := range j.kinds {
			w.events.add(kind)
		}
	}
}

func (w *work) figures() []nexus.Figure {
	all := []nexus.Figure{
		{Name: "store_updates_total", Help: "Writing transactions that were committed.", Number: float64(w.updates.Load())},
		{Name: "store_reruns_total", Help: "Times that a transaction was run again because of another one.", Number: float64(w.reruns.Load())},
		{Name: "store_commit_seconds", Help: "How long commits took.", Spread: w.commits},
	}
	for kind, n := range w.events.read() {
		all = append(all, nexus.Figure{
			Name: "events_total", Help: "Events that this process appended to the log.",
			Label: "type", Value: kind, Number: float64(n),
		})
	}
	return all
}

// A tally counts by name. The names are words of ours, of which there are few;
// should that ever be wrong, the rest is counted as one.
type tally struct {
	mu sync.Mutex
	of map[string]int64
}

const (
	tallyNames = 200
	otherName  = "other"
)

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]int64{}
	}
	if _, known := t.of[name]; !known && len(t.of) >= tallyNames {
		name = otherName
	}
	t.of[name]++
}

func (t *tally) read() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.of)
}

// Figures are what there is to watch. They are cheap: what must be counted in
// the database is counted beside them, now and then, while somebody reads them.
func (db *DB) Figures() []nexus.Figure {
	all := append(db.engine.figures(), db.work.figures()...)
	all = append(all,
		nexus.Figure{Name: "store_waiters", Help: "Who waits for a commit in this process.", Number: float64(db.wakes.waiting())},
		nexus.Figure{Name: "store_wake_seconds", Help: "How long it took from a commit, or the news of one, until a waiting call was awake.", Spread: db.wakes.latency})
	return append(all, db.census.latest()...)
}

// Stats are the plain ones among the [DB.Figures].
func (db *DB) Stats() map[string]float64 {
	stats := map[string]float64{}
	for _, f := range db.Figures() {
		if f.Spread == nil && f.Label == "" {
			stats[f.Name] = f.Number
		}
	}
	return stats
}

// A census remembers how much of what lies in the database.
type census struct {
	due chan struct{} // has a value when somebody asked for newer figures

	mu      sync.Mutex
	taken   time.Time
	figures []nexus.Figure
}

const (
	// censusAge is how old the figures may be before they are counted again.
	censusAge = 10 * time.Second
	// censusRows is how many rows of a kind are looked at, so that no count
	// takes long.
	censusRows = 100_000
)

func newCensus() *census { return &census{due: make(chan struct{}, 1)} }

func (c *census) latest() []nexus.Figure {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.taken) >= censusAge {
		notify(c.due)
	}
	return c.figures
}

// run counts when that is due, until ctx ends.
func (c *census) run(ctx context.Context, db *DB) {
	for {
		select {
		case <-c.due:
		case <-ctx.Done():
			return
		}
		figures, err := countRows(ctx, db)
		if err != nil {
			db.log.DebugContext(ctx, "the rows were not counted", "err", err)
		}
		c.mu.Lock()
		c.figures, c.taken = figures, time.Now()
		c.mu.Unlock()
	}
}

// A count is of rows that are few in a hub that is well. What was read and what
// is finished only grows, and is counted as events.
type count struct {
	name, help, label string
	values            []string // shown also when there are none
	rows              string   // selects the values
}

const (
	deliveriesHelp = "Messages in inboxes that were not read, by lane; at most 100000 of them are looked at."
	handoffsHelp   = "Hand-offs that are not finished, by status; at most 100000 of them are looked at."
)

var counts = []count{
	{
		name: "deliveries", help: deliveriesHelp, label: "lane", values: []string{"unread", "delivered"},
		rows: `SELECT status AS value FROM message_deliveries WHERE status IN ('unread', 'delivered')`,
	},
	{
		name: "deliveries", help: deliveriesHelp, label: "lane", values: []string{"parked"},
		rows: `SELECT status AS value FROM message_deliveries WHERE status = 'parked'`,
	},
	{
		name: "handoffs", help: handoffsHelp, label: "status", values: []string{"OPEN", "CLAIMED", "VERIFYING", "PARKED"},
		// The order of the join is that of the index.
		rows: `SELECT h.status AS value FROM workspaces w CROSS JOIN handoffs h
			WHERE h.workspace_id = w.workspace_id AND h.status IN ('OPEN', 'CLAIMED', 'VERIFYING', 'PARKED')`,
	},
}

func countRows(ctx context.Context, db *DB) (all []nexus.Figure, err error) {
	err = db.ViewLong(ctx, func(tx *Tx) error {
		all = nil
		for _, c := range counts {
			found, err := c.take(tx)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		if sql := tx.dialect().size; sql != "" {
			var bytes int64
			_, err := tx.one(sql, nil, &bytes)
			all = append(all, sizeFigure(bytes))
			return err
		}
		return nil
	})
	return all, err
}

// take adds up in one pass; GROUP BY would sort the rows.
func (c count) take(tx *Tx) ([]nexus.Figure, error) {
	sums, numbers, into := make([]string, len(c.values)), make([]int64, len(c.values)), make([]any, len(c.values))
	for i, v := range c.values {
		sums[i] = `coalesce(sum(CASE WHEN value = '` + v + `' THEN 1 ELSE 0 END), 0)`
		into[i] = &numbers[i]
	}
	_, err := tx.one(`SELECT `+strings.Join(sums, ", ")+` FROM (`+c.rows+` LIMIT $1) AS seen`, args(censusRows), into...)
	all := make([]nexus.Figure, len(c.values))
	for i, v := range c.values {
		all[i] = nexus.Figure{Name: c.name, Help: c.help, Label: c.label, Value: strings.ToLower(v), Number: float64(numbers[i])}
	}
	return all, err
}

func sizeFigure(bytes int64) nexus.Figure {
	return nexus.Figure{Name: "store_bytes", Help: "The size of the database.", Number: float64(bytes)}
}

func queueFigure(n int) nexus.Figure {
	return nexus.Figure{Name: "store_queued_updates", Help: "Writing transactions that wait for their turn.", Number: float64(n)}
}
