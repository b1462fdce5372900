package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func processBenchmarks() []benchmark {
	return []benchmark{
		{"start to first answer, resident memory idle, binary size", "≤ 50 ms, ≤ 40 MB, ≤ 40 MB", figures},
	}
}

// figures measures the program as a user gets it.
func figures() (result, error) {
	dir, err := os.MkdirTemp("", "nexus-bench")
	if err != nil {
		return result{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "nexus")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/nexus")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return result{}, fmt.Errorf("build: %w: %s", err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return result{}, err
	}
	start, err := startTime(binary, filepath.Join(dir, "home"))
	if err != nil {
		return result{}, err
	}
	memory, err := idleMemory(binary, filepath.Join(dir, "home"))
	if err != nil {
		return result{}, err
	}
	return result{figure: fmt.Sprintf("%d ms, %d MB, %d MB", start.Milliseconds(), memory>>20, info.Size()>>20)}, nil
}

// startTime is how long a stdio server takes from its start to the answer to a
// first call.
func startTime(binary, home string) (time.Duration, error) {
	var all []time.Duration
	for range 11 {
		began := time.Now()
		cmd := exec.Command(binary, "mcp", "--home", home)
		cmd.Stdin = strings.NewReader(toolCall("nexus_info", "{}") + "\n")
		out, err := cmd.Output()
		if err != nil {
			return 0, err
		}
		if !strings.Contains(string(out), `"ok":true`) {
			return 0, fmt.Errorf("it answered %s", out)
		}
		all = append(all, time.Since(began))
	}
	return p50(all[1:]), nil // the first one made the store
}

// idleMemory is what a hub that nobody uses keeps resident.
func idleMemory(binary, home string) (int64, error) {
	cmd := exec.Command(binary, "serve", "--home", home, "--port", "0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), "is ready") {
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10, nil
		}
	}
	return 0, errors.New("no VmRSS in /proc")
}
