package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"nexus"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestMain lets the tests run this very binary as other programs: the real
// command, one that does nothing but hold a serve lock, and one that will not
// stop when it is asked to.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", raceOptions); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"nexus":           main,
		"hold-serve-lock": holdServeLock,
		"stubborn":        stubborn,
	})
}

// raceOptions keeps a process under the race detector from waiting a second
// before it exits.
const raceOptions = "atexit_sleep_ms=10"

// TestScript runs the sessions in testdata, each with a home of its own and
// none of our environment. Beyond the usual commands they have
//
//	status N command…
//
// which runs a command and wants exactly that exit status, and [scriptCommands].
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("GORACE", raceOptions)
			env.Values[castKey{}] = newCast()
			return os.MkdirAll(home, 0o700)
		},
		Cmds: scriptCommands(),
	})
}

func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// Whatever a message quotes, it stays one line.
func TestReportOneLine(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"--a\nb", "a\r\nb", "--port=1\n2", "-\x1b[1m"} {
		var stderr strings.Builder
		cmd := exec.Command("nexus", arg)
		cmd.Stderr = &stderr
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() == 0 {
			t.Errorf("nexus %q: %v, want it refused", arg, err)
		}
		line, rest, _ := strings.Cut(stderr.String(), "\n")
		if !strings.HasPrefix(line, "CONFIG_ERROR: ") || rest != "" || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("nexus %q says %q, want one line", arg, stderr.String())
		}
	}
}

// stubborn notices the first signal and goes on regardless.
func stubborn() {
	ctx, stop := interruptible(context.Background())
	defer stop()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("stopping")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	cmd := exec.Command("stubborn")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for i, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		want := []string{"ready\n", "stopping\n"}[i]
		if got, err := lines.ReadString('\n'); got != want {
			t.Fatalf("it said %q, %v; want %q", got, err, want)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	exit, ok := errors.AsType[*exec.ExitError](cmd.Wait())
	if !ok || exit.ExitCode() != exitInterrupted {
		t.Errorf("it ended with %v, want status %d", exit, exitInterrupted)
	}
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("boom"), 1},
		{nexus.Errorf(nexus.ConfigError, "bad value"), 1},
		{usageErrorf("what?"), 2},
		{fmt.Errorf("parse: %w", usageErrorf("what?")), 2},
		{unknownKey("x"), 3},
		{&lockHeldError{Holder: lockHolder{PID: 7}}, 1},
		{fmt.Errorf("wait: %w", context.DeadlineExceeded), 7},
		{fmt.Errorf("wait: %w", context.Canceled), 130},
	}
	for _, tt := range tests {
		if got := exitStatus(tt.err); got != tt.want {
			t.Errorf("exit status of %v is %d, want %d", tt.err, got, tt.want)
		}
	}
}
