package store_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

// backedUp is a backup of a new database with a workspace of that name.
func backedUp(t *testing.T, id string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := store.Backup(t.Context(), store.BackupOptions{From: filled(t, id).URL, To: file}); err != nil {
		t.Fatal(err)
	}
	return file
}

func restore(t *testing.T, o store.RestoreOptions) (store.RestoreReport, error) {
	t.Helper()
	o.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 30, 45, 0, time.UTC) }
	return store.Restore(t.Context(), o)
}

// holds looks which workspaces a database holds, and closes it again.
func holds(t *testing.T, url string) map[string]bool {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Opener{URL: url}.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return workspaces(t, db)
}

func TestRestore(t *testing.T) {
	file, o := backedUp(t, "old"), filled(t, "new")
	dir := filepath.Dir(o.URL)
	db, err := store.Open(t.Context(), o.Options())
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, "newest")
	before := lastEvent(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := restore(t, store.RestoreOptions{From: file, To: o.URL})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := o.URL + ".before-restore-20260301-123045"
	want := store.RestoreReport{Database: o.URL, File: file, Bytes: info.Size(), SchemaVersion: report.SchemaVersion, Events: 62, Integrity: "ok", Kept: kept}
	if report != want || report.SchemaVersion == 0 {
		t.Errorf("got %+v, want %+v", report, want)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"nexus.db", filepath.Base(kept)}) {
		t.Errorf("the folder holds %v", got)
	}
	for _, path := range []string{o.URL, kept} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	if got := holds(t, o.URL); !got["old"] || got["new"] {
		t.Error("the database is not what was in the backup")
	}
	if got := holds(t, kept); !got["new"] || !got["newest"] || got["old"] {
		t.Error("what was kept is not what the database was")
	}
	if last := lastEvent(t, o.Open(t)); last != before+1 {
		t.Errorf("the log went on with number %d after %d", last, before)
	}
}

// A backup can come from a reader, into a home without a database.
func TestRestoreFromReader(t *testing.T) {
	content, err := os.ReadFile(backedUp(t, "x"))
	if err != nil {
		t.Fatal(err)
	}
	o := storetest.NoFile(t)
	report, err := restore(t, store.RestoreOptions{From: "standard input", Content: bytes.NewReader(content), To: o.URL})
	if err != nil || report.Kept != "" {
		t.Fatalf("got %+v, %v", report, err)
	}
	if !holds(t, o.URL)["x"] {
		t.Error("the database is not what was in the backup")
	}
	if got := names(t, filepath.Dir(o.URL)); !slices.Equal(got, []string{"nexus.db"}) {
		t.Errorf("it left %v", got)
	}
}

// The files of another home, with what is in its log, are as good as a backup.
func TestRestoreWithLog(t *testing.T) {
	source := storetest.SQLite(t)
	db := source.Open(t)
	add(t, db, "in the log only")
	if info, err := os.Stat(source.URL + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("there is no log: %v", err)
	}
	o := filled(t)
	if _, err := restore(t, store.RestoreOptions{From: source.URL, To: o.URL}); err != nil {
		t.Fatal(err)
	}
	if !holds(t, o.URL)["in the log only"] {
		t.Error("what was in the log was lost")
	}
}

