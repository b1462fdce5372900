// Package store keeps everything Nexus knows in one database: a SQLite file by
// default, or PostgreSQL. It holds all SQL, the migrations, the transactions
// and the wake-ups. Services see it through their own small interfaces.
package store

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"nexus"
	"nexus/bus"
)

// Options say which database to open and how.
type Options struct {
	// URL is a file path, or postgres://… for PostgreSQL.
	URL         string
	BusyTimeout time.Duration // how long to wait for another program's lock on the file
	// PollInterval is how often to look for changes of other processes where no
	// doorbell can be had.
	PollInterval time.Duration
	Now          func() time.Time
	Log          *slog.Logger
	// NoMigrate refuses to touch the schema: an older one is then an error.
	NoMigrate bool
}

// A DB is an open database. It is safe for concurrent use.
type DB struct {
	engine engine
	wakes  *wakes
	now    func() time.Time
	log    *slog.Logger
	schema int
	sweep  sweeper
	work   *work
	census *census
}

// A lane is one of the two queues of readers. Long reads have their own, so
// that an export never stops a look into an inbox.
type lane int

const (
	shortLane lane = iota
	longLane
)

// An engine is one database's way of running transactions.
type engine interface {
	// update runs the job and returns when its commit is durable.
	update(ctx context.Context, j *job) error
	view(ctx context.Context, l lane, fn func(*Tx) error) error
	// run carries wake-ups between processes until the context ends.
	run(ctx context.Context, w *wakes) error
	// ring tells the other processes which keys a commit touched.
	ring(keys []string)
	figures() []nexus.Figure
	close() error
}

// Open opens the database, creating and migrating it as needed. Call [DB.Run]
// to hear of commits that other processes make.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PollInterval <= 0 {
		o.PollInterval = 200 * time.Millisecond
	}
	db := &DB{wakes: newWakes(), now: o.Now, log: o.Log, work: newWork(), census: newCensus()}
	var err error
	if IsPostgres(o.URL) {
		db.engine, db.schema, err = openPostgres(ctx, o, db)
	} else {
		db.engine, db.schema, err = openSQLite(ctx, o, db)
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

// IsPostgres tells whether the URL names a PostgreSQL database.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Close ends the database's connections. Nothing may use it afterwards.
func (db *DB) Close() error { return db.engine.close() }

// Run carries wake-ups between the processes that share this database, and counts
// what is asked for in [DB.Figures], until the context ends.
func (db *DB) Run(ctx context.Context) error {
	var counting sync.WaitGroup
	counting.Go(func() { db.census.run(ctx, db) })
	defer counting.Wait()
	return db.engine.run(ctx, db.wakes)
}

// SchemaVersion is the number of the newest migration.
func (db *DB) SchemaVersion() int { return db.schema }

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return db.View(ctx, func(tx *Tx) error {
		_, err := tx.one(`SELECT 1`, nil)
		return err
	})
}

// Watch registers for commits that touch one of the keys; see [nexus.Watcher].
func (db *DB) Watch(keys ...string) (<-chan struct{}, func()) { return db.wakes.watch(keys) }

// Awake is told by one who waited that it runs again; see [nexus.Await].
func (db *DB) Awake(ready <-chan struct{}) { db.wakes.awake(ready) }

// View runs fn on one consistent snapshot.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	return db.engine.view(ctx, shortLane, fn)
}

// ViewLong is [DB.View] for reads that may take long: exports, searches.
func (db *DB) ViewLong(ctx context.Context, fn func(*Tx) error) error {
	return db.engine.view(ctx, longLane, fn)
}

// Update runs fn in a transaction of its own and returns its answer when the
// commit is durable. An error undoes what fn did and nothing else. fn may run
// more than once.
func (db *DB) Update(ctx context.Context, fn func(*Tx) (any, error)) (any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	j := &job{fn: fn, done: make(chan struct{}), now: db.now, trace: nexus.TraceFrom(ctx).ID}
	if k, ok := nexus.IdempotencyFrom(ctx); ok {
		j.key = &k
		j.sweep = db.sweep.due()
	}
	if err := db.engine.update(ctx, j); err != nil {
		return nil, err
	}
	return j.answer, j.err
}

// published wakes, after a commit, whoever waits for one of its keys.
func (db *DB) published(keys []string) {
	if len(keys) == 0 {
		return
	}
	db.wakes.wake(keys)
	db.engine.ring(keys)
}

// Of shows a service the database through the service's own view of a
// transaction. T must be an interface that *Tx implements.
type Of[T any] struct{ *DB }

// Update runs fn in one writing transaction; see [nexus.Store].
func (s Of[T]) Update(ctx context.Context, fn func(T) (any, error)) (any, error) {
	return s.DB.Update(ctx, func(tx *Tx) (any, error) { return fn(any(tx).(T)) })
}

// View runs fn on one snapshot; see [nexus.Store].
func (s Of[T]) View(ctx context.Context, fn func(T) error) error {
	return s.DB.View(ctx, func(tx *Tx) error { return fn(any(tx).(T)) })
}

// A job is one caller's Update on its way through the engine.
type job struct {
	fn    func(*Tx) (any, error)
	key   *nexus.Idempotency
	trace string
	sweep bool // also throw away idempotency keys that are too old
	now   func() time.Time

	state  jobState
	answer any
	err    error
	keys   []string
	kinds  []string // of the events
	done   chan struct{}
}

// run does the job inside a transaction that the engine has begun. Whatever the
// function does, a panic included, ends as an error of this job alone.
func (j *job) run(tx *Tx) (answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &nexus.Error{
				Code: nexus.Internal, Msg: "An unexpected internal error occurred.",
				Err: fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack()),
			}
		}
	}()
	tx.trace = j.trace
	if j.key == nil {
		return j.fn(tx)
	}
	kept, err := tx.claimKey(*j.key, j.now(), j.sweep)
	if kept != nil || err != nil {
		return kept, err
	}
	answer, err = j.fn(tx)
	if err != nil {
		return nil, err
	}
	// The answer may hold event numbers, so they are assigned before it is kept.
	if err := tx.conn.appendEvents(tx.events); err != nil {
		return nil, err
	}
	tx.events = nil
	return answer, tx.keepAnswer(*j.key, answer)
}

var _ bus.Tx = (*Tx)(nil)
