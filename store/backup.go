package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nexus"
)

// BackupOptions say what to copy and where to.
type BackupOptions struct {
	From    string // the database file
	To      string
	Replace bool // whether a file that is there may go
	// Progress is told now and then how many bytes are copied; nil if nobody
	// watches.
	Progress func(done, total int64)
}

// A BackupReport tells what a copy of the database holds.
type BackupReport struct {
	File          string `json:"file"`
	Bytes         int64  `json:"bytes"`
	SchemaVersion int    `json:"schema_version"`
	Events        int64  `json:"events"`
	Integrity     string `json:"integrity"` // "ok": there is no report on anything else
}

// Backup copies a SQLite database to a single file while others go on working
// on it, and checks the copy. The copy is one consistent state, readable by its
// owner only. It gets its name when it is whole: whatever happens before, nothing
// is left behind and a file of that name stays as it was.
func Backup(ctx context.Context, o BackupOptions) (BackupReport, error) {
	if err := o.check(); err != nil {
		return BackupReport{}, err
	}
	partial, report, err := copyOf(ctx, o.From, o.To, o.Progress)
	if err != nil {
		return BackupReport{}, err
	}
	defer partial.remove()
	if err := o.check(); err != nil { // somebody else may have made the file meanwhile
		return BackupReport{}, err
	}
	if err := partial.become(o.To); err != nil {
		return BackupReport{}, err
	}
	report.File = o.To
	return report, nil
}

// Snapshot is a [Backup] to be read once, without a name of its own: its file,
// in dir, is gone when it is closed at the latest.
func Snapshot(ctx context.Context, from, dir string, progress func(done, total int64)) (io.ReadCloser, BackupReport, error) {
	partial, report, err := copyOf(ctx, from, filepath.Join(dir, filepath.Base(from)), progress)
	if err != nil {
		return nil, BackupReport{}, err
	}
	f, err := os.Open(string(partial))
	if err != nil {
		partial.remove()
		return nil, BackupReport{}, cannotWrite(string(partial), err)
	}
	partial.remove() // where an open file can lose its name; then not even a kill leaves it behind
	return &snapshot{f, partial}, report, nil
}

type snapshot struct {
	*os.File
	partial partialFile
}

func (s *snapshot) Close() error {
	defer s.partial.remove()
	return s.File.Close()
}

// check refuses targets that must not be replaced.
func (o BackupOptions) check() error {
	info, err := os.Stat(o.To)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cannotWrite(o.To, err)
	}
	from, err := os.Stat(o.From)
	switch {
	case err == nil && os.SameFile(info, from):
		return nexus.Errorf(nexus.ConfigError, "%s is the database itself. Choose another file for the backup.", o.To)
	case !info.Mode().IsRegular():
		return nexus.Errorf(nexus.ConfigError, "%s is not a file. Choose another name for the backup.", o.To)
	case !o.Replace:
		return nexus.Errorf(nexus.Conflict, "%s exists. Choose another file, or replace it with --force.", o.To)
	}
	return nil
}

// copyOf makes a checked copy of the database beside the place where it will go.
func copyOf(ctx context.Context, from, to string, progress func(done, total int64)) (_ partialFile, report BackupReport, err error) {
	source, err := openOwn(from)
	if err != nil {
		return "", report, err
	}
	defer func() { _ = source.close() }()
	partial, err := newPartialFile(to)
	if err != nil {
		return "", report, err
	}
	defer func() {
		if err != nil {
			partial.remove()
		}
	}()
	if report, err = source.copyTo(ctx, string(partial), progress); err != nil {
		return "", report, err
	}
	return partial, report, partial.sync()
}

// A partialFile is a file in the making: hidden, beside the place where it will
// go, and readable by its owner only.
type partialFile string

const (
	partialEnding = ".partial"
	// abandoned is how long nobody has written to a partial file whose maker was
	// killed.
	abandoned = time.Hour
)

func newPartialFile(to string) (partialFile, error) {
	dir, prefix := filepath.Dir(to), "."+filepath.Base(to)+"."
	removeAbandoned(dir, prefix)
	f, err := os.CreateTemp(dir, prefix+"*"+partialEnding) // made with mode 0600
	if err != nil {
		return "", cannotWrite(to, err)
	}
	return partialFile(f.Name()), f.Close()
}

// removeAbandoned deletes what was left by those who were killed.
func removeAbandoned(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.Contains(e.Name(), partialEnding) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // or the next one will
		}
	}
}

// besides are the endings of the files that SQLite keeps beside a database.
var besides = []string{"-journal", "-wal", "-shm"}

// remove deletes the file, unless it has become something.
func (p partialFile) remove() {
	for _, ending := range append([]string{""}, besides...) {
		_ = os.Remove(string(p) + ending)
	}
}

// sync puts the content on the disk.
func (p partialFile) sync() error {
	f, err := os.OpenFile(string(p), os.O_RDWR, 0)
	if err != nil {
		return cannotWrite(string(p), err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return cannotWrite(string(p), err)
	}
	return nil
}

// become gives the file its name, also on the disk.
func (p partialFile) become(path string) error {
	if err := os.Rename(string(p), path); err != nil {
		return cannotWrite(path, err)
	}
	syncDir(filepath.Dir(path))
	return nil
}

// syncDir puts names on the disk. Not every system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func cannotWrite(path string, err error) error {
	return &nexus.Error{Code: nexus.ConfigError, Err: err, Msg: fmt.Sprintf("cannot write %s: %v", path, rootCause(err))}
}
