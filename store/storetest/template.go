package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5"

	"nexus/store"
	"nexus/store/migration"
)

// Making the tables takes longer than most tests do with them. So they are made
// once, and each test begins with a copy.

// schema has the tables, so that all tests hold for more than the default one.
const schema = "nexus_tables"

// sqliteTemplate is a file as it is after the first opening.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nexus-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	o := Opener{URL: filepath.Join(dir, "nexus.db")}
	if err := o.make(); err != nil {
		return nil, err
	}
	return os.ReadFile(o.URL)
})

// postgresTemplate names a database as it is after the first opening. It stays on
// the server for whoever comes next with the same tables.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	server := os.Getenv(postgresVariable)
	digest := sha256.New()
	if err := fs.WalkDir(migration.Files, migration.Postgres, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		script, err := fs.ReadFile(migration.Files, path)
		fmt.Fprintf(digest, "%s %d\n%s", path, len(script), script)
		return err
	}); err != nil {
		return "", err
	}
	name := "nexus_template_" + hex.EncodeToString(digest.Sum(nil)[:6])

	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }() // gives the lock back
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
		return name, err
	}
	return name, makeTemplate(server, name)
})

// makeTemplate gives the database its name when it is complete.
func makeTemplate(server, name string) error {
	draft := name + "_draft"
	if err := execute(server, "DROP DATABASE IF EXISTS "+draft, "CREATE DATABASE "+draft+" TEMPLATE template0"); err != nil {
		return err
	}
	url, err := inDatabase(server, draft)
	if err != nil {
		return err
	}
	if err := execute(url, "CREATE SCHEMA "+schema); err != nil {
		return err
	}
	if err := (Opener{URL: url}).make(); err != nil {
		return err
	}
	return execute(server, "ALTER DATABASE "+draft+" RENAME TO "+name)
}

// make opens the database for the first time.
func (o Opener) make() error {
	db, err := store.Open(context.Background(), o.Options())
	if err != nil {
		return err
	}
	return db.Close()
}

func execute(server string, statements ...string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// inDatabase is the address of the tables in a database of the server.
func inDatabase(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("%s: %w", postgresVariable, err)
	}
	u.Path = "/" + name
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String(), nil
}
