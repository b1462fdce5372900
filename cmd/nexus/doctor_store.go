package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nexus"
	"nexus/store"
)

const (
	walLarge       = 256 << 20
	clockSkew      = 2 * time.Minute
	postgresOldest = 150000
)

// checkDatabase opens the store to look, and says what can be said of it.
func (d *doctor) checkDatabase(ctx context.Context) []finding {
	check := store.QuickCheck
	if d.deep {
		check = store.FullCheck
	}
	i, err := store.Inspect(ctx, inspectOptions(d.cfg, check))
	name := databaseName(d.cfg.DB)
	switch code := nexus.CodeOf(err); {
	case code == nexus.NotFound:
		return append([]finding{ok("%s does not exist yet; the first call makes it", name)}, d.checkClock(i)...)
	case code == nexus.MigrationError:
		return []finding{fail("install the newer nexus again, or restore a backup", "%s", nexus.AsError(err).Msg)}
	case err != nil && i.Kind == "postgres":
		return []finding{fail("check that PostgreSQL runs and that the address, user and password of --db are right", "%s: %s", name, nexus.AsError(err).Msg)}
	case err != nil:
		return []finding{fail("restore a backup, or choose another file with --db", "%s: %s", name, nexus.AsError(err).Msg)}
	}
	return d.judgeStore(name, i)
}

// judgeStore is about a store that could be read.
func (d *doctor) judgeStore(name string, i store.Inspection) []finding {
	found := []finding{soundness(name, i)}
	if i.WALBytes > walLarge {
		f := warn("somebody reads an old state or cannot write: restart the hub, then nexus admin prune --vacuum", "the write-ahead log has %s", byteSize(i.WALBytes))
		f.Check = "log size"
		found = append(found, f)
	}
	if i.Kind == "postgres" && i.Server < postgresOldest {
		f := fail("upgrade to PostgreSQL 15 or later", "the server is version %d", i.Server/10000)
		f.Check = "server"
		found = append(found, f)
	}
	return append(found, d.checkClock(i)...)
}

func soundness(name string, i store.Inspection) finding {
	switch {
	case len(i.Faults) > 0:
		return fail("stop the hub and restore a backup", "%s is damaged: %s", name, shorten(strings.Join(i.Faults, "; ")))
	case i.Schema == 0:
		return ok("%s is empty; the first call fills it", name)
	case i.Schema < i.KnownSchema:
		return ok("%s is sound and has schema %d; the next start brings it to %d", name, i.Schema, i.KnownSchema)
	}
	return ok("%s is sound, %s, schema %d", name, byteSize(i.Bytes+i.WALBytes), i.Schema)
}

// checkClock compares our clock with what others wrote: leases and order hang on
// it.
func (d *doctor) checkClock(i store.Inspection) []finding {
	f := ok("nothing is from the future")
	if at, err := nexus.ParseStamp(i.LastEventAt); err == nil && at.Sub(d.now) > clockSkew {
		f = fail("set this machine's clock, or wait until then", "the newest event is of %s, %v ahead of this machine's clock", i.LastEventAt, at.Sub(d.now).Round(time.Second))
	}
	for _, name := range []string{"nexus.db", "config.toml", "hub.json", "operator.key"} {
		info, err := os.Stat(filepath.Join(d.cfg.Home, name))
		if f.Verdict == verdictOK && err == nil && info.ModTime().Sub(d.now) > clockSkew {
			f = warn("set this machine's clock", "%s was last changed in the future, on %s", name, nexus.Stamp(info.ModTime()))
		}
	}
	if i.Kind == "postgres" && !i.ServerTime.IsZero() {
		if skew := i.ServerTime.Sub(d.now); skew.Abs() > clockSkew {
			f = fail("have both machines set their clocks over the network", "the clock of PostgreSQL differs by %v", skew.Round(time.Second))
		}
	}
	f.Check = "clock"
	return []finding{f}
}

// checkBell looks for sockets of processes that were killed.
func (d *doctor) checkBell(context.Context) []finding {
	if isPostgres(d.cfg.DB) {
		return nil
	}
	dir := d.cfg.DB + ".bell"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []finding{ok("nobody has the store open")}
	}
	var left []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); isLeftover(path) {
			left = append(left, path)
		}
	}
	if len(left) == 0 {
		return []finding{ok("%d processes have the store open", len(entries))}
	}
	return []finding{warn("nothing: the next commit removes them; --fix does it now", "%d sockets in %s belong to processes that are gone", len(left), dir).
		mended(func() error { return removeLeftovers(left) })}
}

// removeLeftovers looks again: a name may have been taken since.
func removeLeftovers(paths []string) error {
	for _, path := range paths {
		if !isLeftover(path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
