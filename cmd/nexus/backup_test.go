package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// partials are the files in the making in a folder.
func partials(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".partial") {
			names = append(names, e.Name())
		}
	}
	return names
}

// whole tells how many agents a database has, after it was found to be whole.
func (h house) whole(path string) string {
	h.t.Helper()
	if rows, err := query(path, "PRAGMA integrity_check"); err != nil || rows[0][0] != "ok" {
		h.t.Fatalf("%s is not whole: %v, %v", path, rows, err)
	}
	rows, err := query(path, "SELECT count(*) FROM agents")
	if err != nil {
		h.t.Fatal(err)
	}
	return rows[0][0]
}

// A backup that is interrupted half-way leaves nothing, one that is killed
// nothing that could be taken for a backup.
func TestBackupInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	h := newHouse(t)
	h.old(200_000)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		dir := t.TempDir()
		cmd := h.command("admin", "backup", filepath.Join(dir, "copy.db"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !eventually(func() bool { return len(partials(t, dir)) > 0 }) {
			t.Fatal("it did not begin")
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if sig != os.Kill && cmd.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("after %v it ended with %v", sig, err)
		}
		if left := partials(t, dir); sig != os.Kill && len(left) > 0 {
			t.Errorf("after %v it left %v", sig, left)
		}
		if _, err := os.Stat(filepath.Join(dir, "copy.db")); err == nil {
			t.Errorf("after %v there is a file", sig)
		}
	}
}

// Whenever a restore is killed, the database is the old one or the new one, and
// the next restore goes well.
func TestRestoreKilled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(5000)
	file, db := filepath.Join(t.TempDir(), "copy.db"), filepath.Join(h.home, "nexus.db")
	h.run("admin", "backup", file)
	old, restored := 0, 0
	for delay := time.Duration(0); restored < 3; delay += 3 * time.Millisecond {
		h.run("call", "agent_register", "agent_id=bob")
		cmd := h.command("admin", "restore", file, "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAfter(cmd, delay)
		switch n := h.whole(db); n {
		case "1":
			restored++
		case "2":
			old++
		default:
			t.Fatalf("there are %s agents", n)
		}
	}
	if old == 0 {
		t.Error("no restore was killed before it was done")
	}
	h.run("admin", "restore", file, "--yes")
	if n := h.whole(db); n != "1" {
		t.Errorf("there are %s agents", n)
	}
	h.run("call", "agent_register", "agent_id=cyd")
}

// killAfter kills a process after a time, unless it has ended, and waits for it.
func killAfter(cmd *exec.Cmd, delay time.Duration) {
	kill := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait() // killed or done: what counts is what it left
}
