package store

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"nexus"
)

// sqliteConn is one connection to the file with its prepared statements. The
// low-level interface costs a third of what database/sql does.
type sqliteConn struct {
	*sqlite.Conn
	stmts map[string]prepared
	// written counts the statements that may have changed something.
	written int
}

// prepared is a statement, and whether it only reads.
type prepared struct {
	*sqlite.Stmt
	reads bool
}

var sqliteDialect = &dialect{
	tableExists: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1`,
	elements:    `SELECT value FROM json_each(%s)`,
	numbers:     `SELECT value FROM json_each(%s)`,
	tables:      sqliteTables,
	wipe:        wipeSQLite,
	words:       sqliteWords,
	bound:       true,
	lastNumber:  `SELECT seq FROM sqlite_sequence WHERE name = 'events'`,
}

// placeholder is $1, which SQLite would take for a name, numbered by its first
// appearance; ?1 is what it calls a numbered one.
var placeholder = regexp.MustCompile(`\$(\d+)`)

// limit is a LIMIT of one argument. SQLite compiles a statement again whenever
// such a number is not the one of the last time, which costs ten times what the
// statement does; it leaves a sum alone.
var limit = regexp.MustCompile(`LIMIT \$\d+`)

// openSQLiteConn opens a connection that keeps promises: what it commits is on
// the disk before COMMIT returns.
func openSQLiteConn(path string, busy time.Duration, reader bool) (*sqliteConn, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, sqliteError("open", err)
	}
	c.SetBusyTimeout(busy)
	conn := &sqliteConn{Conn: c, stmts: map[string]prepared{}}
	pragmas := []string{"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", "PRAGMA wal_autocheckpoint=4000", "PRAGMA temp_store=MEMORY"}
	if reader {
		pragmas = append(pragmas, "PRAGMA query_only=ON")
	} else {
		pragmas = append(pragmas, "PRAGMA cache_size=-65536") // inboxes are written all over the file; it takes what it uses
	}
	for _, p := range pragmas {
		if _, err := conn.exec(p); err != nil {
			_ = conn.close()
			return nil, err
		}
	}
	return conn, nil
}

// close also closes the statements, which the library knows nothing about.
func (c *sqliteConn) close() error {
	for _, s := range c.stmts {
		_ = s.Finalize()
	}
	return c.Close()
}

func (c *sqliteConn) dialect() *dialect { return sqliteDialect }

// lock does nothing: there is one writer.
func (c *sqliteConn) lock([]string) error { return nil }

func (c *sqliteConn) prepare(sql string) (prepared, error) {
	if s, ok := c.stmts[sql]; ok {
		return s, nil
	}
	s, trailing, err := c.PrepareTransient(placeholder.ReplaceAllString(limit.ReplaceAllString(sql, "$0 + 0"), "?$1"))
	if err != nil {
		return prepared{}, sqliteError("prepare", err)
	}
	if trailing != 0 {
		_ = s.Finalize()
		return prepared{}, fmt.Errorf("more than one statement: %s", sql)
	}
	p := prepared{s, strings.HasPrefix(strings.TrimSpace(sql), "SELECT")}
	c.stmts[sql] = p
	return p, nil
}

func (c *sqliteConn) start(sql string, args []any) (*sqlite.Stmt, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	if !s.reads {
		c.written++
	}
	for i, a := range args {
		if err := bind(s.Stmt, i+1, a); err != nil {
			return nil, err
		}
	}
	return s.Stmt, nil
}

func (c *sqliteConn) exec(sql string, args ...any) (int64, error) {
	s, err := c.start(sql, args)
	if err != nil {
		return 0, err
	}
	for {
		more, err := s.Step()
		if err != nil {
			_ = s.Reset()
			return 0, sqliteError("run", err)
		}
		if !more {
			break
		}
	}
	n := c.Changes()
	return int64(n), s.Reset()
}

func (c *sqliteConn) send(sql string, args ...any) error {
	_, err := c.exec(sql, args...)
	return err
}

func (c *sqliteConn) query(sql string, args []any, each func(row) error) error {
	s, err := c.start(sql, args)
	if err != nil {
		return err
	}
	defer func() { _ = s.Reset() }()
	for {
		more, err := s.Step()
		if err != nil {
			return sqliteError("query", err)
		}
		if !more {
			return nil
		}
		if err := each(sqliteRow{s}); err != nil {
			return err
		}
	}
}

const insertEventSQLite = `
	INSERT INTO events (workspace_id, stream, type, actor_agent_id, task_id, handoff_id, visibility, target, payload, created_at, trace_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// appendEvents inserts at once: the file has one writer at a time, so the order
// of the numbers is the order of the commits.
func (c *sqliteConn) appendEvents(events []*nexus.Event) error {
	for _, e := range events {
		if _, err := c.exec(insertEventSQLite, orNull(e.WorkspaceID), e.Stream, e.Type, orNull(e.Actor),
			orNull(e.TaskID), orNull(e.HandoffID), orNull(e.Visibility), jsonText(e.Target), jsonText(e.Payload), e.CreatedAt, orNull(e.Trace)); err != nil {
			return err
		}
		e.ID = c.LastInsertRowID()
	}
	return nil
}

func bind(s *sqlite.Stmt, i int, value any) error {
	switch v := value.(type) {
	case nil:
		s.BindNull(i)
	case string:
		s.BindText(i, v)
	case *string:
		if v == nil {
			s.BindNull(i)
		} else {
			s.BindText(i, *v)
		}
	case int:
		s.BindInt64(i, int64(v))
	case int64:
		s.BindInt64(i, v)
	case bool:
		s.BindBool(i, v)
	case []byte:
		s.BindBytes(i, v)
	case json.RawMessage:
		if len(v) == 0 {
			s.BindNull(i)
		} else {
			s.BindText(i, string(v))
		}
	default:
		return fmt.Errorf("cannot bind a %T", value)
	}
	return nil
}

type sqliteRow struct{ stmt *sqlite.Stmt }

func (r sqliteRow) scan(into ...any) error {
	for i, to := range into {
		err := assign(to, r.stmt.ColumnIsNull(i),
			func() int64 { return r.stmt.ColumnInt64(i) },
			func() string { return r.stmt.ColumnText(i) })
		if err != nil {
			return err
		}
	}
	return nil
}
