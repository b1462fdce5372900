package store

import (
	"slices"
	"strings"
)

const (
	// Tables that belong to others are none: SQLite's own, and those in which an
	// index keeps its pages. Indexes that are tables come last, when what they
	// describe is gone.
	sqliteTables = `
		SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY type, name`
	// They are locked in this order, so it is about that in which a transaction
	// comes by them: first what others refer to, and the log at its very end.
	postgresTables = `
		SELECT c.relname::text FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
		ORDER BY c.relname = 'events', (SELECT count(*) FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid), 1`
)

// lasting are the tables that no reset empties: what the schema is, which numbers
// events were given (on SQLite that is in a table of its own), and which volumes
// messages are bound in.
var lasting = []string{"schema_migrations", "event_counter", "message_volumes"}

// Wipe deletes all rows of all tables but those to keep, and tells how many
// there were in each. It asks the schema which tables there are.
func (t *Tx) Wipe(keep []string) (map[string]int64, error) {
	tables, err := list(t, t.dialect().tables, nil, text)
	if err != nil {
		return nil, err
	}
	tables = slices.DeleteFunc(tables, func(name string) bool {
		return slices.Contains(lasting, name) || slices.Contains(keep, name)
	})
	answers := slices.Contains(tables, answersTable)
	tables = slices.DeleteFunc(tables, func(name string) bool { return name == answersTable })
	deleted := map[string]int64{}
	if err := t.dialect().wipe(t, tables, deleted); err != nil {
		return nil, err
	}
	if answers {
		deleted[answersTable], err = t.forgetAnswers()
	}
	return deleted, err
}

const answersTable = "idempotency_keys"

// forgetAnswers deletes the answers that were kept for repeated calls, but for
// the one that the call at hand will get: its row is there already and has no
// answer yet. Were it deleted, a repeated reset would be another one.
func (t *Tx) forgetAnswers() (int64, error) {
	return t.exec(`DELETE FROM idempotency_keys WHERE answer IS NOT NULL OR made_id IS NOT NULL`)
}

// countRows counts before anything is deleted: deleting rows may delete those
// of another table that refer to them.
func (t *Tx) countRows(tables []string, into map[string]int64) error {
	for _, name := range tables {
		var n int64
		if _, err := t.one(`SELECT count(*) FROM `+quoteName(name), nil, &n); err != nil {
			return err
		}
		into[name] = n
	}
	return nil
}

// wipeSQLite lets references hang in the air until all tables are empty, so that
// their order does not matter.
func wipeSQLite(t *Tx, tables []string, counts map[string]int64) error {
	if err := t.countRows(tables, counts); err != nil {
		return err
	}
	if _, err := t.exec(`PRAGMA defer_foreign_keys=ON`); err != nil {
		return err
	}
	for _, name := range tables {
		if _, err := t.exec(`DELETE FROM ` + quoteName(name)); err != nil {
			return err
		}
	}
	_, err := t.exec(`PRAGMA defer_foreign_keys=OFF`)
	return err
}

// wipePostgres empties all tables in one statement, which takes no longer for
// many rows than for few. The lock keeps rows out that would not be counted. One
// that does not come soon is given up, with those that were got, and the
// transaction runs again: somebody who has it may wait for one of ours.
func wipePostgres(t *Tx, tables []string, counts map[string]int64) error {
	names := make([]string, len(tables))
	for i, name := range tables {
		names[i] = quoteName(name)
	}
	all := strings.Join(names, ", ")
	if err := t.send(`SET LOCAL lock_timeout = '100ms'`); err != nil {
		return err
	}
	if _, err := t.exec(`LOCK TABLE ` + all + ` IN ACCESS EXCLUSIVE MODE`); err != nil {
		return err
	}
	if err := t.countRows(tables, counts); err != nil {
		return err
	}
	_, err := t.exec(`TRUNCATE ` + all)
	return err
}

// quoteName writes the name of a table as it is.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
