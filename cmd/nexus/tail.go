package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/bus"
)

// tailFlags are the flags of nexus tail as they were given.
type tailFlags struct {
	agent, stream, from, cursorFile, fromAgent, excludeAgent, limit, timeout *plainFlag

	once bool
}

func tailCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tail --project-root DIR --agent-id ID",
		Short: "Follow the log of a project, one JSON object a line",
		Long: `Follow what happens in a project, as far as an agent may see it: one JSON object a
line, as it happens. It is for watching. Mail is received with inbox_pull.

Watching leaves no mark: the agent is not seen. With --cursor-file it goes on where
it stopped; after a crash it repeats at most one page. A store that is busy is asked
again, a few times. It ends with Ctrl-C, with status 130 and a cursor file that is up
to date, or with status 0 when nobody reads what it prints.`,
		Example: "  nexus tail --project-root . --agent-id ada --exclude-agent ada\n" +
			"  nexus tail --project-root . --agent-id ada --from 0 --once --timeout-seconds 0",
	}
	f := tailFlags{
		agent:        ownFlag(cmd, "agent-id", "id", "Show what this agent may see."),
		stream:       ownFlag(cmd, "stream", "name", "Which stream: workspace, handoff or agent. (default workspace)"),
		from:         ownFlag(cmd, "from", "where", "Where to begin: latest, begin, start or the number of an event to go on after. (default latest)"),
		cursorFile:   ownFlag(cmd, "cursor-file", "file", "Remember how far it got; if the file exists, --from does not count."),
		fromAgent:    ownFlag(cmd, "from-agent", "id", "Only what this agent did."),
		excludeAgent: ownFlag(cmd, "exclude-agent", "id", "Leave out what this agent did. May be given again."),
		limit:        ownFlag(cmd, "limit", "n", "The most events on one page. (default 100)"),
		timeout:      ownFlag(cmd, "timeout-seconds", "n", "How long to wait for one page, up to max_wait_timeout_seconds."),
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "End after one page, be it empty.")
	projectFlag(a, cmd, "The project to follow.")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.load()
		if err != nil {
			return err
		}
		return a.tail(cmd.Context(), cfg, f)
	}
	return cmd
}

func (a *app) tail(ctx context.Context, cfg *Config, f tailFlags) error {
	p, err := f.params(cfg)
	if err != nil {
		return err
	}
	path, err := expandTilde(f.cursorFile.text(), a.env)
	if err != nil {
		return err
	}
	from, err := f.start(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a write then fails, and we end of our own accord
	read, stop := context.WithCancel(ctx)
	defer stop()
	whenUnread(a.stdout, stop)
	err = onStore(read, cfg, func(ctx context.Context, n *node) error {
		t := &follower{
			out: a.stdout, log: a.stderr, pause: pause, exclude: f.excludeAgent.texts, cursorFile: path, once: f.once,
			latest: func(ctx context.Context) (int64, error) { return n.bus.LastEvent(ctx, p.ProjectRoot, p.Stream) },
			page: func(ctx context.Context, cursor int64) (bus.EventPage, error) {
				p.Cursor = &cursor
				return n.bus.FollowEvents(ctx, p)
			},
		}
		err := t.follow(ctx, from)
		if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
			return nil // nobody reads it any more, which is a good end unless it was interrupted
		}
		return err
	})
	return cmp.Or(ctx.Err(), err)
}

// params is what to ask for, without a cursor.
func (f tailFlags) params(cfg *Config) (p bus.WaitParams, err error) {
	var missing []string
	if cfg.ProjectRoot == "" {
		missing = append(missing, "--project-root")
	}
	if strings.TrimSpace(f.agent.text()) == "" {
		missing = append(missing, "--agent-id")
	}
	if len(missing) > 0 {
		return p, usageErrorf("%q needs %s", "nexus tail", strings.Join(missing, " and "))
	}
	p.ProjectRoot, p.AgentID, p.Stream = cfg.ProjectRoot, f.agent.text(), nexus.StreamWorkspace
	if f.stream.given {
		p.Stream = f.stream.text()
	}
	if f.fromAgent.given {
		if p.Filters, err = json.Marshal(map[string]string{"agent_id": f.fromAgent.text()}); err != nil {
			return p, err
		}
	}
	if p.Limit, err = f.limit.number(1); err != nil {
		return p, err
	}
	if p.TimeoutSeconds, err = f.timeout.number(0); err != nil {
		return p, err
	}
	if !f.once && p.TimeoutSeconds != nil && *p.TimeoutSeconds == 0 {
		p.TimeoutSeconds = nil // never to wait would be to spin
	}
	return p, p.Precede()
}

