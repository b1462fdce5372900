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
	"strings"
	"time"

	"nexus/client"
)

// A home is where the demo keeps its hub and its projects.
type home struct {
	path            string
	remove, discard bool // in the end, and if that is not a good one
}

// openHome makes the home. A picture in somebody else's hub needs its projects
// for longer than the demo runs.
func openHome(o options) (home, error) {
	if o.home == "" {
		path, err := os.MkdirTemp("", "nexus-demo-")
		outlives := o.still && !o.hold && o.hub != ""
		return home{path, !o.keep && !outlives, !o.keep}, err
	}
	path, err := filepath.Abs(o.home)
	if err == nil {
		err = os.MkdirAll(path, 0o700)
	}
	return home{path: path}, err
}

// leave removes the home where nobody needs it any more.
func (h home) leave(err error) error {
	if h.remove || h.discard && err != nil {
		return errors.Join(err, os.RemoveAll(h.path))
	}
	return err
}

// A process is a hub that the demo started.
type process struct {
	url  string
	stop func()
}

// stopTime is how long a hub may take to end before it is made to.
const stopTime = 10 * time.Second

// startHub builds nexus and starts a hub that answers when it returns. lose is
// told when the hub ends although nobody stopped it.
func startHub(ctx context.Context, home string, progress io.Writer, lose context.CancelCauseFunc) (*process, error) {
	dir, err := os.MkdirTemp("", "nexus-demo-bin-")
	if err != nil {
		return nil, err
	}
	p := &process{stop: func() { _ = os.RemoveAll(dir) }}
	said, err := p.start(ctx, filepath.Join(dir, "nexus.exe"), home, progress, lose) // a name that every system runs
	if err == nil {
		var info client.HubInfo
		info, err = client.ReadHubInfo(home)
		p.url = info.Addresses.Dashboard
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("start the hub: %w\n%s", err, said)
	}
	return p, nil
}

// start builds and runs the binary, and returns what it has said when it is ready.
func (p *process) start(ctx context.Context, binary, home string, progress io.Writer, lose context.CancelCauseFunc) (said string, err error) {
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "nexus/cmd/nexus").CombinedOutput(); err != nil {
		return string(out), fmt.Errorf("build nexus: %w", err)
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(running, binary, "serve", "--home", home, "--host", "127.0.0.1", "--port", "0", "--no-banner", "yes")
	cmd.Env = withoutSettings(os.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTime
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		end()
		return "", err
	}
	ended, clean := make(chan struct{}), p.stop
	p.stop = func() { end(); <-ended; clean() }
	said, err = untilReady(stderr)
	go func() { // until the hub ends
		defer close(ended)
		_, _ = io.Copy(progress, stderr)
		err := cmd.Wait()
		if running.Err() == nil {
			lose(fmt.Errorf("the hub ended: %w", err))
		}
	}()
	return said, err
}

// untilReady reads what a hub says until it says that it is ready.
func untilReady(r io.Reader) (said string, err error) {
	lines := bufio.NewReader(r)
	for !strings.Contains(said, "is ready") {
		line, err := lines.ReadString('\n')
		said += line
		if err != nil {
			return said, errors.New("it did not become ready")
		}
	}
	return said, nil
}

// withoutSettings drops settings of nexus from an environment: those of the hub
// that somebody really uses are none of the demo's business.
func withoutSettings(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		if !strings.HasPrefix(variable, "NEXUS_") && !strings.HasPrefix(variable, "OKTO_NEXUS_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
