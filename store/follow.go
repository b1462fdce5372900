package store

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"nexus"
)

const (
	// logSlice is how many numbers of the log one look goes through where no
	// index leads to what is wanted, so that nobody keeps a reader's place long.
	logSlice = 10_000
	// logBytes is from what size on a page is full.
	logBytes = 256 << 10
)

// LogAfter looks through the log behind a number for what the filter wants,
// oldest first. It finds at most limit events, and fewer where they are large
// or few among many; the page says how far it looked.
func (db *DB) LogAfter(ctx context.Context, after int64, f nexus.LogFilter, limit int) (page nexus.LogPage, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		if page.First, page.Last, err = tx.logBounds(); err != nil {
			return err
		}
		page.Events, page.Next, err = tx.logAfter(after, page.Last, f, limit)
		return err
	})
	return page, err
}

// LogBounds are the number of the oldest event that is left, and the highest
// that was ever given to one. With no event left first is last+1.
func (db *DB) LogBounds(ctx context.Context) (first, last int64, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		first, last, err = tx.logBounds()
		return err
	})
	return first, last, err
}

// logBounds asks the counter for the end, since retention may have deleted the
// newest event too, and its number is not given again.
func (t *Tx) logBounds() (first, last int64, err error) {
	if _, err = t.one(t.dialect().lastNumber, nil, &last); err != nil {
		return 0, 0, err
	}
	_, err = t.one(`SELECT coalesce(min(event_id), $1) FROM events`, args(last+1), &first)
	return first, last, err
}

// errFull ends the reading of a page.
var errFull = errors.New("the page is full")

func (t *Tx) logAfter(after, last int64, f nexus.LogFilter, limit int) (events []nexus.Event, next int64, err error) {
	q := logQuery(t.dialect(), after, last, f)
	bytes := 0
	text := q.text(limit)
	err = t.query(text, q.args, func(r row) error {
		e, err := scanEvent(r)
		if err != nil {
			return err
		}
		events = append(events, e)
		if bytes += len(e.Payload) + len(e.Target); bytes >= logBytes || len(events) == limit {
			return errFull
		}
		return nil
	})
	switch {
	case errors.Is(err, errFull):
		return events, events[len(events)-1].ID, nil
	case err != nil:
		return nil, 0, err
	}
	return events, max(after, q.end), nil
}

// A logSearch is a query on the log in the making.
type logSearch struct {
	conditions []string
	args       []any
	end        int64 // how far it looks
}

// logQuery looks to the end of the log where an index leads to what is wanted:
// that of one stream, or that of one trace. Elsewhere it goes through a slice.
func logQuery(d *dialect, after, last int64, f nexus.LogFilter) *logSearch {
	q := &logSearch{conditions: []string{"event_id > $1"}, args: args(after), end: last}
	q.add(d, "workspace_id", f.Workspaces)
	q.add(d, "stream", f.Streams)
	stream := len(f.Workspaces) == 1 && len(f.Streams) == 1
	q.add(d, "type", f.Types)
	q.add(d, "actor_agent_id", f.Actors)
	q.add(d, "trace_id", f.Traces)
	all := len(q.conditions) == 1
	if !all && len(f.Traces) != 1 && !(stream && len(q.conditions) == 3) {
		q.end = min(last, after+logSlice)
	}
	q.args = append(q.args, q.end)
	q.conditions = append(q.conditions, "event_id <= $"+strconv.Itoa(len(q.args)))
	return q
}

// add asks for one of the values, if there are any.
func (q *logSearch) add(d *dialect, column string, values []string) {
	n := len(q.args) + 1
	switch len(values) {
	case 0:
	case 1:
		q.args = append(q.args, values[0])
		q.conditions = append(q.conditions, column+" = $"+strconv.Itoa(n))
	default:
		q.args = append(q.args, elements(values))
		q.conditions = append(q.conditions, d.oneOf(column, n))
	}
}

func (q *logSearch) text(limit int) string {
	q.args = append(q.args, limit)
	return `SELECT ` + eventColumns + ` FROM events WHERE ` + strings.Join(q.conditions, " AND ") +
		` ORDER BY event_id LIMIT $` + strconv.Itoa(len(q.args))
}
