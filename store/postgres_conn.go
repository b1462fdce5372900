package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"nexus"
)

var postgresDialect = &dialect{
	takeDelivery: "FOR UPDATE OF d SKIP LOCKED",
	holdRow:      " FOR NO KEY UPDATE",
	keepRow:      " FOR KEY SHARE",
	tableExists:  `SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1`,
	size:         `SELECT pg_database_size(current_database())`,
	elements:     `SELECT json_array_elements_text((%s)::json)`,
	numbers:      `SELECT json_array_elements_text((%s)::json)::bigint`,
	tables:       postgresTables,
	wipe:         wipePostgres,
	words:        postgresWords,
	lastNumber:   `SELECT last FROM event_counter`,
}

// postgresConn is one transaction. Statements whose outcome nobody needs wait
// and travel with the next one; BEGIN travels with the first, and the events
// with COMMIT, so that the lock on their numbers lasts one flush of the log.
type postgresConn struct {
	ctx    context.Context
	conn   *pgx.Conn
	begin  string
	schema string
	begun  bool
	unsent []statement
}

type statement struct {
	sql  string
	args []any
}

func (c *postgresConn) dialect() *dialect { return postgresDialect }

// flight sends BEGIN if it is still due, what waits, and then more, all in one
// round trip. Results of more go to each, in order.
func (c *postgresConn) flight(more []statement, each func(i int, b pgx.BatchResults) error) (err error) {
	batch := &pgx.Batch{}
	if !c.begun {
		batch.Queue(c.begin)
		c.begun = true
	}
	for _, s := range c.unsent {
		batch.Queue(s.sql, s.args...)
	}
	silent := batch.Len()
	for _, s := range more {
		batch.Queue(s.sql, s.args...)
	}
	c.unsent = nil
	results := c.conn.SendBatch(c.ctx, batch)
	defer func() {
		if end := results.Close(); err == nil && end != nil {
			err = postgresError("run", end)
		}
	}()
	for range silent {
		if _, err := results.Exec(); err != nil {
			return postgresError("run", err)
		}
	}
	for i := range more {
		if err := each(i, results); err != nil {
			return err
		}
	}
	return nil
}

func (c *postgresConn) exec(sql string, args ...any) (n int64, err error) {
	err = c.flight([]statement{{sql, plain(args)}}, func(_ int, b pgx.BatchResults) error {
		tag, err := b.Exec()
		if err != nil {
			return postgresError("run", err)
		}
		n = tag.RowsAffected()
		return nil
	})
	return n, err
}

func (c *postgresConn) send(sql string, args ...any) error {
	c.unsent = append(c.unsent, statement{sql, plain(args)})
	return nil
}

func (c *postgresConn) query(sql string, args []any, each func(row) error) error {
	return c.flight([]statement{{sql, plain(args)}}, func(_ int, b pgx.BatchResults) error {
		rows, err := b.Query()
		if err != nil {
			return postgresError("query", err)
		}
		return readRows(rows, each)
	})
}

func readRows(rows pgx.Rows, each func(row) error) error {
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return postgresError("read", err)
		}
		if err := each(postgresRow(values)); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return postgresError("query", err)
	}
	return nil
}

// lock takes all names in one statement, in the order of their numbers, so that
// two who want the same two never hold one each.
func (c *postgresConn) lock(names []string) error {
	numbers := make([]int64, len(names))
	for i, n := range names {
		numbers[i] = lockNumber(c.schema, n)
	}
	slices.Sort(numbers)
	return c.send(`SELECT pg_advisory_xact_lock(n) FROM unnest($1::bigint[]) AS n`, slices.Compact(numbers))
}

// insertEvents numbers and inserts in one statement. The row of the counter
// stays locked until the commit; it is the last lock a transaction takes.
const insertEvents = `
	WITH counter AS (UPDATE event_counter SET last = last + $1::bigint RETURNING last - $1::bigint AS before)
	INSERT INTO events (event_id, workspace_id, stream, type, actor_agent_id, task_id, handoff_id, visibility, target, payload, created_at, trace_id)
	SELECT counter.before + e.n, e.a, e.b, e.c, e.d, e.e, e.f, e.g, e.h, e.i, e.j, e.k
	FROM counter, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
		WITH ORDINALITY AS e(a, b, c, d, e, f, g, h, i, j, k, n)
	RETURNING event_id`

