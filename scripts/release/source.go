package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A source is what is released.
type source struct {
	version  string // no leading v
	revision string // the commit; "" outside a repository
	time     time.Time
}

// findSource asks git for what was not given. Sources without a repository are
// released by giving both.
func findSource(ctx context.Context, version string, epoch int64) (source, error) {
	revision, err := run(ctx, nil, "git", "rev-parse", "HEAD")
	if err != nil && (version == "" || epoch == 0) {
		return source{}, fmt.Errorf("no git repository says which version this is, give -version and -epoch: %w", err)
	}
	if version == "" {
		if version, err = describe(ctx); err != nil {
			return source{}, err
		}
	}
	if epoch == 0 {
		stamp, err := run(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return source{}, err
		}
		if epoch, err = strconv.ParseInt(stamp, 10, 64); err != nil {
			return source{}, err
		}
	}
	version, err = cleanVersion(version)
	return source{version, revision, time.Unix(epoch, 0).UTC()}, err
}

// describe is the version that git knows. The length of a hash is given because
// git would make it longer the more it has stored.
func describe(ctx context.Context) (string, error) {
	version, err := run(ctx, nil, "git", "describe", "--tags", "--always", "--abbrev=12")
	if err != nil {
		return "", err
	}
	changes, err := run(ctx, nil, "git", "status", "--porcelain")
	if err == nil && changes != "" {
		version += "-dirty" // new files count, which --dirty would pass over
	}
	return version, err
}

// build compiles the program. Of the environment only what cannot change the
// outcome is left to whoever runs it.
func build(ctx context.Context, src source, t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "nexus-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, t.binary())
	link := "-s -w -buildid= -X main.version=" + src.version + " -X main.revision=" + src.revision
	if _, err := run(ctx, t.environment(), "go", "build", "-ldflags", link, "-o", binary, "./cmd/nexus"); err != nil {
		return nil, err
	}
	return os.ReadFile(binary)
}

// environment makes the go command build for t, in one way everywhere. What git
// says is linked in by [build]: left to itself Go would take the tags it finds,
// and not every clone has them.
func (t target) environment() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=-trimpath -buildvcs=false -mod=readonly", "GOWORK=off",
	}
}

// run gives the output of a program, without the blanks around it.
func run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(cmd.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
