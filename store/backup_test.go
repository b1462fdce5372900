package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// names lists a folder, without the files that processes take turns by.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, e := range entries {
		if n := e.Name(); !strings.HasSuffix(n, "-next") && !strings.HasSuffix(n, "-turn") && !strings.HasSuffix(n, ".bell") {
			all = append(all, n)
		}
	}
	return all
}

// filled is a closed database with a few workspaces of these names, of a size that
// takes several steps to copy.
func filled(t *testing.T, ids ...string) storetest.Opener {
	t.Helper()
	o := storetest.SQLite(t)
	db, err := store.Open(t.Context(), o.Options())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 61 {
		ids = append(ids, "ballast "+strconv.Itoa(i))
	}
	add(t, db, ids...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

// add stores large workspaces, and an event for each.
func add(t *testing.T, db *store.DB, ids ...string) {
	t.Helper()
	if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
		for _, id := range ids {
			if _, err := tx.InsertWorkspace(bus.Workspace{ID: id, Root: strings.Repeat("x", 32<<10), CreatedAt: "now", LastSeenAt: "now"}); err != nil {
				return nil, err
			}
			if _, err := note(tx, "made"); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestBackup(t *testing.T) {
	o := storetest.SQLite(t)
	db := o.Open(t)
	add(t, db, "in the log only")
	file := filepath.Join(t.TempDir(), "copy.db")
	report, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: file})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	want := store.BackupReport{File: file, Bytes: info.Size(), SchemaVersion: db.SchemaVersion(), Events: 1, Integrity: "ok"}
	if report != want || info.Mode().Perm() != 0o600 {
		t.Errorf("got %+v with mode %v, want %+v", report, info.Mode(), want)
	}
	if got := names(t, filepath.Dir(file)); !slices.Equal(got, []string{"copy.db"}) {
		t.Errorf("it left %v", got)
	}
	if !workspaces(t, storetest.Opener{URL: file}.Open(t))["in the log only"] {
		t.Error("what was in the log is not in the copy")
	}
}

func TestBackupRefuses(t *testing.T) {
	o := filled(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	store.MakeForeign(t, foreign)
	tests := []struct {
		name string
		o    store.BackupOptions
		code nexus.Code
	}{
		{"a file that is there", store.BackupOptions{From: o.URL, To: there}, nexus.Conflict},
		{"the database itself", store.BackupOptions{From: o.URL, To: o.URL, Replace: true}, nexus.ConfigError},
		{"a folder", store.BackupOptions{From: o.URL, To: dir, Replace: true}, nexus.ConfigError},
		{"a folder that is not there", store.BackupOptions{From: o.URL, To: filepath.Join(dir, "x", "y")}, nexus.ConfigError},
		{"no database", store.BackupOptions{From: filepath.Join(dir, "none"), To: filepath.Join(dir, "new")}, nexus.NotFound},
		{"a foreign database", store.BackupOptions{From: foreign, To: filepath.Join(dir, "new")}, nexus.DBError},
		{"something else", store.BackupOptions{From: there, To: filepath.Join(dir, "new")}, nexus.DBError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := store.Backup(t.Context(), tt.o); nexus.CodeOf(err) != tt.code {
				t.Errorf("got %v, want %s", err, tt.code)
			}
			if got := names(t, dir); !slices.Equal(got, []string{"there"}) {
				t.Errorf("it left %v", got)
			}
		})
	}
	if _, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: there, Replace: true}); err != nil {
		t.Errorf("it did not replace the file: %v", err)
	}
}

func TestBackupStopped(t *testing.T) {
	o := filled(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := store.Backup(ctx, store.BackupOptions{From: o.URL, To: filepath.Join(dir, "x"), Progress: func(done, total int64) {
		if steps++; done <= 0 || done >= total {
			t.Errorf("%d of %d after %d steps", done, total, steps)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || steps != 1 {
		t.Errorf("got %v after %d steps", err, steps)
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("it left %v", got)
	}
}

// What a killed backup left is removed by a later one, and what another one is
// about to write is not.
func TestBackupAbandoned(t *testing.T) {
	o := filled(t)
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".x.123.partial": 2 * time.Hour, ".x.123.partial-wal": 2 * time.Hour, ".x.456.partial": time.Minute, ".y.789.partial": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: filepath.Join(dir, "x")}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{".x.456.partial", ".y.789.partial", "x"}) {
		t.Errorf("it left %v", got)
	}
}

// Other processes write while one copy after another is made.
func TestBackupAcrossProcesses(t *testing.T) {
	o := storetest.SQLite(t)
	o.Open(t)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+o.URL)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	dir := t.TempDir()
	for i := 0; ; i++ {
		file := filepath.Join(dir, strconv.Itoa(i))
		report, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: file})
		if err != nil {
			t.Fatal(err)
		}
		if last := lastEvent(t, storetest.Opener{URL: file}.Open(t)); last != report.Events {
			t.Errorf("%d events go up to number %d", report.Events, last)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the writer: %v", err)
			}
			return
		default:
		}
	}
}

func TestSnapshot(t *testing.T) {
	o := filled(t, "x")
	dir := t.TempDir()
	copied, report, err := store.Snapshot(t.Context(), o.URL, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(copied)
	if err != nil || int64(len(content)) != report.Bytes || !bytes.HasPrefix(content, []byte("SQLite format 3\x00")) {
		t.Errorf("got %d bytes of %d: %v", len(content), report.Bytes, err)
	}
	if err := copied.Close(); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("it left %v", got)
	}
}

func TestCheck(t *testing.T) {
	o := filled(t)
	whole, err := os.ReadFile(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, deep := range []bool{false, true} {
		if problems, err := store.Check(t.Context(), o.URL, deep); err != nil || len(problems) > 0 {
			t.Errorf("a whole one has problems: %v, %v", problems, err)
		}
		for _, from := range []int{0, 100, 8192} {
			torn := bytes.Clone(whole)
			for i := from; i < len(torn); i++ {
				torn[i] ^= 0xA5
			}
			file := filepath.Join(t.TempDir(), "torn")
			if err := os.WriteFile(file, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			if problems, err := store.Check(t.Context(), file, deep); err != nil || len(problems) == 0 {
				t.Errorf("one that is damaged from byte %d on has problems %v, %v", from, problems, err)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, torn) {
				t.Errorf("the check changed it: %v", err)
			}
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	if _, err := store.Check(t.Context(), none, false); nexus.CodeOf(err) != nexus.NotFound {
		t.Errorf("of one that is not there it says %v", err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("the check made a file")
	}
	store.MakeForeign(t, none)
	if _, err := store.Check(t.Context(), none, false); nexus.CodeOf(err) != nexus.DBError {
		t.Errorf("of a foreign one it says %v", err)
	}
}

func TestDumpCommand(t *testing.T) {
	const address = "postgres://ann:secret@db:5433/nexus?search_path=ours&password=secret&sslmode=require&pool_max_conns=3"
	for got, want := range map[string]string{
		store.DumpCommand(address, "it's.dump"):  `pg_dump --format=custom --no-owner --schema=ours '--file=it'\''s.dump' '--dbname=postgres://ann@db:5433/nexus?sslmode=require'`,
		store.RestoreCommand(address, "a.dump"):  `pg_restore --clean --if-exists --no-owner --single-transaction '--dbname=postgres://ann@db:5433/nexus?sslmode=require' a.dump`,
		store.DumpCommand("postgres://h/n", "f"): `pg_dump --format=custom --no-owner --file=f --dbname=postgres://h/n`,
	} {
		if got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
