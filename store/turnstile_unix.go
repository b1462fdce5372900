//go:build unix

package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A turnstile makes the processes that write one SQLite file take turns. SQLite
// itself is correct but unfair: without it a process may stand in front of the
// lock for seconds. It is fairness only, so whoever waits too long goes on.
type turnstile struct {
	next, turn *os.File
	alone      func() bool
}

// patience is how long to wait at the turnstile before going on without.
const patience = 2 * time.Second

func openTurnstile(path string, alone func() bool) *turnstile {
	t := &turnstile{alone: alone}
	t.next, _ = os.OpenFile(path+"-next", os.O_RDWR|os.O_CREATE, 0o600)
	t.turn, _ = os.OpenFile(path+"-turn", os.O_RDWR|os.O_CREATE, 0o600)
	return t
}

// enter waits for this process's turn and returns how to leave. With no other
// process around it does nothing.
func (t *turnstile) enter() (leave func()) {
	if t.alone() {
		return func() {}
	}
	return t.enterAlways()
}

// enterAlways takes the place of the next, then the turn, then lets the next
// one step up: so the turn goes around in the order of arrival.
func (t *turnstile) enterAlways() (leave func()) {
	if t.next == nil || t.turn == nil {
		return func() {}
	}
	isNext := lockFile(t.next, patience)
	hasTurn := lockFile(t.turn, patience)
	if isNext {
		unlockFile(t.next)
	}
	if !hasTurn {
		return func() {}
	}
	return func() { unlockFile(t.turn) }
}

func (t *turnstile) Close() error {
	var errs []error
	for _, f := range []*os.File{t.next, t.turn} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

func lockFile(f *os.File, wait time.Duration) bool {
	fd := int(f.Fd())
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		return true
	}
	got := make(chan error, 1)
	go func() { got <- flockRetry(fd) }()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-got:
		return err == nil
	case <-timer.C:
		go func() { // it will be granted some day; give it back then
			if <-got == nil {
				unlockFile(f)
			}
		}()
		return false
	}
}

func flockRetry(fd int) error {
	for {
		err := unix.Flock(fd, unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func unlockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
