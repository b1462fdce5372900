package store

import (
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// EventNumbers are the numbers above a cursor, of all streams.
func (t *Tx) EventNumbers(after int64) ([]int64, error) {
	return list(t, `SELECT event_id FROM events WHERE event_id > $1 ORDER BY event_id`, args(after), func(r row) (n int64, err error) {
		err = r.scan(&n)
		return n, err
	})
}

// PretendMigrated notes a migration that this program does not know.
func (t *Tx) PretendMigrated(number int) error {
	return t.send(`INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'future', '')`, number)
}

// MakeForeign makes a database as another program would.
func MakeForeign(t *testing.T, path string) {
	t.Helper()
	MakeWith(t, path, `CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup');`)
}

// MakeWith makes a database that is not ours.
func MakeWith(t *testing.T, path, script string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
		t.Fatal(err)
	}
}

// Columns lists "table.column" of the whole schema, sorted, but for the index of
// words, which each database has in its own way.
func Columns(t *testing.T, db *DB) []string {
	t.Helper()
	sql := `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'search_words%'`
	if _, ok := db.engine.(*postgresEngine); ok {
		sql = `SELECT (table_name || '.' || column_name)::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'search_words'`
	}
	var all []string
	err := db.View(t.Context(), func(tx *Tx) (err error) {
		all, err = list(tx, sql, nil, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// HoldLock takes the file's write lock as another program would, and returns how
// to give it back.
func HoldLock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

// OpenRaw opens a file without looking into it, and returns how to write to it
// then.
func OpenRaw(t *testing.T, path string) (write func() error) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return func() error { return sqlitex.ExecuteTransient(conn, "DELETE FROM workspaces", nil) }
}

// MakeVersion makes a database as the program of an earlier version would.
func MakeVersion(t *testing.T, path string, version int) {
	t.Helper()
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	conn, err := openSQLiteConn(path, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.close() }()
	all, err := sqliteMigrations()
	if err != nil {
		t.Fatal(err)
	}
	if err := all.apply(all[:version], time.Now, conn.transaction); err != nil {
		t.Fatal(err)
	}
}
