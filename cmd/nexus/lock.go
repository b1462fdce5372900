package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"nexus"
)

const (
	lockBeat    = 5 * time.Second  // how often a holder touches its file
	lockSilence = 60 * time.Second // how long a holder we cannot ask is believed
)

// A serveLock is held by the one hub of a home.
//
// The kernel holds the real lock and frees it when the process dies, however
// it dies, so the next start takes over at once. The file also names its
// holder and is touched by a heartbeat, for people, for hubs on another
// machine, and for programs that know nothing but the file. It is never
// removed: a second holder could otherwise lock a new file of the same name.
type serveLock struct {
	path string
	now  func() time.Time
	file *flock.Flock
}

// A lockHolder is what the file says.
type lockHolder struct {
	PID  int    `json:"pid"`
	Host string `json:"host,omitempty"` // "" from programs that do not use the kernel's lock
}

// A lockHeldError is a start that lost to a hub already running.
type lockHeldError struct {
	Home   string
	Holder lockHolder // zero when it has not said yet
}

func (e *lockHeldError) Error() string   { return e.Unwrap().Error() }
func (e *lockHeldError) exitStatus() int { return exitFailed }

func (e *lockHeldError) Unwrap() error {
	who := "another process"
	if e.Holder.PID > 0 {
		who = fmt.Sprintf("process %d", e.Holder.PID)
	}
	if e.Holder.Host != "" && e.Holder.Host != hostName() {
		who += " on " + e.Holder.Host
	}
	return nexus.Errorf(nexus.Conflict, "%s already serves %s; stop it, or give this hub a home of its own with --home", who, e.Home).
		With("pid", e.Holder.PID)
}

// takeServeLock makes this process the hub of home, or returns a
// [lockHeldError] that names the one that is. The home directory must exist.
func takeServeLock(home string, now func() time.Time) (*serveLock, error) {
	l := &serveLock{path: filepath.Join(home, "nexus.serve.lock"), now: now}
	if err := l.take(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *serveLock) take() error {
	file, err := lockFile(lockTarget(l.path))
	if err != nil {
		return nexus.Errorf(nexus.ConfigError, "cannot lock %s: %v", l.path, err)
	}
	if file == nil {
		return &lockHeldError{Home: filepath.Dir(l.path), Holder: l.awaitHolder()}
	}
	if holder, ok := l.stranger(); ok {
		_ = file.Unlock() // nothing of ours is in it yet
		return &lockHeldError{Home: filepath.Dir(l.path), Holder: holder}
	}
	if err := l.sign(); err != nil {
		_ = file.Unlock() // the error that matters is err
		return nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", l.path, err)
	}
	l.file = file
	return nil
}

// lockFile locks the file at path, or returns nil when somebody else has. A
// file that was replaced while we locked it does not count.
func lockFile(path string) (*flock.Flock, error) {
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		if ok, err := f.TryLock(); !ok {
			return nil, err
		}
		if sameFile(f, path) {
			return f, nil
		}
		if err := f.Unlock(); err != nil {
			return nil, err
		}
	}
}

// sameFile tells whether the locked file is still the one at path.
func sameFile(f *flock.Flock, path string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(path)
	return err == nil && os.SameFile(locked, current)
}

// stranger is a holder that may be alive although the kernel's lock was free:
// a program that does not use it, or a machine that does not share ours. Such
// a one is believed as long as it touches the file.
func (l *serveLock) stranger() (lockHolder, bool) {
	holder, ok := l.holder()
	if !ok || !l.fresh() {
		return holder, false
	}
	if holder.Host != "" {
		return holder, holder.Host != hostName()
	}
	return holder, holder.PID != os.Getpid() && processAlive(holder.PID)
}

// fresh tells whether the file was touched lately. A time in the future is
// somebody's clock and counts by its distance.
func (l *serveLock) fresh() bool {
	info, err := os.Stat(l.path)
	return err == nil && l.now().Sub(info.ModTime()).Abs() < lockSilence
}

// holder reads who holds the lock, if the file tells.
func (l *serveLock) holder() (lockHolder, bool) {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return lockHolder{}, false
	}
	var h lockHolder
	if json.Unmarshal(data, &h) != nil || h.PID <= 0 {
		return lockHolder{}, false
	}
	return h, true
}

// awaitHolder gives one that has just taken the lock a moment to sign it.
func (l *serveLock) awaitHolder() lockHolder {
	for range 20 {
		if h, ok := l.holder(); ok {
			return h
		}
		time.Sleep(10 * time.Millisecond)
	}
	return lockHolder{}
}

// sign writes this process into the file.
func (l *serveLock) sign() error {
	data, err := json.Marshal(lockHolder{PID: os.Getpid(), Host: hostName()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Chmod(l.path, 0o600); err != nil {
		return err
	}
	return l.touch()
}

func (l *serveLock) touch() error {
	now := l.now()
	return os.Chtimes(l.path, now, now)
}

// Run touches the file until ctx ends. It fails only when the lock was lost to
// another hub, which takes somebody who removes the file; a disk that will not
// be written is logged and tried again.
func (l *serveLock) Run(ctx context.Context) error {
	ticker := time.NewTicker(lockBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := l.beat()
		if _, lost := errors.AsType[*lockHeldError](err); lost {
			return err
		}
		if err != nil {
			slog.Warn("the serve lock cannot be refreshed", "path", l.path, "err", err)
		}
	}
}

// beat touches the file and, when it is not ours any more, takes it again.
func (l *serveLock) beat() error {
	if sameFile(l.file, lockTarget(l.path)) {
		return l.touch()
	}
	old := l.file
	if err := l.take(); err != nil {
		return err
	}
	return old.Unlock()
}

// Release gives the lock up. The file stays, empty, so that a program that
// goes by the file sees no holder. Call it after [serveLock.Run] has returned.
func (l *serveLock) Release() error {
	if l.file == nil {
		return nil
	}
	var cleared error
	if sameFile(l.file, lockTarget(l.path)) {
		cleared = os.Truncate(l.path, 0)
	}
	err := l.file.Unlock()
	l.file = nil
	if err == nil {
		err = cleared
	}
	return err
}

// hostName tells the machines that share a home apart.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}
