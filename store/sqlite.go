package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"zombiezen.com/go/sqlite"

	"nexus"
)

// applicationID marks a file as ours ("NXUS"). SQLite keeps it in the header.
const applicationID = 0x4E585553

// sqliteEngine is a SQLite file: one writer in this process, readers that never
// wait for it, and a doorbell to the other processes on the same file.
type sqliteEngine struct {
	path    string
	busy    time.Duration
	poll    time.Duration
	writer  *writer
	readers [2]*readers
	bell    *bell
	files   []interface{ Close() error }
}

func openSQLite(ctx context.Context, o Options, db *DB) (engine, int, error) {
	path, err := filepath.Abs(o.URL)
	if err != nil {
		return nil, 0, fmt.Errorf("find the database: %w", err)
	}
	if err := createFile(path); err != nil {
		return nil, 0, err
	}
	e := &sqliteEngine{path: path, busy: o.BusyTimeout, poll: o.PollInterval}
	e.bell = newBell(path+".bell", o.Log)
	gate := openTurnstile(path, func() bool { return e.bell.alone() })
	e.files = append(e.files, gate, e.bell)
	schema, err := e.prepare(ctx, o, gate)
	if err != nil {
		_ = e.close()
		return nil, 0, err
	}
	e.writer = &writer{
		open:      func() (*sqliteConn, error) { return openSQLiteConn(path, e.busy, false) },
		published: db.published,
		work:      db.work,
		turnstile: gate,
		turn:      make(chan struct{}, 1),
	}
	cores := runtime.GOMAXPROCS(0)
	e.readers[shortLane] = newReaders(e, max(1, cores-1))
	e.readers[longLane] = newReaders(e, max(1, cores/4))
	return e, schema, nil
}

// createFile makes the database file readable by its owner only, also one that was
// there. SQLite gives the files beside it the same mode; those it made while the
// file could only be read would keep it so for ever.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return &nexus.Error{
			Code: nexus.DBError, Err: err,
			Msg: fmt.Sprintf("The database %s cannot be opened: %v. Check the folder and its permissions, or choose another file with --db.", path, rootCause(err)),
		}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil //nolint:nilerr // opening it will tell
	}
	mode := info.Mode().Perm()
	if mode&0o077 != 0 {
		_ = f.Chmod(mode & 0o700) // somebody else's file stays as it is
	}
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if b, err := os.Stat(beside); err == nil && mode&0o200 != 0 && b.Mode().Perm()&0o200 == 0 {
			_ = os.Chmod(beside, 0o600)
		}
	}
	return nil
}

func rootCause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

// prepare checks that the file is ours and brings its schema up to date. Many
// processes may do this at once on a file that does not exist yet; the turnstile
// lets one in at a time.
func (e *sqliteEngine) prepare(ctx context.Context, o Options, gate *turnstile) (int, error) {
	leave := gate.enterAlways()
	defer leave()
	m, err := sqliteMigrations()
	if err != nil {
		return 0, err
	}
	if err := refuseUntouched(e.path, m); err != nil {
		return 0, err
	}
	conn, err := openSQLiteConn(e.path, max(e.busy, 10*time.Second), false)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.close() }()
	tx := &Tx{conn: conn}
	if err := checkOwner(tx, e.path); err != nil {
		return 0, err
	}
	pending, err := m.pending(tx)
	if err != nil {
		return 0, err
	}
	if o.NoMigrate && len(pending) > 0 {
		return 0, m.older(pending[0])
	}
	if _, err := tx.one("PRAGMA journal_mode=WAL", nil); err != nil { // a backup that was put here has none
		return 0, err
	}
	return m.newest(), m.apply(pending, o.Now, func(fn func(*Tx) error) error {
		return conn.transaction(fn)
	})
}

// checkOwner refuses a file that another program made, before anything in it is
// touched.
func checkOwner(tx *Tx, path string) error {
	var id, objects int64
	if _, err := tx.one("PRAGMA application_id", nil, &id); err != nil {
		return err
	}
	if id == applicationID {
		return nil
	}
	if _, err := tx.one("SELECT count(*) FROM sqlite_master", nil, &objects); err != nil {
		return err
	}
	if objects == 0 && id == 0 {
		return nil
	}
	if topics, err := isAgentBus(tx); err != nil {
		return err
	} else if topics {
		return foreignTopics(path)
	}
	return &nexus.Error{
		Code: nexus.DBError, Err: ErrForeign,
		Msg: fmt.Sprintf("%s is a database of another program. It was left as it is; choose another file with --db.", path),
	}
}

// ErrForeign is why a database is refused that neither we nor agent-bus made.
var ErrForeign = errors.New("a database of another program")

