package store

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A notifier carries wake-ups between nodes by LISTEN and NOTIFY. NOTIFY inside
// a writing transaction takes a lock that all commits share, so keys are
// collected and sent by a connection of their own, as a hint: a slow poll
// catches what is lost.
type notifier struct {
	pool    *pgxpool.Pool
	channel string

	mu      sync.Mutex
	pending map[string]struct{}
	due     chan struct{}
}

// maxNotify is how long the payload of a notification may be.
const maxNotify = 7900

func newNotifier(pool *pgxpool.Pool, channel string) *notifier {
	return &notifier{pool: pool, channel: channel, pending: map[string]struct{}{}, due: make(chan struct{}, 1)}
}

func (n *notifier) ring(keys []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) < maxNotify { // beyond that it becomes "everything" anyway
		for _, k := range keys {
			n.pending[k] = struct{}{}
		}
	}
	notify(n.due)
}

func (n *notifier) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	keys := make([]string, 0, len(n.pending))
	for k := range n.pending {
		keys = append(keys, k)
	}
	clear(n.pending)
	if payload := strings.Join(keys, "\n"); len(payload) <= maxNotify {
		return payload
	}
	return everything
}

// run sends and listens until the context ends.
func (n *notifier) run(ctx context.Context, w *wakes, e *postgresEngine) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { n.send(ctx) })
	workers.Go(func() { n.listen(ctx, w) })
	return backstop(ctx, w, slowPoll, func() (int64, error) {
		var last int64
		err := e.view(ctx, shortLane, func(tx *Tx) (err error) {
			last, err = tx.LastEvent()
			return err
		})
		return last, err
	})
}

// send tells the others what changed, and before it ends what is left to tell: a
// process that lives for one call must be heard too.
func (n *notifier) send(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-n.due:
		case <-ctx.Done():
		}
		if payload := n.take(); payload != "" {
			n.notify(ctx, payload)
		}
	}
}

func (n *notifier) notify(ctx context.Context, payload string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, _ = n.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, n.channel, payload) // a hint; the slow poll is behind it
}

// listen hears the other nodes. After a lost connection it wakes everybody,
// since it cannot know what was said meanwhile.
func (n *notifier) listen(ctx context.Context, w *wakes) {
	for ctx.Err() == nil {
		_ = n.hear(ctx, w)
		w.wakeAll()
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (n *notifier) hear(ctx context.Context, w *wakes) error {
	conn, err := n.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	listening := conn.Hijack() // a listening connection never goes back to the pool
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = listening.Close(end)
	}()
	if _, err := listening.Exec(ctx, "LISTEN "+pgx.Identifier{n.channel}.Sanitize()); err != nil {
		return err
	}
	w.wakeAll()
	for {
		note, err := listening.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if note.Payload == everything {
			w.wakeAll()
		} else {
			w.wake(strings.Split(note.Payload, "\n"))
		}
	}
}
