package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"

	"nexus"
	"nexus/serve"
)

// The exit statuses that this package decides itself.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitTimedOut    = 7
	exitInterrupted = 130
)

// A usageError is a command line that cannot be understood: an unknown flag or
// command, an argument too many, a flag without its value.
type usageError struct{ msg string }

func usageErrorf(format string, args ...any) *usageError {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

func (e *usageError) Error() string   { return e.Unwrap().Error() }
func (e *usageError) Unwrap() error   { return nexus.Errorf(nexus.ConfigError, "%s", e.msg) }
func (e *usageError) exitStatus() int { return exitUsage }

// exitStatus is the status the process ends with after err.
func exitStatus(err error) int {
	var own interface {
		error
		exitStatus() int
	}
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &own):
		return own.exitStatus()
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimedOut
	}
	return serve.ExitStatus(nexus.CodeOf(err))
}

// report prints err as one line, CODE: message, and returns the exit status.
// The cause of an internal error goes to the log and nowhere else. Nobody
// needs to be told of their own Ctrl-C.
func (a *app) report(err error) int {
	status := exitStatus(err)
	if err == nil || status == exitInterrupted {
		return status
	}
	e := nexus.AsError(err)
	fmt.Fprintln(a.stderr, oneLine(string(e.Code)+": "+e.Msg))
	if e.Err != nil {
		level := slog.LevelDebug
		if e.Code == nexus.Internal {
			level = slog.LevelError
		}
		slog.Log(context.Background(), level, "the cause", "err", e.Err)
	}
	return status
}

// oneLine keeps a message on one line, whatever was quoted in it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// interruptible returns a context that the first SIGINT or SIGTERM cancels, so
// that the process can finish what it has begun. The second one ends it at once.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
			return
		}
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