func eventStatement(events []*nexus.Event) statement {
	var columns [11][]*string
	for _, e := range events {
		for i, v := range []string{
			e.WorkspaceID, e.Stream, e.Type, e.Actor, e.TaskID, e.HandoffID,
			e.Visibility, string(e.Target), string(e.Payload), e.CreatedAt, e.Trace,
		} {
			columns[i] = append(columns[i], nullable(v))
		}
	}
	a := []any{int64(len(events))}
	for _, c := range columns {
		a = append(a, c)
	}
	return statement{insertEvents, a}
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// numbered gives the events the numbers they got, lowest first.
func numbered(events []*nexus.Event, b pgx.BatchResults) error {
	rows, err := b.Query()
	if err != nil {
		return postgresError("append events", err)
	}
	ids := make([]int64, 0, len(events))
	if err := readRows(rows, func(r row) error {
		var id int64
		err := r.scan(&id)
		ids = append(ids, id)
		return err
	}); err != nil {
		return err
	}
	if len(ids) != len(events) {
		return fmt.Errorf("%d events got %d numbers", len(events), len(ids))
	}
	slices.Sort(ids)
	for i, e := range events {
		e.ID = ids[i]
	}
	return nil
}

// appendEvents is for those who need the numbers before the commit.
func (c *postgresConn) appendEvents(events []*nexus.Event) error {
	if len(events) == 0 {
		return nil
	}
	return c.flight([]statement{eventStatement(events)}, func(_ int, b pgx.BatchResults) error {
		return numbered(events, b)
	})
}

// commit is the last flight: what waits, the events, COMMIT.
func (c *postgresConn) commit(events []*nexus.Event) error {
	if !c.begun && len(c.unsent) == 0 && len(events) == 0 {
		return nil
	}
	last := []statement{{"COMMIT", nil}}
	if len(events) > 0 {
		last = []statement{eventStatement(events), {"COMMIT", nil}}
	}
	err := c.flight(last, func(i int, b pgx.BatchResults) error {
		if i < len(last)-1 {
			return numbered(events, b)
		}
		tag, err := b.Exec()
		if err != nil {
			return postgresError("commit", err)
		}
		if tag.String() != "COMMIT" { // a failed transaction says ROLLBACK, and no error
			return postgresError("commit", errors.New("the transaction was rolled back"))
		}
		return nil
	})
	if err == nil {
		return nil
	}
	c.rollback()
	if _, said := errors.AsType[*pgconn.PgError](err); !said && c.conn.IsClosed() {
		return &nexus.Error{
			Code: nexus.DBError, Err: err,
			Msg: "The connection to the database was lost during the commit: whether this took effect is not known. Look before you repeat it.",
		}
	}
	return err
}

// rollback leaves the connection clean for the next one, or closed.
func (c *postgresConn) rollback() {
	if !c.begun || c.conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 5*time.Second)
	defer cancel()
	if _, err := c.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = c.conn.Close(ctx)
	}
}

// plain turns arguments into what the driver takes for text.
func plain(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case json.RawMessage:
			args[i] = jsonText(v)
		case int:
			args[i] = int64(v)
		case bool:
			args[i] = int64(0)
			if v {
				args[i] = int64(1)
			}
		}
	}
	return args
}

type postgresRow []any

func (r postgresRow) scan(into ...any) error {
	for i, to := range into {
		value := r[i]
		err := assign(to, value == nil,
			func() int64 { return wholeNumber(value) },
			func() string { return wholeText(value) })
		if err != nil {
			return err
		}
	}
	return nil
}

func wholeText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

func wholeNumber(value any) int64 {
	switch v := value.(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	case bool:
		if v {
			return 1
		}
	}
	return 0
}
