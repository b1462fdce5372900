package store

import (
	"context"
	"time"

	"nexus"
	"nexus/bus"
)

// SurveyEvents looks at the next events after a number and tells how many of
// them are older than a moment.
func (t *Tx) SurveyEvents(after int64, before string, look int) (s bus.EventSurvey, err error) {
	_, err = t.one(`
		SELECT count(*), coalesce(max(event_id), 0), coalesce(sum(CASE WHEN created_at < $2 THEN 1 ELSE 0 END), 0),
			coalesce(max(CASE WHEN created_at < $2 THEN event_id ELSE 0 END), 0)
		FROM (SELECT event_id, created_at FROM events WHERE event_id > $1 ORDER BY event_id LIMIT $3) AS slice`,
		args(after, before, look), &s.Looked, &s.Last, &s.Old, &s.LastOld)
	return s, err
}

// readBefore joins from the agents, so that the index of each one's history
// leads straight to what is old. CROSS keeps SQLite to that order.
const readBefore = ` FROM agents a CROSS JOIN message_deliveries d
	WHERE d.recipient_agent_id = a.agent_id AND d.status = 'read' AND d.read_at < $1 `

// CountFinished counts deliveries read, and sessions closed, before a moment.
func (t *Tx) CountFinished(deliveriesBefore, sessionsBefore string) (deliveries, sessions int, err error) {
	if _, err = t.one(`SELECT count(*)`+readBefore, args(deliveriesBefore), &deliveries); err != nil {
		return 0, 0, err
	}
	_, err = t.one(`SELECT count(*) FROM sessions WHERE status = 'closed' AND closed_at < $1`, args(sessionsBefore), &sessions)
	return deliveries, sessions, err
}

// DeleteEvents deletes the oldest events up to a number.
func (t *Tx) DeleteEvents(upTo int64, before string, limit int) (int, error) {
	n, err := t.exec(`
		DELETE FROM events WHERE event_id IN (
			SELECT event_id FROM events WHERE event_id <= $1 AND created_at < $2 ORDER BY event_id LIMIT $3)`,
		upTo, before, limit)
	return int(n), err
}

// DeleteReadDeliveries deletes deliveries that were read. The outer condition
// repeats the inner one, so that not even a row that changes in between goes
// while it is anything but read.
func (t *Tx) DeleteReadDeliveries(before string, limit int) (int, error) {
	n, err := t.exec(`
		DELETE FROM message_deliveries WHERE status = 'read' AND read_at < $1 AND delivery_id IN (
			SELECT d.delivery_id`+readBefore+`LIMIT $2)`, before, limit)
	return int(n), err
}

// DeleteClosedSessions deletes sessions that were closed.
func (t *Tx) DeleteClosedSessions(before string, limit int) (int, error) {
	n, err := t.exec(`
		DELETE FROM sessions WHERE status = 'closed' AND closed_at < $1 AND session_id IN (
			SELECT session_id FROM sessions WHERE status = 'closed' AND closed_at < $1 LIMIT $2)`, before, limit)
	return int(n), err
}

// Both engines can give space back; each in its own way.
type vacuumer interface {
	vacuum(ctx context.Context) error
}

var (
	_ vacuumer = (*sqliteEngine)(nil)
	_ vacuumer = (*postgresEngine)(nil)
)

// Vacuum gives the space of deleted rows back: on SQLite to the disk, on
// PostgreSQL to its tables. Other processes may be at work. They can read all
// the while; on SQLite those who write wait, and get DB_ERROR worth a retry if
// that takes longer than their patience.
func (db *DB) Vacuum(ctx context.Context) error {
	return db.engine.(vacuumer).vacuum(ctx)
}

// vacuum writes the whole file anew. That lands in the write-ahead log first;
// only the checkpoint makes the file smaller, and it needs a moment in which
// nobody reads an old state.
func (e *sqliteEngine) vacuum(ctx context.Context) error {
	leave := e.writer.turnstile.enterAlways()
	defer leave()
	conn, err := openSQLiteConn(e.path, e.busy, false)
	if err != nil {
		return err
	}
	defer func() { _ = conn.close() }()
	conn.SetInterrupt(ctx.Done())                                      // the connection is ours alone
	for _, sql := range []string{"PRAGMA temp_store=FILE", "VACUUM"} { // the copy may be larger than the memory
		if _, err := conn.exec(sql); err != nil {
			return interrupted(ctx, err)
		}
	}
	var busy int
	if _, err := (&Tx{conn: conn}).one("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy); err != nil {
		return interrupted(ctx, err)
	}
	if busy != 0 {
		return nexus.Errorf(nexus.DBError,
			"The database was packed, but its file can only shrink while nobody reads an older state. Try again in a moment.").
			With("retryable", true)
	}
	return nil
}

// interrupted tells a statement that the caller stopped from one that failed.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// vacuumPatience is how long the tables may take.
const vacuumPatience = 10 * time.Minute

// vacuum makes the space of the deleted rows usable again. Making the tables
// smaller on disk would lock everybody out, so that is left to the operator.
func (e *postgresEngine) vacuum(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, vacuumPatience)
	defer cancel()
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return interrupted(ctx, postgresError("connect", err))
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "VACUUM events, message_deliveries, sessions"); err != nil {
		return interrupted(ctx, postgresError("vacuum", err))
	}
	return nil
}
