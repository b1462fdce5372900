package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
)

// A house is a home with a project in it.
type house struct {
	t          *testing.T
	home, root string
}

func newHouse(t *testing.T) house {
	h := house{t, t.TempDir(), t.TempDir()}
	h.run("call", "agent_register", "agent_id=ada")
	return h
}

func (h house) command(args ...string) *exec.Cmd {
	cmd := exec.Command("nexus", append(args, "--home", h.home)...)
	cmd.Env = append(os.Environ(), "HOME="+h.home)
	return cmd
}

// run runs a command that must go well and returns what it printed.
func (h house) run(args ...string) string {
	h.t.Helper()
	var stderr bytes.Buffer
	cmd := h.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("nexus %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func (h house) say(subject string) {
	h.t.Helper()
	h.run("call", "message_create", "project_root="+h.root, "from_agent_id=ada", "subject="+subject, "body=b")
}

// A tailing is a nexus tail that runs.
type tailing struct {
	t      *testing.T
	cmd    *exec.Cmd
	pipe   io.ReadCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
}

func (h house) tail(args ...string) *tailing {
	h.t.Helper()
	cmd := h.command(append([]string{"tail", "--project-root", h.root, "--agent-id", "ada"}, args...)...)
	tail := &tailing{t: h.t, cmd: cmd}
	cmd.Stderr = &tail.stderr
	var err error
	if tail.pipe, err = cmd.StdoutPipe(); err != nil {
		h.t.Fatal(err)
	}
	tail.lines = bufio.NewReader(tail.pipe)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return tail
}

// reads wants the next line to have it.
func (l *tailing) reads(want string) {
	l.t.Helper()
	line, err := l.lines.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		l.t.Fatalf("got %q, %v; want %s\n%s", line, err, want, l.stderr.String())
	}
}

func (l *tailing) endsWell() {
	l.t.Helper()
	if err := l.cmd.Wait(); err != nil || l.stderr.Len() > 0 {
		l.t.Errorf("it ended with %v: %s", err, l.stderr.String())
	}
}

func (l *tailing) endsInterrupted() {
	l.t.Helper()
	if err := l.cmd.Wait(); l.cmd.ProcessState.ExitCode() != exitInterrupted || l.stderr.Len() > 0 {
		l.t.Errorf("it ended with %v: %s", err, l.stderr.String())
	}
}

// Each event is printed as it happens, whoever wrote it, until a signal ends it.
func TestTailFollows(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		h := newHouse(t)
		h.say("one")
		cursor := filepath.Join(h.home, "cursor")
		tail := h.tail("--from", "0", "--cursor-file", cursor, "--timeout-seconds", "0")
		tail.reads(`"subject":"one"`)
		h.say("two")
		tail.reads(`"subject":"two"`)
		h.say("three")
		tail.reads(`"subject":"three"`)
		if err := tail.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		tail.endsInterrupted()

		h.say("four")
		if got := h.run("tail", "--project-root", h.root, "--agent-id", "ada", "--from", "0", "--once", "--cursor-file", cursor); strings.Count(got, "\n") != 1 ||
			!strings.Contains(got, `"subject":"four"`) {
			t.Errorf("it went on with %s", got)
		}
	}
}

// A tail that nobody reads ends, though there is nothing to print.
func TestTailUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only a write tells there")
	}
	t.Parallel()
	h := newHouse(t)
	h.say("one")
	tail := h.tail("--from", "0")
	tail.reads(`"subject":"one"`)
	if err := tail.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	tail.endsWell()
}

