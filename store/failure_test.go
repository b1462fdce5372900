//go:build linux

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// fill writes a workspace with a long name, and fails where there is no room.
func fill(t *testing.T, db *store.DB, id string) error {
	t.Helper()
	_, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
		_, err := tx.InsertWorkspace(bus.Workspace{ID: id, Root: strings.Repeat("x", 32<<10), CreatedAt: "now", LastSeenAt: "now"})
		return nil, err
	})
	return err
}

// On a full disk nothing is acknowledged that is not stored, reading goes on, and
// writing goes on when there is room again.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	db := storetest.Opener{URL: filepath.Join(dir, "nexus.db")}.Open(t)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	acknowledged := map[string]bool{}
	full := 0
	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() {
			for i := range 40 {
				id := string(rune('a'+caller)) + strings.Repeat("i", i)
				err := fill(t, db, id)
				mu.Lock()
				switch nexus.CodeOf(err) {
				case "":
					acknowledged[id] = true
				case nexus.DBError:
					full++
				default:
					t.Errorf("got %v, want DB_ERROR", err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if full == 0 {
		t.Fatal("the disk was not full")
	}
	stored := workspaces(t, db)
	for id := range acknowledged {
		if !stored[id] {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := fill(t, db, "room again"); err != nil {
		t.Errorf("there is room again, but: %v", err)
	}
}

// asNobody runs fn without root's power over files.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its rights
		if os.Geteuid() == 0 {
			_ = unix.Setfsgid(65534)
			_ = unix.Setfsuid(65534)
		}
		fn()
	}()
	<-done
}

func TestReadOnlyFile(t *testing.T) {
	o := storetest.SQLite(t)
	dir := filepath.Dir(o.URL)
	first, err := store.Open(t.Context(), o.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(t, first, "before"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	chmod := func(file, folder os.FileMode) {
		t.Helper()
		for path, mode := range map[string]os.FileMode{o.URL: file, dir: folder} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	openParents(t, dir)
	chmod(0o444, 0o555)
	defer chmod(0o600, 0o700)
	asNobody(t, func() {
		db, err := store.Open(t.Context(), o.Options())
		if err == nil {
			err = fill(t, db, "refused")
			_ = db.Close()
		}
		if e := nexus.AsError(err); e == nil || e.Code != nexus.DBError || e.Details["retryable"] != nil {
			t.Errorf("got %v, want DB_ERROR for good", err)
		}
	})
	chmod(0o600, 0o700)
	db := o.Open(t)
	if stored := workspaces(t, db); !stored["before"] || stored["refused"] {
		t.Errorf("the store holds %v", stored)
	}
	if err := fill(t, db, "after"); err != nil {
		t.Error(err)
	}
}

// A file that could only be read for a while can be written again, whatever SQLite
// left beside it meanwhile.
func TestReadOnlyForAWhile(t *testing.T) {
	o := storetest.NoFile(t)
	dir := filepath.Dir(o.URL)
	openParents(t, dir)
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		write := func(what string) error {
			db, err := store.Open(t.Context(), o.Options())
			if err == nil {
				err = errors.Join(fill(t, db, what), db.Close())
			}
			return err
		}
		if err := write("before"); err != nil {
			t.Error(err)
		}
		for _, mode := range []os.FileMode{0o400, 0o600} {
			if err := os.Chmod(o.URL, mode); err != nil {
				t.Error(err)
			}
			if err := write("now"); (err == nil) != (mode == 0o600) {
				t.Errorf("writing with mode %o: %v", mode, err)
			}
		}
	})
}

// openParents lets everybody pass through the folders that the test made.
func openParents(t *testing.T, dir string) {
	t.Helper()
	for d := filepath.Dir(dir); strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// A lock that another program holds is waited for, then reported as worth a
// retry; when it is gone, writing goes on.
func TestForeignLock(t *testing.T) {
	o := storetest.SQLite(t)
	options := o.Options()
	options.BusyTimeout = 1 // a nanosecond, rounded down to no patience
	db, err := store.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	unlock := store.HoldLock(t, o.URL)
	err = fill(t, db, "locked out")
	if e := nexus.AsError(err); e == nil || e.Code != nexus.DBError || e.Details["retryable"] != true {
		t.Errorf("got %v, want DB_ERROR that may be retried", err)
	}
	if workspaces(t, db)["locked out"] {
		t.Error("it was stored all the same")
	}
	unlock()
	if err := fill(t, db, "free"); err != nil {
		t.Error(err)
	}
}

// A file that is damaged says so, and does not take the process down.
func TestDamagedFile(t *testing.T) {
	o := storetest.SQLite(t)
	db, err := store.Open(t.Context(), o.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(t, db, "x"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(whole); i++ {
		whole[i] ^= 0xA5
	}
	if err := os.WriteFile(o.URL, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err = store.Open(t.Context(), o.Options())
	if err == nil {
		err = fill(t, db, "y")
		_ = db.Close()
	}
	if nexus.CodeOf(err) != nexus.DBError {
		t.Errorf("got %v, want DB_ERROR", err)
	}
}