// transaction runs fn alone in a writing transaction, outside the writer's
// queue: for the migrations, before there is a writer.
func (c *sqliteConn) transaction(fn func(*Tx) error) error {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := fn(&Tx{conn: c}); err != nil {
		_, _ = c.exec("ROLLBACK")
		return err
	}
	if _, err := c.exec("COMMIT"); err != nil {
		_, _ = c.exec("ROLLBACK")
		return err
	}
	return nil
}

func (e *sqliteEngine) update(ctx context.Context, j *job) error { return e.writer.update(ctx, j) }

func (e *sqliteEngine) view(ctx context.Context, l lane, fn func(*Tx) error) error {
	return e.readers[l].view(ctx, fn)
}

func (e *sqliteEngine) ring(keys []string) { e.bell.ring(keys) }

func (e *sqliteEngine) figures() []nexus.Figure {
	all := []nexus.Figure{
		queueFigure(e.writer.queued()),
		{Name: "store_batch_updates", Help: "How many writing transactions shared a commit.", Spread: e.writer.work.batches},
	}
	if info, err := os.Stat(e.path); err == nil {
		all = append(all, sizeFigure(info.Size()))
	}
	if info, err := os.Stat(e.path + "-wal"); err == nil {
		all = append(all, nexus.Figure{Name: "store_wal_bytes", Help: "The size of the database's write-ahead log.", Number: float64(info.Size())})
	}
	return all
}

func (e *sqliteEngine) close() error {
	var errs []error
	if e.writer != nil {
		for _, r := range e.readers {
			errs = append(errs, r.close())
		}
		errs = append(errs, e.writer.close())
	}
	for _, f := range e.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// readers are the connections of one lane. There are few: more would take the
// processor away from the writer and make nothing faster.
type readers struct {
	engine *sqliteEngine
	slots  chan struct{}
	idle   chan *sqliteConn
}

func newReaders(e *sqliteEngine, n int) *readers {
	return &readers{engine: e, slots: make(chan struct{}, n), idle: make(chan *sqliteConn, n)}
}

func (r *readers) view(ctx context.Context, fn func(*Tx) error) error {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-r.slots }()
	conn, err := r.take()
	if err != nil {
		return err
	}
	return r.use(conn, fn)
}

func (r *readers) take() (*sqliteConn, error) {
	select {
	case conn := <-r.idle:
		return conn, nil
	default:
		return openSQLiteConn(r.engine.path, r.engine.busy, true)
	}
}

// use reads in one transaction, so that all statements see the same snapshot.
func (r *readers) use(conn *sqliteConn, fn func(*Tx) error) (err error) {
	whole := false
	defer func() {
		if !whole || needsFreshConn(err) {
			_ = conn.close()
			return
		}
		r.idle <- conn
	}()
	if _, err := conn.exec("BEGIN"); err != nil {
		return err
	}
	err = fn(&Tx{conn: conn})
	_, end := conn.exec("COMMIT")
	whole = end == nil
	if err == nil {
		err = end
	}
	return err
}

func (r *readers) close() error {
	var errs []error
	for {
		select {
		case conn := <-r.idle:
			errs = append(errs, conn.close())
		default:
			return errors.Join(errs...)
		}
	}
}

// sqliteError gives a driver's error the code a caller can act on.
func sqliteError(doing string, err error) error {
	code := sqlite.ErrCode(err).ToPrimary()
	e := &nexus.Error{Code: nexus.DBError, Err: fmt.Errorf("%s: %w", doing, err)}
	switch code {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		e.Msg = "The database is busy: another process holds its lock. Nothing was changed; try the same call again."
		return e.With("retryable", true)
	case sqlite.ResultFull:
		e.Msg = "The disk is full. Nothing was changed; make room, then try again."
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen:
		e.Msg = "The database cannot be written: the file or its folder is read-only or cannot be opened. Nothing was changed."
	case sqlite.ResultIOErr:
		e.Msg = "The disk did not do what the database asked for. Nothing was changed."
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		e.Msg = "The database file is damaged or is no database. Restore a backup, or choose another file with --db."
	case sqlite.ResultTooBig:
		return &nexus.Error{Code: nexus.ContentTooLarge, Msg: "That is more than the database can hold in one value.", Err: err}
	default:
		return &nexus.Error{Code: nexus.Internal, Msg: "An unexpected internal error occurred.", Err: e.Err}
	}
	return e
}

// needsFreshConn tells whether a connection may be stuck in what went wrong.
func needsFreshConn(err error) bool {
	if err == nil {
		return false
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultIOErr, sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultPerm:
		return true
	}
	return false
}
