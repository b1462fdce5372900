package store

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"

	"nexus"
)

// A Depth is how closely [Inspect] looks at the pages of a file; see [Check].
type Depth int

// The checks. A full one also compares every index with its table, which takes
// as long as reading the file twice.
const (
	NoCheck Depth = iota
	QuickCheck
	FullCheck
)

// InspectOptions say what to look at, and how.
type InspectOptions struct {
	URL  string
	Busy time.Duration // how long to wait for a lock or a server
	// PresentSince is the heartbeat that a session needs to count as present.
	PresentSince time.Time
	Check        Depth
}

// An Inspection is what can be said of a database by looking. What could not be
// found out is zero.
type Inspection struct {
	Kind        string // "sqlite" or "postgres"
	Bytes       int64
	WALBytes    int64 // not yet in the file itself
	Schema      int   // newest migration it has; 0 for an empty one
	KnownSchema int   // newest migration this program has
	Counts      Counts
	LastEventAt string   // "" without events
	Faults      []string // what a check found

	Server     int       // version of PostgreSQL, such as 150004
	ServerTime time.Time // its clock
}

// Counts are how much there is of what people ask about first.
type Counts struct {
	Agents          int `json:"agents"`
	SessionsPresent int `json:"sessions_present"`
	MailUnread      int `json:"mail_unread"`
	MailInFlight    int `json:"mail_in_flight"`
	MailParked      int `json:"mail_parked"`
	HandoffsOpen    int `json:"handoffs_open"`
	HandoffsClaimed int `json:"handoffs_claimed"`
}

// Inspect looks at a database and changes nothing: it makes no file, migrates
// nothing and takes no lock that keeps a writer out. An error comes with what
// was learned before it. A file that does not exist is [nexus.NotFound], and a
// database that this program is too old for [nexus.MigrationError].
func Inspect(ctx context.Context, o InspectOptions) (Inspection, error) {
	if IsPostgres(o.URL) {
		return inspectPostgres(ctx, o)
	}
	return inspectSQLite(ctx, o)
}

func inspectSQLite(ctx context.Context, o InspectOptions) (i Inspection, err error) {
	i.Kind = "sqlite"
	path, err := filepath.Abs(o.URL)
	if err != nil {
		return i, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return i, &nexus.Error{Code: nexus.NotFound, Msg: "There is no database " + path + ": " + rootCause(err).Error() + ".", Err: err}
	}
	i.Bytes = file.Size()
	wal, walErr := os.Stat(path + "-wal")
	if walErr == nil {
		i.WALBytes = wal.Size()
	}
	conn, err := openToLook(path, walErr == nil, o.Busy)
	if err != nil {
		return i, err
	}
	defer func() { _ = conn.close() }()
	conn.SetInterrupt(ctx.Done())
	tx := &Tx{conn: conn}
	if err := checkOwner(tx, path); err != nil {
		return i, interrupted(ctx, err)
	}
	m, err := sqliteMigrations()
	if err != nil {
		return i, err
	}
	if o.Check != NoCheck {
		if i.Faults, err = conn.problems(ctx, o.Check == FullCheck); err != nil {
			return i, err
		}
	}
	return i, interrupted(ctx, i.read(tx, m, o.PresentSince))
}

// openToLook opens a file that must stay as it is. Without a write-ahead log
// nobody is at work on it, and SQLite is told so: otherwise it would make the
// log and its index only to read nothing in them.
func openToLook(path string, hasLog bool, busy time.Duration) (*sqliteConn, error) {
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=ro"}
	if !hasLog {
		address.RawQuery += "&immutable=1"
	}
	c, err := sqlite.OpenConn(address.String(), sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, sqliteError("open", err)
	}
	c.SetBusyTimeout(busy)
	return &sqliteConn{Conn: c, stmts: map[string]prepared{}}, nil
}

func inspectPostgres(ctx context.Context, o InspectOptions) (i Inspection, err error) {
	i.Kind = "postgres"
	ctx, cancel := context.WithTimeout(ctx, max(o.Busy, time.Second))
	defer cancel()
	conn, err := pgx.Connect(ctx, o.URL)
	if err != nil {
		return i, postgresError("connect", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	m, err := postgresMigrations()
	if err != nil {
		return i, err
	}
	c := &postgresConn{ctx: ctx, conn: conn, begin: beginText(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})}
	defer c.rollback()
	tx := &Tx{conn: c}
	var clock string
	if _, err := tx.one(`
		SELECT current_setting('server_version_num')::bigint, pg_database_size(current_database()),
			to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
		nil, &i.Server, &i.Bytes, &clock); err != nil {
		return i, err
	}
	if i.ServerTime, err = nexus.ParseStamp(clock); err != nil {
		return i, err
	}
	if err := checkSchemaOwner(tx); err != nil {
		return i, err
	}
	return i, i.read(tx, m, o.PresentSince)
}

// countsSince is the first schema that has all that is counted.
const countsSince = 2

func (i *Inspection) read(tx *Tx, m migrations, presentSince time.Time) error {
	i.KnownSchema = m.newest()
	applied, err := appliedMigrations(tx)
	if err != nil {
		return err
	}
	if len(applied) > 0 {
		i.Schema = slices.Max(applied)
	}
	if _, err := m.pending(tx); err != nil {
		return err
	}
	if i.Schema < countsSince {
		return nil
	}
	c := &i.Counts
	_, err = tx.one(`
		SELECT (SELECT count(*) FROM agents),
			(SELECT count(*) FROM sessions WHERE status = 'active' AND last_heartbeat_at >= $1),
			(SELECT count(*) FROM message_deliveries WHERE status = 'unread'),
			(SELECT count(*) FROM message_deliveries WHERE status = 'delivered'),
			(SELECT count(*) FROM message_deliveries WHERE status = 'parked'),
			(SELECT count(*) FROM handoffs WHERE status = 'OPEN'),
			(SELECT count(*) FROM handoffs WHERE status = 'CLAIMED'),
			(SELECT created_at FROM events ORDER BY event_id DESC LIMIT 1)`,
		args(nexus.Stamp(presentSince)), &c.Agents, &c.SessionsPresent, &c.MailUnread, &c.MailInFlight, &c.MailParked,
		&c.HandoffsOpen, &c.HandoffsClaimed, &i.LastEventAt)
	return err
}
