package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"nexus"
)

// copyPages is how much is copied before anybody is asked whether to go on.
const copyPages = 256

// copyTo copies the database, as it is at this moment, into an empty file and
// checks the copy. It reads in one transaction, so writers neither wait for it
// nor make it start again. The copy needs no files beside it.
func (c *sqliteConn) copyTo(ctx context.Context, path string, progress func(done, total int64)) (report BackupReport, err error) {
	tx := &Tx{conn: c}
	if _, err := c.exec("BEGIN"); err != nil {
		return report, err
	}
	defer func() { _, _ = c.exec("ROLLBACK") }()
	var size int64
	if _, err := tx.one("PRAGMA page_size", nil, &size); err != nil {
		return report, err
	}
	if _, err := tx.one("SELECT count(*) FROM sqlite_master", nil, new(int64)); err != nil { // from here on it is this state
		return report, err
	}
	to, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return report, sqliteError("open", err)
	}
	copied := &sqliteConn{Conn: to, stmts: map[string]prepared{}}
	defer func() { err = errors.Join(err, copied.close()) }()
	for _, p := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF"} { // a copy that fails is thrown away
		if _, err := copied.exec(p); err != nil {
			return report, err
		}
	}
	if err := copyAll(ctx, to, c.Conn, size, progress); err != nil {
		return report, interrupted(ctx, err)
	}
	to.SetInterrupt(ctx.Done())
	if _, err := copied.exec("PRAGMA journal_mode=DELETE"); err != nil {
		return report, interrupted(ctx, err)
	}
	return copied.inspect(ctx, path)
}

func copyAll(ctx context.Context, to, from *sqlite.Conn, pageSize int64, progress func(done, total int64)) error {
	b, err := sqlite.NewBackup(to, "main", from, "main")
	if err != nil {
		return sqliteError("copy", err)
	}
	defer func() { _ = b.Close() }()
	for {
		more, err := b.Step(copyPages)
		if err != nil {
			return sqliteError("copy", err)
		}
		if progress != nil {
			total := int64(b.PageCount())
			progress((total-int64(b.Remaining()))*pageSize, total*pageSize)
		}
		if !more {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
}

// inspect checks a copy and tells what it holds.
func (c *sqliteConn) inspect(ctx context.Context, path string) (r BackupReport, err error) {
	problems, err := c.problems(ctx, false)
	if err != nil {
		return r, err
	}
	if len(problems) > 0 {
		return r, nexus.Errorf(nexus.DBError, "The database is damaged, and so would be its copy, which was not kept: %s", shortList(problems)).
			With("problems", problems)
	}
	tx := &Tx{conn: c}
	applied, err := appliedMigrations(tx)
	if err != nil {
		return r, err
	}
	if len(applied) > 0 {
		r.SchemaVersion = slices.Max(applied)
	}
	if _, err := tx.one(`SELECT count(*) FROM events`, nil, &r.Events); err != nil {
		return r, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return r, cannotWrite(path, err)
	}
	r.Bytes, r.Integrity = info.Size(), "ok"
	return r, nil
}

// copyPatience is how long a lock of somebody else on the file is waited for.
const copyPatience = 10 * time.Second

// openOwn opens a database of ours for reading, as it is: no other file, and no
// newer or older schema, is a reason to touch it.
func openOwn(path string) (*sqliteConn, error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	conn, err := openSQLiteConn(path, copyPatience, true)
	if err != nil {
		return nil, err
	}
	return conn.ours(path)
}

// openFile opens a file for reading that nobody works on, and leaves no trace
// beside it. It may lie where nothing can be written.
func openFile(path string) (*sqliteConn, error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: "immutable=1"}
	if hasLog(path) { // what is in there counts, too
		address.RawQuery = "mode=ro"
	}
	c, err := sqlite.OpenConn(address.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, sqliteError("open", err)
	}
	c.SetBusyTimeout(copyPatience)
	return (&sqliteConn{Conn: c, stmts: map[string]prepared{}}).ours(path)
}

// hasLog tells whether a file is not whole without its log: somebody has it open,
// or did not close it.
func hasLog(path string) bool {
	return slices.ContainsFunc([]string{"-wal", "-journal"}, func(ending string) bool {
		info, err := os.Stat(path + ending)
		return err == nil && info.Size() > 0
	})
}

func mustExist(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nexus.Errorf(nexus.NotFound, "There is no database at %s.", path)
	case err != nil:
		return &nexus.Error{Code: nexus.DBError, Err: err, Msg: fmt.Sprintf("%s cannot be read: %v.", path, rootCause(err))}
	case !info.Mode().IsRegular():
		return nexus.Errorf(nexus.DBError, "%s is not a file.", path)
	}
	return nil
}

// ours is the connection, or what is wrong with the file it leads to; then it
// is closed.
func (c *sqliteConn) ours(path string) (*sqliteConn, error) {
	var id int64
	_, err := (&Tx{conn: c}).one("PRAGMA application_id", nil, &id)
	switch {
	case isDamage(err):
		err = &nexus.Error{Code: nexus.DBError, Err: err, Msg: path + " is damaged or is no database."}
	case err == nil && id != applicationID:
		err = nexus.Errorf(nexus.DBError, "%s is no database of Nexus.", path)
	}
	if err != nil {
		_ = c.close()
		return nil, err
	}
	return c, nil
}

func shortList(problems []string) string {
	const most = 3
	if len(problems) > most {
		return strings.Join(problems[:most], "; ") + fmt.Sprintf("; and %d more", len(problems)-most)
	}
	return strings.Join(problems, "; ")
}
