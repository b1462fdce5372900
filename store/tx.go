package store

import (
	"encoding/json"
	"fmt"
	"strconv"

	"nexus"
)

// A Tx is one transaction. Its statements run under the store's own deadline,
// never under a caller's context: a caller who hangs up must not break the
// connection that others share. Its methods return finished values, never open
// cursors.
type Tx struct {
	conn
	events []*nexus.Event
	keys   []string
	kinds  []string // of all events, also those that have their number
	trace  string   // of the request that this is done for
}

// A conn runs statements of one transaction on one of the databases. The SQL
// is the same text for both, with $1 placeholders; where they differ, it asks
// the dialect.
type conn interface {
	dialect() *dialect
	// exec runs a statement and tells how many rows it changed.
	exec(sql string, args ...any) (int64, error)
	// send runs a statement whose outcome nobody needs to know: it may travel
	// together with the next one. An error surfaces by the commit at the latest.
	send(sql string, args ...any) error
	query(sql string, args []any, each func(row) error) error
	lock(names []string) error
	appendEvents([]*nexus.Event) error
}

// A dialect is what the two databases say differently.
type dialect struct {
	takeDelivery string // ends a SELECT of deliveries d that nobody else is to take
	holdRow      string // ends a SELECT that keeps others from changing its row until the commit
	keepRow      string // ends a SELECT that keeps others from deleting its row until the commit
	tableExists  string
	elements     string // selects the elements of a JSON list, %s
	numbers      string // selects them where they are integers
	size         string // selects the bytes of the database; "" where its files tell
	tables       string // lists the tables that hold rows of their own
	lastNumber   string // selects the highest number an event ever got
	bound        bool   // whether messages are bound in volumes
	words        wordIndex
	// wipe empties tables and tells what they held.
	wipe func(t *Tx, tables []string, counts map[string]int64) error
}

// oneOf matches a column with the elements of argument n; see [elements].
func (d *dialect) oneOf(column string, n int) string {
	return column + " IN (" + fmt.Sprintf(d.elements, "$"+strconv.Itoa(n)) + ")"
}

// among is oneOf for values that most often are a single one, which needs no list
// to be read: that costs more than the rest of a small statement.
func (d *dialect) among(column string, n int, values []string) (condition string, arg any) {
	if len(values) == 1 {
		return column + " = $" + strconv.Itoa(n), values[0]
	}
	return d.oneOf(column, n), elements(values)
}

// oneNumber is oneOf for integers; see [numberElements].
func (d *dialect) oneNumber(column string, n int) string {
	return column + " IN (" + fmt.Sprintf(d.numbers, "$"+strconv.Itoa(n)) + ")"
}

// elementsOf selects the elements of a JSON list in a column.
func (d *dialect) elementsOf(column string) string {
	return fmt.Sprintf(d.elements, "coalesce("+column+", '[]')")
}

// tableExists tells whether the schema has a table of that name.
func (t *Tx) tableExists(name string) (bool, error) {
	return t.one(t.dialect().tableExists, args(name))
}

// A row gives its columns to Go values: *string (NULL is ""), **string, *int,
// *int64, *bool, *[]byte and *json.RawMessage.
type row interface {
	scan(into ...any) error
}

// Lock keeps every other transaction that names one of these out until this one
// ends. Call it at most once, before the first write. On SQLite there is one
// writer anyway.
func (t *Tx) Lock(names ...string) error { return t.lock(names) }

// Wake adds keys to those that the commit will wake.
func (t *Tx) Wake(keys ...string) { t.keys = append(t.keys, keys...) }

// AppendEvent only remembers the event. It gets its number in the last step
// before the commit, under a lock that the commit releases, so events become
// visible in the order of their numbers and no reader's cursor passes one by.
// e.ID is set by the time the Update returns.
func (t *Tx) AppendEvent(e *nexus.Event) error {
	if e.Type == "" || e.Stream == "" || (e.WorkspaceID == "") != (e.Stream == nexus.StreamSystem) {
		return fmt.Errorf("an event nobody could read: type %q, stream %q", e.Type, e.Stream)
	}
	t.events = append(t.events, e)
	t.kinds = append(t.kinds, e.Type)
	if e.Trace == "" {
		e.Trace = t.trace
	}
	t.Wake(nexus.LogKey(e.WorkspaceID, e.Stream), nexus.EveryEventKey)
	return nil
}

// one runs a query for at most one row and tells whether there was one.
func (t *Tx) one(sql string, args []any, into ...any) (found bool, err error) {
	err = t.query(sql, args, func(r row) error {
		found = true
		return r.scan(into...)
	})
	return found, err
}

// first is the first row of a query, as scan reads it.
func first[R any](t *Tx, sql string, args []any, scan func(row) (R, error)) (v R, found bool, err error) {
	err = t.query(sql, args, func(r row) (err error) {
		found = true
		v, err = scan(r)
		return err
	})
	return v, found, err
}

// list runs a query and collects what scan makes of each row. It is never nil:
// an empty list is [] on the wire.
func list[R any](t *Tx, sql string, args []any, scan func(row) (R, error)) ([]R, error) {
	out := []R{}
	err := t.query(sql, args, func(r row) error {
		v, err := scan(r)
		if err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// text scans the single column of a row.
func text(r row) (s string, err error) {
	err = r.scan(&s)
	return s, err
}

// jsonText is a JSON value as the store keeps it; nothing is NULL.
func jsonText(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return string(raw)
}

// orNull keeps "" as NULL.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// args makes call sites of query read well.
func args(a ...any) []any { return a }
