// Package storetest runs tests on both databases: a SQLite file of its own and,
// where there is a PostgreSQL, a schema of its own.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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

// Each runs the test on every database there is.
func Each(t *testing.T, test func(t *testing.T, o Opener)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// SQLite is a file that does not exist yet.
func SQLite(t testing.TB) Opener {
	return Opener{URL: filepath.Join(t.TempDir(), "nexus.db")}
}

// Postgres is an empty schema. Without PostgreSQL the test is skipped, or fails
// where it must not be.
func Postgres(t testing.TB) Opener {
	t.Helper()
	server := os.Getenv(postgresVariable)
	if server == "" {
		if os.Getenv(requireVariable) != "" {
			t.Fatalf("%s is set but %s is not: the PostgreSQL tests did not run", requireVariable, postgresVariable)
		}
		t.Skipf("no PostgreSQL: run scripts/postgres.sh, or set %s", postgresVariable)
	}
	var random [6]byte
	_, _ = rand.Read(random[:])
	schema := "test_" + hex.EncodeToString(random[:])
	execute(t, server, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { execute(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	return Opener{URL: withSearchPath(t, server, schema)}
}

func execute(t testing.TB, server, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func withSearchPath(t testing.TB, server, schema string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", postgresVariable, err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}