// newFollower is a follower of pages that answer gives, one after the other.
func newFollower(answers ...any) (t *follower, asked *[]int64, paused *[]time.Duration, said *bytes.Buffer) {
	asked, paused, said = new([]int64), new([]time.Duration), new(bytes.Buffer)
	next := func() (a any) {
		a, answers = answers[0], answers[1:]
		return a
	}
	return &follower{
		out: io.Discard, log: said,
		latest: func(context.Context) (int64, error) {
			switch a := next().(type) {
			case error:
				return 0, a
			default:
				return int64(a.(int)), nil
			}
		},
		page: func(_ context.Context, cursor int64) (bus.EventPage, error) {
			*asked = append(*asked, cursor)
			switch a := next().(type) {
			case error:
				return bus.EventPage{}, a
			default:
				return a.(bus.EventPage), nil
			}
		},
		pause: func(_ context.Context, d time.Duration) error {
			*paused = append(*paused, d)
			return nil
		},
	}, asked, paused, said
}

func events(ids ...int64) bus.EventPage {
	page := bus.EventPage{}
	for _, id := range ids {
		page.Events = append(page.Events, bus.Event{ID: id})
		page.NextCursor = id
	}
	return page
}

var errBusy = nexus.Errorf(nexus.DBError, "busy")

// A busy store is asked again from the same place, later each time; success
// makes the counting begin anew.
func TestTailRetries(t *testing.T) {
	gone := errors.New("gone")
	f, asked, paused, said := newFollower(errBusy, 7, errBusy, errBusy, events(8, 9), errBusy, errBusy, errBusy, errBusy, errBusy, errBusy, events(10), gone)
	if err := f.follow(t.Context(), fromLatest); !errors.Is(err, gone) {
		t.Errorf("got %v, want what is no DB_ERROR at once", err)
	}
	if want := []int64{7, 7, 7, 9, 9, 9, 9, 9, 9, 9, 10}; !slices.Equal(*asked, want) {
		t.Errorf("it asked from %v, want %v", *asked, want)
	}
	const ms = time.Millisecond
	if want := []time.Duration{100 * ms, 100 * ms, 200 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 2000 * ms}; !slices.Equal(*paused, want) {
		t.Errorf("it paused %v, want %v", *paused, want)
	}
	if last := "[nexus tail] transient DB_ERROR; retry 6/6 in 2.0s\n"; !strings.HasSuffix(said.String(), last) || strings.Count(said.String(), "\n") != 9 {
		t.Errorf("it said %q", said)
	}
}

func TestTailGivesUp(t *testing.T) {
	busy := slices.Repeat([]any{errBusy}, 7)
	f, asked, paused, _ := newFollower(busy...)
	if err := f.follow(t.Context(), 3); !errors.Is(err, errBusy) || len(*asked) != 7 || len(*paused) != 6 {
		t.Errorf("got %v after asking %d times", err, len(*asked))
	}
}

// A page is remembered when all of it was printed, and not before.
func TestTailRemembersWhatIsPrinted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cursor")
	f, _, _, _ := newFollower(events(4, 5), bus.EventPage{NextCursor: 8}, events(9))
	f.cursorFile = path
	f.out = &short{lines: 2}
	if err := f.follow(t.Context(), 0); !errors.Is(err, io.ErrShortWrite) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if string(text) != `{"next_cursor":5}`+"\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// short takes a few lines and no more.
type short struct{ lines int }

func (s *short) Write(b []byte) (int, error) {
	if s.lines--; s.lines < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestReadCursor(t *testing.T) {
	for text, want := range map[string]int64{
		`{"next_cursor":0}`: 0, "{\"next_cursor\": 12}\n": 12, `{"next_cursor":9007199254740993}`: 9007199254740993,
		``: -1, `null`: -1, `{}`: -1, `12`: -1, `{"next_cursor":null}`: -1, `{"next_cursor":-1}`: -1, `{"next_cursor":1.5}`: -1,
		`{"next_cursor":"1"}`: -1, `{"next_cursor":1}{"next_cursor":2}`: -1, `{"next_cursor":1`: -1, "\x00": -1,
		`{"next_cursor":99999999999999999999}`: -1,
	} {
		path := filepath.Join(t.TempDir(), "cursor")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readCursor(path)
		if want >= 0 && (got != want || err != nil) || want < 0 && nexus.CodeOf(err) != nexus.ConfigError {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
}
