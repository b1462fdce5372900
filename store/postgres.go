package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"nexus"
)

// postgresEngine gives every caller a transaction of its own. There is no single
// writer here: two nodes that batched their callers would lock each other out.
type postgresEngine struct {
	pool   *pgxpool.Pool
	db     *DB
	schema string
	lanes  [2]chan struct{}
	writes chan struct{}
	queued atomic.Int64 // who waits for a place in writes
	bells  *notifier
}

// Few writers are faster than many: beyond eight they only wait for each other.
const (
	postgresWriters = 8
	postgresShort   = 8
	postgresLong    = 2
	// statementPatience bounds a transaction whose database does not answer.
	statementPatience = 20 * time.Second
	maxReruns         = 10
)

func openPostgres(ctx context.Context, o Options, db *DB) (engine, int, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, 0, &nexus.Error{Code: nexus.DBError, Msg: "The address of the PostgreSQL database is not valid: " + withoutPassword(o.URL), Err: err}
	}
	config.MaxConns = postgresWriters + postgresShort + postgresLong + 2
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["application_name"] = "nexus"
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
	if err != nil {
		return nil, 0, postgresError("open", err)
	}
	e := &postgresEngine{pool: pool, db: db, writes: make(chan struct{}, postgresWriters)}
	e.lanes[shortLane] = make(chan struct{}, postgresShort)
	e.lanes[longLane] = make(chan struct{}, postgresLong)
	version, err := e.prepare(ctx, o)
	if err != nil {
		pool.Close()
		return nil, 0, err
	}
	e.bells = newNotifier(pool, "nexus_"+e.schema)
	return e, version, nil
}

// withoutPassword is the address as a message may repeat it.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://…"
	}
	return u.Redacted()
}

// prepare brings the schema up to date, one process at a time.
func (e *postgresEngine) prepare(ctx context.Context, o Options) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	m, err := postgresMigrations()
	if err != nil {
		return 0, err
	}
	var pending migrations
	err = e.inTransaction(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx *Tx) error {
		if _, err := tx.one(`SELECT current_schema()`, nil, &e.schema); err != nil {
			return err
		}
		if err := checkSchemaOwner(tx); err != nil {
			return err
		}
		pending, err = m.pending(tx)
		return err
	})
	if err != nil || len(pending) == 0 {
		return m.newest(), err
	}
	if o.NoMigrate {
		return 0, m.older(pending[0])
	}
	return m.newest(), m.apply(pending, o.Now, func(fn func(*Tx) error) error {
		return e.inTransaction(ctx, pgx.TxOptions{}, func(tx *Tx) error {
			if err := tx.Lock("migrate"); err != nil {
				return err
			}
			return fn(tx)
		})
	})
}

// checkSchemaOwner refuses a schema that another program filled.
func checkSchemaOwner(tx *Tx) error {
	var tables, ours int64
	if _, err := tx.one(`SELECT count(*), count(*) FILTER (WHERE table_name IN ('schema_migrations', 'message_deliveries', 'event_counter'))
		FROM information_schema.tables WHERE table_schema = current_schema()`, nil, &tables, &ours); err != nil {
		return err
	}
	if tables > 0 && ours < 3 {
		return nexus.Errorf(nexus.DBError,
			"The PostgreSQL schema holds tables of another program. It was left as it is; give Nexus a database or a search_path of its own.")
	}
	return nil
}

// inTransaction runs fn in a plain transaction.
func (e *postgresEngine) inTransaction(ctx context.Context, o pgx.TxOptions, fn func(*Tx) error) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return postgresError("connect", err)
	}
	defer conn.Release()
	c := &postgresConn{ctx: ctx, conn: conn.Conn(), begin: beginText(o), schema: e.schema}
	tx := &Tx{conn: c}
	if err := fn(tx); err != nil {
		c.rollback()
		return err
	}
	return c.commit(tx.events)
}

func beginText(o pgx.TxOptions) string {
	b := "BEGIN"
	if o.IsoLevel != "" {
		b += " ISOLATION LEVEL " + strings.ToUpper(string(o.IsoLevel))
	}
	if o.AccessMode == pgx.ReadOnly {
		b += " READ ONLY"
	}
	return b
}

