package store

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"nexus"
	"nexus/store/migration"
)

// A step changes the schema, forward only. Both databases have the same steps
// under the same names.
type step struct {
	number int
	name   string
	sql    string
}

type migrations []step

var migrationName = regexp.MustCompile(`^(\d+)_(\w+)\.sql$`)

func sqliteMigrations() (migrations, error)   { return loadMigrations(migration.SQLite) }
func postgresMigrations() (migrations, error) { return loadMigrations(migration.Postgres) }

func loadMigrations(dir string) (migrations, error) {
	entries, err := fs.ReadDir(migration.Files, dir)
	if err != nil {
		return nil, migrationError("read the migrations", err)
	}
	var all migrations
	for _, entry := range entries {
		m := migrationName.FindStringSubmatch(entry.Name())
		if m == nil {
			return nil, migrationError("read the migrations", fmt.Errorf("odd file name %s", entry.Name()))
		}
		number, _ := strconv.Atoi(m[1])
		sql, err := fs.ReadFile(migration.Files, path.Join(dir, entry.Name()))
		if err != nil {
			return nil, migrationError("read the migrations", err)
		}
		all = append(all, step{number, m[2], string(sql)})
	}
	slices.SortFunc(all, func(a, b step) int { return a.number - b.number })
	return all, nil
}

func (m migrations) newest() int { return m[len(m)-1].number }

// pending lists what the database lacks. A database that is newer than this
// program is refused: we cannot know what its columns mean.
func (m migrations) pending(tx *Tx) (migrations, error) {
	applied, err := appliedMigrations(tx)
	if err != nil {
		return nil, err
	}
	if len(applied) > 0 && slices.Max(applied) > m.newest() {
		return nil, nexus.Errorf(nexus.MigrationError,
			"The database has schema version %d; this program knows versions up to %d. Use a newer nexus. Nothing was changed.",
			slices.Max(applied), m.newest())
	}
	return slices.DeleteFunc(slices.Clone(m), func(s step) bool {
		return slices.Contains(applied, s.number)
	}), nil
}

func (m migrations) older(next step) error {
	return nexus.Errorf(nexus.MigrationError,
		"The database lacks migration %04d_%s and a running hub of an older version uses it. Restart the hub with this version first.",
		next.number, next.name)
}

// apply runs each step in a transaction of its own. What was pending is looked
// up again under the write lock, for another process may have been faster.
func (m migrations) apply(pending migrations, now func() time.Time, transaction func(func(*Tx) error) error) error {
	for _, next := range pending {
		err := transaction(func(tx *Tx) error {
			still, err := m.pending(tx)
			if err != nil || !slices.ContainsFunc(still, func(s step) bool { return s.number == next.number }) {
				return err
			}
			return next.run(tx, now())
		})
		if err != nil {
			return migrationError(fmt.Sprintf("apply migration %04d_%s", next.number, next.name), err)
		}
	}
	return nil
}

func (s step) run(tx *Tx, now time.Time) error {
	for _, statement := range statements(s.sql) {
		if _, err := tx.exec(statement); err != nil {
			return fmt.Errorf("%w in: %s", err, statement)
		}
	}
	_, err := tx.exec(`INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)`,
		s.number, s.name, nexus.Stamp(now))
	return err
}

// statements splits a script at the lines that end in a semicolon. Comments
// stand on lines of their own.
func statements(script string) []string {
	var all []string
	var b strings.Builder
	for line := range strings.Lines(script) {
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "--") {
			continue
		}
		b.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			all = append(all, strings.TrimSuffix(strings.TrimSpace(b.String()), ";"))
			b.Reset()
		}
	}
	return all
}

// appliedMigrations reads the ledger; a database without one has none.
func appliedMigrations(tx *Tx) ([]int, error) {
	exists, err := tx.tableExists("schema_migrations")
	if err != nil || !exists {
		return nil, err
	}
	return list(tx, `SELECT version FROM schema_migrations ORDER BY version`, nil, func(r row) (n int, err error) {
		err = r.scan(&n)
		return n, err
	})
}

func migrationError(doing string, err error) error {
	if e := nexus.AsError(err); e.Code == nexus.MigrationError || e.Details["retryable"] == true {
		return e
	}
	return &nexus.Error{
		Code: nexus.MigrationError, Err: err,
		Msg: fmt.Sprintf("Could not %s. The database is as it was before that step.", doing),
	}
}
