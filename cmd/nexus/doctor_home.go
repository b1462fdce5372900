package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nexus"
	"nexus/client"
)

// checkSettings tells what is not as it comes, and where that was said.
func (d *doctor) checkSettings(context.Context) []finding {
	if d.cfgErr != nil {
		return []finding{fail("correct it; until then the other checks go by the defaults", "%s", nexus.AsError(d.cfgErr).Msg)}
	}
	var changed []string
	for _, s := range settings {
		if d.cfg.winners[s.key].origin != fromDefault {
			changed = append(changed, s.key+" ("+d.cfg.Source(s.key)+")")
		}
	}
	if len(changed) == 0 {
		return []finding{ok("all are the defaults")}
	}
	return []finding{ok("not the default: %s", strings.Join(changed, ", "))}
}

// checkHome looks at the directory alone.
func (d *doctor) checkHome(context.Context) []finding {
	home := d.cfg.Home
	info, err := os.Stat(home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{ok("%s does not exist yet; the first call makes it", home)}
	case err != nil:
		return []finding{fail("check the directories above it", "%s cannot be looked at: %v", home, rootCause(err))}
	case !info.IsDir():
		return []finding{fail("move it away, or choose another home with --home", "%s is not a directory", home)}
	}
	if owner, mine := ownerOf(info); !mine {
		return []finding{fail("chown it to yourself, or run nexus as its owner", "%s belongs to %s", home, owner)}
	}
	if _, err := os.ReadDir(home); err != nil {
		return []finding{fail("chmod 700 "+home, "%s cannot be read: %v", home, rootCause(err))}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		f := fail("chmod 700 "+home, "%s has mode %04o: others could pass for the hub there", home, mode)
		if isHome(home) {
			f = f.mended(func() error { return os.Chmod(home, 0o700) })
		}
		return []finding{f}
	}
	return []finding{ok("%s is yours alone", home)}
}

// privateFiles are the owner's and nobody else's.
var privateFiles = []string{"nexus.db", "nexus.db-wal", "nexus.db-shm", "operator.key", "rpc.token", "hub.json", "hub.sock", "nexus.serve.lock"}

// checkModes looks for files that others may read or write.
func (d *doctor) checkModes(context.Context) (found []finding) {
	for _, name := range privateFiles {
		path := filepath.Join(d.cfg.Home, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		found = append(found, fail("chmod 600 "+path, "%s has mode %04o", path, info.Mode().Perm()).
			mended(func() error { return os.Chmod(path, 0o600) }))
	}
	if found == nil {
		found = []finding{ok("no file is open to others")}
	}
	return found
}

const (
	diskLow   = 1 << 30
	diskEmpty = 100 << 20
)

// checkDisk asks for the room where the store is, or the home if that is
// elsewhere.
func (d *doctor) checkDisk(context.Context) []finding {
	dir := d.cfg.Home
	if !isPostgres(d.cfg.DB) {
		dir = filepath.Dir(d.cfg.DB)
	}
	for !pathExists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	free, err := freeSpace(dir)
	if err != nil {
		return []finding{ok("how much room there is cannot be told here: %v", err)}
	}
	return []finding{judgeRoom(free, dir)}
}

func judgeRoom(free int64, dir string) finding {
	switch {
	case free < diskEmpty:
		return fail("make room, or move the home", "%s are left at %s", byteSize(free), dir)
	case free < diskLow:
		return warn("make room soon; nexus admin prune --vacuum gives some back", "%s are left at %s", byteSize(free), dir)
	}
	return ok("%s are left at %s", byteSize(free), dir)
}

// checkLock reads who serves this home. The kernel's lock alone counts, so a
// name that was left behind keeps nobody out.
func (d *doctor) checkLock(context.Context) []finding {
	l := &serveLock{path: filepath.Join(d.cfg.Home, "nexus.serve.lock"), now: func() time.Time { return d.now }}
	holder, named := l.holder()
	switch {
	case !named:
		return []finding{ok("no hub holds it")}
	case holder.Host != "" && holder.Host != hostName() && l.fresh():
		return []finding{ok("process %d on %s holds it", holder.PID, holder.Host)}
	case (holder.Host == "" || holder.Host == hostName()) && processAlive(holder.PID):
		return []finding{ok("process %d holds it", holder.PID)}
	}
	return []finding{warn("nothing: the next hub takes it over; --fix clears it", "%s names process %d, which is gone", l.path, holder.PID).
		mended(func() error { return alone(d.cfg.Home, func() error { return nil }) })}
}

// alone does something while no hub can start in a home. Giving the lock up again
// clears the file.
func alone(home string, do func() error) error {
	l, err := takeServeLock(home, time.Now)
	if err != nil {
		return err
	}
	return errors.Join(do(), l.Release())
}

// checkHubFiles looks for what a hub that was killed left behind.
func (d *doctor) checkHubFiles(context.Context) []finding {
	socket := client.SocketPath(d.cfg.Home)
	info := filepath.Join(d.cfg.Home, "hub.json")
	var left []string
	for _, path := range []string{info, socket} {
		if _, err := os.Lstat(path); err == nil {
			left = append(left, path)
		}
	}
	switch {
	case len(left) == 0:
		return []finding{ok("none, as no hub runs")}
	case d.hub.State == hubRunning:
		return []finding{ok("they are those of process %d", d.hub.PID)}
	case d.hub.State == hubSilent:
		return []finding{fail(fmt.Sprintf("see what process %d does; stop it and start nexus serve", d.hub.PID),
			"process %d, which %s names, does not answer", d.hub.PID, info)}
	}
	return []finding{warn("nothing: the next hub replaces them; --fix removes them", "left by a hub that is gone: %s", strings.Join(left, ", ")).
		mended(func() error {
			return alone(d.cfg.Home, func() (err error) {
				for _, path := range left {
					err = errors.Join(err, os.Remove(path))
				}
				return err
			})
		})}
}