// fromLatest stands for the end of the log, wherever that is by then.
const fromLatest = -1

// start is the cursor to begin with: that of the file if there is one.
func (f tailFlags) start(cursorFile string) (int64, error) {
	if f.cursorFile.given {
		cursor, err := readCursor(cursorFile)
		if !errors.Is(err, fs.ErrNotExist) {
			return cursor, err
		}
	}
	switch word := strings.TrimSpace(f.from.text()); word {
	case "latest":
		return fromLatest, nil
	case "begin", "start":
		return 0, nil
	case "":
		if !f.from.given {
			return fromLatest, nil
		}
	}
	n, ok := parseInteger(f.from.text(), 0, 0)
	if !ok {
		return 0, f.from.bad("latest, begin, start or an integer of at least 0")
	}
	return int64(n), nil
}

// A follower prints pages of the log as they come.
type follower struct {
	latest func(ctx context.Context) (int64, error)
	page   func(ctx context.Context, cursor int64) (bus.EventPage, error)
	pause  func(ctx context.Context, d time.Duration) error

	out, log   io.Writer
	exclude    []string
	cursorFile string // "" for none
	once       bool
}

// follow goes on until the context ends or something fails for good. Events
// count as seen when they are printed: a page is printed, then remembered.
func (t *follower) follow(ctx context.Context, cursor int64) (err error) {
	if cursor == fromLatest {
		if cursor, err = patiently(ctx, t, func() (int64, error) { return t.latest(ctx) }); err != nil {
			return err
		}
	}
	for {
		page, err := patiently(ctx, t, func() (bus.EventPage, error) { return t.page(ctx, cursor) })
		if err != nil {
			return err
		}
		cursor = page.NextCursor
		if len(page.Events) > 0 {
			if err := t.show(page.Events, cursor); err != nil {
				return err
			}
		}
		if t.once {
			return nil
		}
	}
}

func (t *follower) show(events []bus.Event, cursor int64) error {
	for _, e := range events {
		if e.Actor != nil && slices.Contains(t.exclude, *e.Actor) {
			continue
		}
		if err := writeLine(t.out, e); err != nil {
			return err
		}
	}
	if t.cursorFile == "" {
		return nil
	}
	return replaceFile(t.cursorFile, func(w io.Writer) error { return writeLine(w, savedCursor{&cursor}) })
}

const (
	mostRetries  = 6
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// patiently asks again where the store was busy, a few times in a row, a little
// later each time.
func patiently[R any](ctx context.Context, t *follower, ask func() (R, error)) (R, error) {
	for n := 0; ; n++ {
		answer, err := ask()
		if nexus.CodeOf(err) != nexus.DBError || n == mostRetries {
			return answer, err
		}
		wait := min(firstPause<<n, longestPause)
		fmt.Fprintf(t.log, "[nexus tail] transient DB_ERROR; retry %d/%d in %.1fs\n", n+1, mostRetries, wait.Seconds())
		if err := t.pause(ctx, wait); err != nil {
			return answer, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A savedCursor is all that a cursor file holds.
type savedCursor struct {
	Next *int64 `json:"next_cursor"`
}

// readCursor reads a cursor file. One that is not there is [fs.ErrNotExist],
// provided that it can be made; one that holds something else is not ours to
// replace.
func readCursor(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			return 0, fs.ErrNotExist
		}
	}
	if err != nil {
		return 0, nexus.Errorf(nexus.ConfigError, "cannot use the cursor file %s: %v", path, rootCause(err))
	}
	var saved savedCursor
	if json.Unmarshal(text, &saved) != nil || saved.Next == nil || *saved.Next < 0 {
		return 0, nexus.Errorf(nexus.ConfigError,
			"the cursor file %s does not hold {\"next_cursor\":N}; remove it to begin anew, or name another", path)
	}
	return *saved.Next, nil
}
