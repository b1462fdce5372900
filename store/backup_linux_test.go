package store_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"nexus"
	"nexus/store"
)

// smallDisk is a folder with so little room.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A disk that is too small for the copy is left as it was.
func TestBackupDiskFull(t *testing.T) {
	o, dir := filled(t), smallDisk(t, "1m")
	_, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: filepath.Join(dir, "x")})
	if nexus.CodeOf(err) != nexus.DBError {
		t.Errorf("got %v, want DB_ERROR", err)
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("it left %v", got)
	}
}

// A disk without room for two leaves the database that is there.
func TestRestoreDiskFull(t *testing.T) {
	file, dir := backedUp(t, "old"), smallDisk(t, "5m")
	path := filepath.Join(dir, "nexus.db")
	if _, err := store.Backup(t.Context(), store.BackupOptions{From: filled(t, "mine").URL, To: path}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Backup(t.Context(), store.BackupOptions{From: filled(t).URL, To: filepath.Join(dir, "ballast")}); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	_, err := restore(t, store.RestoreOptions{From: file, To: path})
	if nexus.CodeOf(err) != nexus.DBError {
		t.Errorf("got %v, want DB_ERROR", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"ballast", "nexus.db"}) || !bytes.Equal(read(t, path), before) {
		t.Errorf("the database was changed; its folder holds %v", got)
	}
}