func (e *postgresEngine) update(ctx context.Context, j *job) error {
	e.queued.Add(1)
	select {
	case e.writes <- struct{}{}:
		e.queued.Add(-1)
	case <-ctx.Done():
		e.queued.Add(-1)
		return context.Cause(ctx)
	}
	defer func() { <-e.writes }()
	// From here on the caller's context no longer counts: cancelling a pgx call
	// closes its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementPatience)
	defer cancel()
	var ready time.Time // to commit
	for try := 1; ; try++ {
		err := e.inTransaction(ctx, pgx.TxOptions{}, func(tx *Tx) (err error) {
			j.answer, err = j.run(tx)
			j.keys, j.kinds, ready = tx.keys, tx.kinds, time.Now()
			return err
		})
		if !runsAgain(err) || try == maxReruns {
			j.err = err
			break
		}
		e.db.work.reruns.Add(1)
		time.Sleep(time.Duration(rand.IntN(1<<min(try, 6))) * time.Millisecond)
	}
	if j.err == nil {
		e.db.work.commits.Since(ready)
		e.db.work.done(j)
		e.db.published(j.keys)
	}
	return nil
}

func (e *postgresEngine) view(ctx context.Context, l lane, fn func(*Tx) error) error {
	select {
	case e.lanes[l] <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-e.lanes[l] }()
	limit := statementPatience
	if l == longLane {
		limit = 10 * time.Minute
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return e.inTransaction(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, fn)
}

func (e *postgresEngine) ring(keys []string) { e.bells.ring(keys) }

func (e *postgresEngine) run(ctx context.Context, w *wakes) error { return e.bells.run(ctx, w, e) }

func (e *postgresEngine) figures() []nexus.Figure {
	pool := e.pool.Stat()
	const name, help = "store_connections", "Connections to the database, by what they do."
	return []nexus.Figure{
		queueFigure(int(e.queued.Load())),
		{Name: name, Help: help, Label: "state", Value: "busy", Number: float64(pool.AcquiredConns())},
		{Name: name, Help: help, Label: "state", Value: "idle", Number: float64(pool.IdleConns())},
	}
}

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// lockNumber is the number under which PostgreSQL knows a lock of ours. The
// schema is part of it, so that two installations in one database do not meet.
func lockNumber(schema, name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("nexus\x00" + schema + "\x00" + name))
	return int64(h.Sum64())
}

// runsAgain tells whether the database gave up this transaction for the sake of
// another one, or a lock took longer than it was willing to wait. A connection lost during COMMIT is not such a case: it may have
// gone through.
func runsAgain(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001" || pg.Code == "55P03")
}

// postgresError gives a driver's error the code a caller can act on.
func postgresError(doing string, err error) error {
	e := &nexus.Error{Code: nexus.DBError, Err: fmt.Errorf("%s: %w", doing, err)}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		e.Msg = "The database does not answer. Check that PostgreSQL runs, then try again."
		return e.With("retryable", true)
	}
	switch {
	case pg.Code == "40P01" || pg.Code == "40001" || pg.Code == "55P03":
		e.Msg = "The database is busy. Nothing was changed; try the same call again."
		return e.With("retryable", true)
	case strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P"):
		e.Msg = "The database closed the connection. Try again."
		return e.With("retryable", true)
	case strings.HasPrefix(pg.Code, "53"):
		e.Msg = "The database is out of space, memory or connections. Nothing was changed."
	case pg.Code == "25006" || pg.Code == "42501":
		e.Msg = "The database may not be written by this user. Nothing was changed."
	case strings.HasPrefix(pg.Code, "28") || pg.Code == "3D000":
		e.Msg = "PostgreSQL refused the connection: check user, password and database name."
	case pg.Code == "22021" || pg.Code == "22P05":
		return &nexus.Error{Code: nexus.ValidationError, Msg: "The text holds a NUL character, which this database cannot keep.", Err: err}
	default:
		return &nexus.Error{Code: nexus.Internal, Msg: "An unexpected internal error occurred.", Err: e.Err}
	}
	return e
}
