// Command release makes what people install: a static binary for every platform
// in an archive, Debian packages, and the checksums of all that.
//
//	go run ./scripts/release                                     everything, into dist/release
//	go run ./scripts/release -targets linux/amd64 -out /tmp/out  one platform
//
// It runs in the root of a checkout. What it makes depends on the commit and the
// version of Go, on nothing else: two people who run it get the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

const everyTarget = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	out := flag.String("out", filepath.Join("dist", "release"), "the `directory` to fill")
	targets := flag.String("targets", everyTarget, "the `platforms`, as OS/ARCH")
	version := flag.String("version", "", "the version; what git says when empty")
	epoch := flag.Int64("epoch", 0, "the time of all files, in `seconds` since 1970; that of the commit when 0")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, *out, *targets, *version, *epoch)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(ctx context.Context, out, targets, version string, epoch int64) error {
	src, err := findSource(ctx, version, epoch)
	if err != nil {
		return err
	}
	chosen, err := parseTargets(targets)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	made := shelf{dir: out}
	for _, t := range chosen {
		if err := made.fill(ctx, src, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return made.writeSums()
}

// A target is a platform that is released for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// binary is what the program is called there.
func (t target) binary() string {
	if t.os == "windows" {
		return "nexus.exe"
	}
	return "nexus"
}

func parseTargets(list string) ([]target, error) {
	var targets []target
	for _, name := range strings.Fields(list) {
		goos, arch, ok := strings.Cut(name, "/")
		if !ok {
			return nil, fmt.Errorf("%q is no platform, write it as OS/ARCH", name)
		}
		targets = append(targets, target{goos, arch})
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("name a platform")
	}
	return targets, nil
}

// fill makes everything for one platform.
func (s *shelf) fill(ctx context.Context, src source, t target) error {
	began := time.Now()
	program, err := build(ctx, src, t)
	if err != nil {
		return err
	}
	notices, err := thirdParty(ctx, t)
	if err != nil {
		return err
	}
	if err := s.addArchive(src, t, program, notices); err != nil {
		return err
	}
	if t.os == "linux" {
		if err := s.addPackage(src, t, program, notices); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%-14s %s\n", t, time.Since(began).Round(time.Second))
	return nil
}

// addArchive adds the archive that is unpacked by hand.
func (s *shelf) addArchive(src source, t target, program, notices []byte) error {
	files, err := readFiles("LICENSE", "README.md")
	if err != nil {
		return err
	}
	files = append(files, file{t.binary(), 0o755, program}, file{"NOTICES.txt", 0o644, notices})
	if t.os == "linux" {
		unit, err := os.ReadFile(unitPath)
		if err != nil {
			return err
		}
		files = append(files, file{"nexus.service", 0o644, unit})
	}
	name := fmt.Sprintf("nexus_%s_%s_%s", src.version, t.os, t.arch)
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	if t.os == "windows" {
		return s.add(name+".zip", zipped(files, src.time))
	}
	return s.add(name+".tar.gz", tarball(files, src.time))
}

// readFiles reads files of the root.
func readFiles(names ...string) ([]file, error) {
	var files []file
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, body})
	}
	return files, nil
}
