package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// holdServeLock is another hub: it takes the lock of the home it is given,
// says so, and holds it until its standard input ends.
func holdServeLock() {
	l, err := takeServeLock(os.Args[1], time.Now)
	if err != nil {
		fmt.Println(err)
		os.Exit(exitStatus(err))
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := l.Release(); err != nil {
		fmt.Println(err)
	}
}

// startHolder starts another hub on home and waits until it holds the lock.
// Closing the returned pipe makes it release.
func startHolder(t *testing.T, home string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := exec.Command("hold-serve-lock", home)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone already
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder said %q, %v", line, err)
	}
	return cmd, stdin
}

func mustTake(t *testing.T, home string) *serveLock {
	t.Helper()
	l, err := takeServeLock(home, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release() })
	return l
}

func TestServeLockSecondStart(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	holder, _ := startHolder(t, home)

	_, err := takeServeLock(home, time.Now)
	held, ok := errors.AsType[*lockHeldError](err)
	if !ok || held.Holder.PID != holder.Process.Pid {
		t.Fatalf("second start: %v, want a refusal naming %d", err, holder.Process.Pid)
	}
	if !strings.Contains(err.Error(), "process "+strconv.Itoa(holder.Process.Pid)) {
		t.Errorf("message %q does not name the holder", err)
	}
	if got := exitStatus(err); got != exitFailed {
		t.Errorf("exit status %d, want %d", got, exitFailed)
	}
}

func TestServeLockAfterKill(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	holder, _ := startHolder(t, home)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	l := mustTake(t, home)
	if h, _ := l.holder(); h.PID != os.Getpid() || h.Host == "" {
		t.Errorf("the file names %+v, want this process and its host", h)
	}
}

func TestServeLockAfterRelease(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	holder, stdin := startHolder(t, home)
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(home, "nexus.serve.lock"))
	if err != nil || len(data) != 0 {
		t.Errorf("after release the file holds %q, %v; want it empty", data, err)
	}
	mustTake(t, home)
}

func TestServeLockReleaseTwice(t *testing.T) {
	t.Parallel()
	l := mustTake(t, t.TempDir())
	for range 2 {
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestServeLockMode(t *testing.T) {
	t.Parallel()
	l := mustTake(t, t.TempDir())
	info, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o, want 600", got)
	}
}

// A free kernel lock is proof only for programs that use it.
func TestServeLockStranger(t *testing.T) {
	t.Parallel()
	alive, dead := os.Getppid(), deadPID(t)
	tests := []struct {
		name  string
		body  string
		age   time.Duration
		taken bool
	}{
		{"empty", "", 0, true},
		{"garbage", "not json", 0, true},
		{"negative process", `{"pid":-1}`, 0, true},
		{"ours of a dead process", fmt.Sprintf(`{"pid":%d,"host":%q}`, dead, hostName()), 0, true},
		{"ours, its number used again", fmt.Sprintf(`{"pid":%d,"host":%q}`, alive, hostName()), 0, true},
		{"foreign program, alive", fmt.Sprintf(`{"pid":%d}`, alive), 59 * time.Second, false},
		{"foreign program, alive but silent", fmt.Sprintf(`{"pid":%d}`, alive), time.Minute, true},
		{"foreign program, dead", fmt.Sprintf(`{"pid":%d}`, dead), 0, true},
		{"foreign program with our number", fmt.Sprintf(`{"pid":%d}`, os.Getpid()), 0, true},
		{"another machine", `{"pid":1,"host":"elsewhere"}`, 59 * time.Second, false},
		{"another machine, silent", `{"pid":1,"host":"elsewhere"}`, time.Minute, true},
		{"another machine with a fast clock", `{"pid":1,"host":"elsewhere"}`, -10 * time.Second, false},
		{"another machine, clock far off", `{"pid":1,"host":"elsewhere"}`, -time.Hour, true},
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			file := filepath.Join(home, "nexus.serve.lock")
			if err := os.WriteFile(file, []byte(tt.body), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, now.Add(-tt.age), now.Add(-tt.age)); err != nil {
				t.Fatal(err)
			}
			l, err := takeServeLock(home, func() time.Time { return now })
			if (err == nil) != tt.taken {
				t.Fatalf("taking over: %v, want taken %t", err, tt.taken)
			}
			if l != nil {
				defer l.Release()
				return
			}
			if left, _ := os.ReadFile(file); string(left) != tt.body {
				t.Errorf("the holder's file was changed to %q", left)
			}
		})
	}
}

// deadPID is the number of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("nexus", "version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestServeLockHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := takeServeLock(t.TempDir(), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*lockBeat+time.Second)
		defer cancel()
		if err := l.Run(ctx); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(l.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime().Sub(start); got != 2*lockBeat {
			t.Errorf("last touched %v after the start, want %v", got, 2*lockBeat)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	})
}

// Somebody tidies up and removes the file under a running hub.
func TestServeLockFileRemoved(t *testing.T) {
	t.Parallel()
	t.Run("is taken again", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		l := mustTake(t, home)
		if err := os.Remove(l.path); err != nil {
			t.Fatal(err)
		}
		if err := l.beat(); err != nil {
			t.Fatal(err)
		}
		if _, err := takeServeLock(home, time.Now); err == nil {
			t.Error("two holders")
		}
	})
	t.Run("is lost to another hub", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		l := mustTake(t, home)
		if err := os.Remove(l.path); err != nil {
			t.Fatal(err)
		}
		holder, _ := startHolder(t, home)
		held, ok := errors.AsType[*lockHeldError](l.beat())
		if !ok || held.Holder.PID != holder.Process.Pid {
			t.Errorf("beat: %v, want the loss to %d", held, holder.Process.Pid)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if h, _ := l.holder(); h.PID != holder.Process.Pid {
			t.Errorf("releasing a lost lock wiped the name of its holder")
		}
	})
}
