package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"nexus"
)

// RestoreOptions say which file becomes the database.
type RestoreOptions struct {
	From     string    // the file, when Content is nil
	Content  io.Reader // or what is in it
	To       string    // the database file; it need not exist
	Now      func() time.Time
	Progress func(done, total int64)
	// Confirm is told what was found, before anything is changed; its error
	// ends the restore.
	Confirm func(found BackupReport) error
}

// A RestoreReport tells what the database is now, and where it was before.
type RestoreReport struct {
	Database      string `json:"database"`
	File          string `json:"file"`
	Bytes         int64  `json:"bytes"`
	SchemaVersion int    `json:"schema_version"`
	MigratedFrom  int    `json:"migrated_from,omitempty"`
	Events        int64  `json:"events"`
	Integrity     string `json:"integrity"`
	Kept          string `json:"kept,omitempty"` // what was the database until now
}

// Restore puts a copy of a file in the place of the database. The file is
// copied, checked and migrated first; only then, in one step, does the copy
// become the database. Until then nothing is changed, and a kill at any moment
// leaves the one or the other whole. What was the database stays beside it.
//
// Nobody may have the database open: then it is refused. The log goes on with
// numbers that were never given, so that no reader's cursor is ahead of it.
func Restore(ctx context.Context, o RestoreOptions) (RestoreReport, error) {
	r := restorer{RestoreOptions: o, door: o.To}
	if real, err := filepath.EvalSymlinks(o.To); err == nil {
		r.To = real // what is replaced is the file, not the way to it
	}
	defer r.clean()
	if err := r.mayStart(); err != nil {
		return RestoreReport{}, err
	}
	found, err := r.prepare(ctx)
	if err != nil {
		return RestoreReport{}, err
	}
	if o.Confirm != nil {
		if err := o.Confirm(found); err != nil {
			return RestoreReport{}, err
		}
	}
	if err := context.Cause(ctx); err != nil { // from here on it takes a moment only
		return RestoreReport{}, err
	}
	report := RestoreReport{
		Database: o.To, File: o.From, Bytes: found.Bytes, SchemaVersion: r.newest,
		Events: found.Events, Integrity: found.Integrity,
	}
	if found.SchemaVersion != r.newest {
		report.MigratedFrom = found.SchemaVersion
	}
	report.Kept, err = r.swap(report)
	return report, err
}

type restorer struct {
	RestoreOptions
	spool  partialFile // what came from a reader
	copy   partialFile // what will be the database
	newest int
	door   string // where others look for the database
}

func (r *restorer) clean() {
	for _, p := range []partialFile{r.spool, r.copy} {
		if p != "" {
			p.remove()
		}
	}
}

// mayStart refuses at once what would be refused in the end.
func (r *restorer) mayStart() error {
	from, err := os.Stat(r.From)
	to, missing := os.Stat(r.To)
	if r.Content == nil && err == nil && missing == nil && os.SameFile(from, to) {
		return nexus.Errorf(nexus.ConfigError, "%s is the database itself. Nothing was changed.", r.From)
	}
	conn, err := seize(r.To)
	if conn != nil {
		_ = conn.close()
	}
	if errors.Is(err, fs.ErrNotExist) || isDamage(err) {
		return nil
	}
	return err
}

// prepare makes the copy that will be the database.
func (r *restorer) prepare(ctx context.Context) (found BackupReport, err error) {
	path := r.From
	if r.Content != nil {
		if err := r.spoolContent(ctx); err != nil {
			return found, err
		}
		path = string(r.spool)
	}
	file, err := openFile(path)
	if err != nil {
		return found, unchanged(r.named(err))
	}
	defer func() { _ = file.close() }()
	m, err := sqliteMigrations()
	if err != nil {
		return found, err
	}
	r.newest = m.newest()
	if _, err := m.pending(&Tx{conn: file}); err != nil { // a newer one
		return found, err
	}
	if r.copy, err = newPartialFile(r.To); err != nil {
		return found, err
	}
	if found, err = file.copyTo(ctx, string(r.copy), r.Progress); err != nil {
		return found, unchanged(err)
	}
	return found, r.migrate(m)
}