// badFiles are what must not be restored, by what is wrong with them.
func badFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	whole := read(t, backedUp(t, "x"))
	torn := bytes.Clone(whole)
	for i := len(torn) / 2; i < len(torn); i++ {
		torn[i] ^= 0xA5
	}
	files := map[string]string{"a folder": dir, "a file that is not there": filepath.Join(dir, "none")}
	for name, content := range map[string][]byte{
		"an empty file": nil, "no database": []byte("It was a dark and stormy night."),
		"half a database": whole[:len(whole)/2], "a damaged one": torn, "one of a newer program": whole,
	} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files["one of another program"] = filepath.Join(dir, "foreign")
	store.MakeForeign(t, files["one of another program"])
	db, err := store.Open(t.Context(), storetest.Opener{URL: files["one of a newer program"]}.Options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return nil, tx.PretendMigrated(9999) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRestoreRefuses(t *testing.T) {
	dir, o := t.TempDir(), filled(t, "mine")
	files := badFiles(t, dir)
	files["the database itself"] = o.URL
	codes := map[string]nexus.Code{
		"a file that is not there": nexus.NotFound, "one of a newer program": nexus.MigrationError, "the database itself": nexus.ConfigError,
	}
	before, beside := read(t, o.URL), names(t, dir)
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			want := cmp.Or(codes[name], nexus.DBError)
			if _, err := restore(t, store.RestoreOptions{From: file, To: o.URL}); nexus.CodeOf(err) != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if got := names(t, filepath.Dir(o.URL)); !slices.Equal(got, []string{"nexus.db"}) || !bytes.Equal(read(t, o.URL), before) {
				t.Errorf("the database was changed; its folder holds %v", got)
			}
			if got := names(t, dir); !slices.Equal(got, beside) {
				t.Errorf("beside the file there is now %v", got)
			}
		})
	}
	t.Run("a damaged one from a reader", func(t *testing.T) {
		_, err := restore(t, store.RestoreOptions{Content: bytes.NewReader(read(t, files["a damaged one"])), To: o.URL})
		if nexus.CodeOf(err) != nexus.DBError || strings.Contains(nexus.AsError(err).Msg, "partial") || !bytes.Equal(read(t, o.URL), before) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in the place of another program's", func(t *testing.T) {
		foreign := files["one of another program"]
		theirs := read(t, foreign)
		_, err := restore(t, store.RestoreOptions{From: backedUp(t, "x"), To: foreign})
		if nexus.CodeOf(err) != nexus.DBError || !bytes.Equal(read(t, foreign), theirs) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRestoreNotConfirmed(t *testing.T) {
	file, o := backedUp(t, "x"), filled(t, "mine")
	before, no := read(t, o.URL), errors.New("no")
	_, err := restore(t, store.RestoreOptions{From: file, To: o.URL, Confirm: func(found store.BackupReport) error {
		if found.Events != 62 {
			t.Errorf("they were told of %+v", found)
		}
		return no
	}})
	if !errors.Is(err, no) || !bytes.Equal(read(t, o.URL), before) || len(names(t, filepath.Dir(o.URL))) != 1 {
		t.Errorf("got %v", err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Whoever has the database open, though it only once looked at it, keeps it.
func TestRestoreWhileOpen(t *testing.T) {
	file, o := backedUp(t, "old"), filled(t, "mine")
	db := o.Open(t)
	workspaces(t, db)
	if _, err := restore(t, store.RestoreOptions{From: file, To: o.URL}); nexus.CodeOf(err) != nexus.Conflict {
		t.Errorf("got %v", err)
	}
	// One who comes while it is made does, too.
	late := filled(t, "mine")
	_, err := restore(t, store.RestoreOptions{From: file, To: late.URL, Confirm: func(store.BackupReport) error {
		add(t, late.Open(t), "just now")
		return nil
	}})
	if nexus.CodeOf(err) != nexus.Conflict {
		t.Errorf("got %v", err)
	}
	if got := holds(t, late.URL); !got["mine"] || !got["just now"] || got["old"] {
		t.Error("the database is not what it was")
	}
}

// One who opened the file just before it was replaced cannot write to what was
// kept and think that it was the database.
func TestRestoreAndEarlyBird(t *testing.T) {
	file, o := backedUp(t, "old"), filled(t, "mine")
	write := store.OpenRaw(t, o.URL)
	if _, err := restore(t, store.RestoreOptions{From: file, To: o.URL}); err != nil {
		t.Fatal(err)
	}
	if err := write(); sqlite.ErrCode(err) != sqlite.ResultReadOnlyDBMoved {
		t.Errorf("writing to a database that is none any more: %v", err)
	}
}

// A damaged database can be replaced, and stays with all that belonged to it.
func TestRestoreOverDamage(t *testing.T) {
	for _, from := range []int{0, 8192} {
		o := filled(t, "mine")
		torn := read(t, o.URL)
		for i := from; i < len(torn); i++ {
			torn[i] ^= 0xA5
		}
		for ending, content := range map[string][]byte{"": torn, "-wal": []byte("a log"), "-shm": []byte("an index")} {
			if err := os.WriteFile(o.URL+ending, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		report, err := restore(t, store.RestoreOptions{From: backedUp(t, "old"), To: o.URL})
		if err != nil {
			t.Fatal(err)
		}
		if !holds(t, o.URL)["old"] {
			t.Error("the database is not what was in the backup")
		}
		if kept := read(t, report.Kept); len(kept) != len(torn) || from == 0 && !bytes.Equal(kept, torn) {
			t.Error("what was kept is not what was there")
		}
	}
}

func TestRestoreStopped(t *testing.T) {
	file, o := backedUp(t, "old"), filled(t, "mine")
	before := read(t, o.URL)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := store.Restore(ctx, store.RestoreOptions{From: file, To: o.URL, Now: time.Now, Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) || !bytes.Equal(read(t, o.URL), before) {
		t.Errorf("got %v", err)
	}
	if got := names(t, filepath.Dir(o.URL)); !slices.Equal(got, []string{"nexus.db"}) {
		t.Errorf("it left %v", got)
	}
}

// A backup of an older version is migrated before it is the database.
func TestRestoreMigrates(t *testing.T) {
	file, o := filepath.Join(t.TempDir(), "v1.db"), filled(t, "mine")
	store.MakeVersion(t, file, 1)
	report, err := restore(t, store.RestoreOptions{From: file, To: o.URL})
	if err != nil || report.MigratedFrom != 1 || report.SchemaVersion <= 1 {
		t.Fatalf("got %+v, %v", report, err)
	}
	if problems, err := store.Check(t.Context(), o.URL, true); err != nil || len(problems) > 0 {
		t.Errorf("it has problems %v, %v", problems, err)
	}
	add(t, o.Open(t), "goes on")
}
