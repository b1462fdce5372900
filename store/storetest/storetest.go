// Package storetest runs tests on both databases: a SQLite file of its own and,
// where there is a PostgreSQL, a database of its own.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nexus/store"
)

// The environment that says where the tests find PostgreSQL, and that they must
// not go without.
const (
	postgresVariable = "NEXUS_TEST_POSTGRES"
	requireVariable  = "NEXUS_REQUIRE_POSTGRES"
)

// An Opener opens the test's database. Each call gives another [store.DB] on the
// same data, as another process would have; the test's end closes them.
type Opener struct {
	URL string
	// Now is the clock of the databases it opens; nil for the real one.
	Now func() time.Time
}

// Open opens the database and listens for what others commit.
func (o Opener) Open(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), o.Options())
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- db.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("run the store: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return db
}

// Options are how the databases are opened.
func (o Opener) Options() store.Options {
	return store.Options{URL: o.URL, BusyTimeout: 5 * time.Second, Now: o.Now}
}

// Each runs the test on every database there is: on a store with nothing in it.
// Both run at the same time, once the calling test has nothing more to do.
func Each(t *testing.T, test func(t *testing.T, o Opener)) {
	t.Helper()
	onBoth(t, test, SQLite, Postgres)
}

// EachEmpty is [Each] on databases that nobody has opened yet.
func EachEmpty(t *testing.T, test func(t *testing.T, o Opener)) {
	t.Helper()
	onBoth(t, test, NoFile, NoTables)
}

func onBoth(t *testing.T, test func(t *testing.T, o Opener), sqlite, postgres func(testing.TB) Opener) {
	t.Helper()
	on := func(database func(testing.TB) Opener) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			test(t, database(t))
		}
	}
	t.Run("sqlite", on(sqlite))
	t.Run("postgres", on(postgres))
}

// NoFile is a file that does not exist yet.
func NoFile(t testing.TB) Opener {
	return Opener{URL: filepath.Join(t.TempDir(), "nexus.db")}
}

// SQLite is a file with nothing in it.
func SQLite(t testing.TB) Opener {
	t.Helper()
	content, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("make a store: %v", err)
	}
	o := NoFile(t)
	if err := os.WriteFile(o.URL, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

// Postgres is a database with nothing in it. Without PostgreSQL the test is
// skipped, or fails where it must not be.
func Postgres(t testing.TB) Opener {
	t.Helper()
	server := postgresServer(t)
	template, err := postgresTemplate()
	if err != nil {
		t.Fatalf("make a store: %v", err)
	}
	return Opener{URL: newDatabase(t, server, template)}
}

// NoTables is a database without tables.
func NoTables(t testing.TB) Opener {
	t.Helper()
	o := Opener{URL: newDatabase(t, postgresServer(t), "template0")}
	if err := execute(o.URL, "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	return o
}

func postgresServer(t testing.TB) string {
	t.Helper()
	server := os.Getenv(postgresVariable)
	if server == "" {
		if os.Getenv(requireVariable) != "" {
			t.Fatalf("%s is set but %s is not: the PostgreSQL tests did not run", requireVariable, postgresVariable)
		}
		t.Skipf("no PostgreSQL: run scripts/postgres.sh, or set %s", postgresVariable)
	}
	return server
}

// newDatabase makes a database for the test alone.
func newDatabase(t testing.TB, server, template string) (url string) {
	t.Helper()
	var random [6]byte
	_, _ = rand.Read(random[:])
	name := "nexus_test_" + hex.EncodeToString(random[:])
	if err := execute(server, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	url, err := inDatabase(server, name)
	if err != nil {
		t.Fatal(err)
	}
	return url
}