// spoolContent keeps what a reader gives until it can be looked at.
func (r *restorer) spoolContent(ctx context.Context) (err error) {
	if r.spool, err = newPartialFile(r.To); err != nil {
		return err
	}
	f, err := os.OpenFile(string(r.spool), os.O_WRONLY, 0)
	if err != nil {
		return cannotWrite(r.To, err)
	}
	_, err = io.Copy(f, readerFunc(func(p []byte) (int, error) {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		return r.Content.Read(p)
	}))
	if err = errors.Join(err, f.Close()); err != nil && ctx.Err() == nil {
		return cannotWrite(r.To, err)
	}
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// named speaks of standard input where the spool is meant.
func (r *restorer) named(err error) error {
	if e := nexus.AsError(err); r.Content != nil && e.Code == nexus.DBError {
		return &nexus.Error{Code: e.Code, Err: e.Err, Msg: "What was read is damaged or is no database of Nexus."}
	}
	return err
}

// unchanged adds to a message what matters most.
func unchanged(err error) error {
	e := nexus.AsError(err)
	return &nexus.Error{Code: e.Code, Details: e.Details, Err: err, Msg: e.Msg + " The database was left as it is."}
}

// migrate brings the copy up to date before it is needed.
func (r *restorer) migrate(m migrations) error {
	conn, err := openSQLiteConn(string(r.copy), copyPatience, false)
	if err != nil {
		return err
	}
	defer func() { _ = conn.close() }()
	pending, err := m.pending(&Tx{conn: conn})
	if err != nil {
		return err
	}
	return m.apply(pending, r.Now, conn.transaction)
}

// swap puts the copy in the place of the database.
func (r *restorer) swap(report RestoreReport) (kept string, err error) {
	gate := openTurnstile(r.door, func() bool { return false })
	defer func() { _ = gate.Close() }()
	defer gate.enterAlways()() // those who are about to start wait outside
	old, last, err := r.takeOver()
	if err != nil {
		return "", err
	}
	if old != nil {
		defer func() { _ = old.close() }() // not before the copy has the name: nobody may write to this one any more
	}
	if exists(r.To) {
		kept = r.keptName()
		report.Kept = filepath.Base(kept)
	}
	if err := r.continueLog(last, report); err != nil {
		return "", err
	}
	if err := r.copy.sync(); err != nil {
		return "", err
	}
	if kept != "" {
		if err := r.keep(kept, old == nil); err != nil {
			return "", err
		}
	}
	return kept, r.copy.become(r.To)
}

// takeOver locks the database and makes it one file, and tells where its log
// ends. There is no connection where there is no database, or a damaged one.
func (r *restorer) takeOver() (old *sqliteConn, last int64, err error) {
	old, err = seize(r.To)
	if err == nil {
		if last, err = old.settle(); err != nil {
			_ = old.close()
			old = nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || isDamage(err) {
		return nil, 0, nil
	}
	return old, last, err
}

// keptName is a name that nobody has.
func (r *restorer) keptName() string {
	name := r.To + ".before-restore-" + r.Now().Format("20060102-150405")
	free := name
	for i := 2; exists(free); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

// keep gives the database a second name. What lies beside a damaged one, which
// could not be merged, goes along: a log of the old database must not meet the
// new one.
func (r *restorer) keep(kept string, damaged bool) error {
	if err := linkOrCopy(r.To, kept); err != nil {
		return cannotWrite(kept, err)
	}
	for _, ending := range besides {
		if !damaged || !exists(r.To+ending) {
			continue
		}
		if err := os.Rename(r.To+ending, kept+ending); err != nil {
			return cannotWrite(kept+ending, err)
		}
	}
	syncDir(filepath.Dir(kept))
	return os.Chmod(kept, 0o600)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// linkOrCopy copies where a file cannot have two names.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
