package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus"
	"nexus/bus"
	"nexus/serve"
)

// old fills the log of a house with events of long ago.
func (h house) old(n int) {
	h.t.Helper()
	if _, err := query(filepath.Join(h.home, "nexus.db"), fmt.Sprintf(`
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO events (stream, type, created_at) SELECT 'system', 'test.old', '2020-01-01T00:00:00.000000Z' FROM n`, n)); err != nil {
		h.t.Fatal(err)
	}
}

// logged counts the events of a type.
func (h house) logged(kind string) string {
	h.t.Helper()
	rows, err := query(filepath.Join(h.home, "nexus.db"), "SELECT count(*) FROM events WHERE type = '"+kind+"'")
	if err != nil {
		h.t.Fatal(err)
	}
	return rows[0][0]
}

// A server prunes when it starts if it is told to: a few batches, and the rest
// another time.
func TestPruneOnStart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(2300)
	h.run("mcp")
	if got := h.logged("test.old"); got != "2300" {
		t.Errorf("without being told to it left %s", got)
	}
	h.run("mcp", "--auto-prune-on-start", "yes")
	if got := h.logged("test.old"); got != "300" {
		t.Errorf("the first start left %s", got)
	}
	hub := h.command("serve", "--port", "0", "--auto-prune-on-start=on")
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	_, err := awaitHub(h.home)
	_ = hub.Process.Signal(os.Interrupt)
	if err := errors.Join(err, hub.Wait()); err != nil {
		t.Fatal(err)
	}
	if got := h.logged("test.old"); got != "0" {
		t.Errorf("the hub's start left %s", got)
	}
	if got := h.logged("admin.pruned"); got != "2" {
		t.Errorf("%s events tell of it", got)
	}
}

// A prune that fails is one line, and the start goes on.
func TestPruneOnStartFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(1)
	unlock := holdLock(t, filepath.Join(h.home, "nexus.db"))
	defer unlock()
	var stderr bytes.Buffer
	cmd := h.command("mcp", "--auto-prune-on-start", "1", "--busy-timeout-ms", "0")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"id":1`) {
		t.Errorf("got %s, %v", out, err)
	}
	if line := stderr.String(); !strings.HasPrefix(line, "[nexus] not pruned at start: DB_ERROR: ") || strings.Count(line, "\n") != 1 {
		t.Errorf("it said %q", line)
	}
}

// holdLock writes to the file, as another program would, until it is told to
// stop.
func holdLock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	return func() { _ = conn.Close() }
}

// A store that is busy is worth a retry, and nothing is gone.
func TestPruneBusy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(1)
	unlock := holdLock(t, filepath.Join(h.home, "nexus.db"))
	var stderr bytes.Buffer
	cmd := h.command("admin", "prune", "--vacuum", "--busy-timeout-ms", "0")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	unlock()
	if cmd.ProcessState.ExitCode() != 6 || len(out) > 0 || !strings.HasPrefix(stderr.String(), "DB_ERROR: ") {
		t.Errorf("got %v, %s, %s", err, out, stderr.String())
	}
	if got := h.logged("test.old"); got != "1" {
		t.Errorf("%s are left", got)
	}
}

// The file is smaller afterwards.
func TestPruneVacuum(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(30_000)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(h.home, "nexus.db"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	h.run("admin", "prune", "--dry-run")
	full := size()
	h.run("admin", "prune")
	pruned := size()
	h.run("admin", "prune", "--vacuum")
	if got := size(); pruned < full || got > full/2 {
		t.Errorf("the file had %d bytes, %d when pruned and %d when packed", full, pruned, got)
	}
}

// A long log is exported whole and in order.
func TestExportPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.old(2*exportPage + 1)
	lines := bufio.NewScanner(strings.NewReader(h.run("admin", "export")))
	var head serve.ExportManifest
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Kind != "manifest" || head.LastEventID != 2*exportPage+2 {
		t.Fatalf("the first line is %s", lines.Text())
	}
	want := int64(1)
	for ; lines.Scan(); want++ {
		var e struct {
			ID int64 `json:"event_id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.ID != want {
			t.Fatalf("got event %d, %v, want %d", e.ID, err, want)
		}
	}
	if want != head.LastEventID+1 {
		t.Errorf("it ended after %d", want-1)
	}
}

func TestInTrace(t *testing.T) {
	tests := []struct {
		event nexus.Event
		id    string
		want  bool
	}{
		{nexus.Event{}, "", true},
		{nexus.Event{}, "x", false},
		{nexus.Event{TaskID: "x"}, "x", true},
		{nexus.Event{HandoffID: "x"}, "x", true},
		{nexus.Event{Payload: []byte(`{"trace_id":"x"}`)}, "x", true},
		{nexus.Event{Payload: []byte(`{"trace_id":"xx"}`)}, "x", false},
		{nexus.Event{Payload: []byte(`{"trace_id":5}`)}, "5", false},
		{nexus.Event{Payload: []byte(`["trace_id"]`)}, "x", false},
		{nexus.Event{Payload: []byte(`{"subject":"x"}`)}, "x", false},
	}
	for _, test := range tests {
		if got := inTrace(test.event, test.id); got != test.want {
			t.Errorf("inTrace(%s, %q) = %v", test.event.Payload, test.id, got)
		}
	}
}

// What fails half-way leaves the old file and nothing beside it.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, fail error) error {
		return replaceFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fail)
		})
	}
	oops := errors.New("oops")
	if err := errors.Join(write("one", nil), write("two", nil)); err != nil {
		t.Fatal(err)
	}
	if err := write("three", oops); !errors.Is(err, oops) {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(path)
	files, _ := os.ReadDir(dir)
	if string(text) != "two" || err != nil || len(files) != 1 {
		t.Errorf("the file holds %q, %v; the folder holds %v", text, err, files)
	}
}

// What is gone is told although what came after it failed.
func TestPruneTellsWhatIsGone(t *testing.T) {
	h := newHouse(t)
	h.old(1)
	file := filepath.Join(h.home, "nexus.db")
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: io.Discard}
	err := onStore(t.Context(), &Config{Home: h.home, DB: file}, func(ctx context.Context, n *node) error {
		var unlock func()
		defer func() { unlock() }()
		return a.prune(ctx, n, bus.Pruning{Progress: func(string, int, int) { unlock = holdLock(t, file) }}, true)
	})
	if nexus.CodeOf(err) != nexus.DBError || !strings.Contains(out.String(), `"total_deleted": 2,`) || !strings.Contains(out.String(), `"ran": false`) {
		t.Errorf("got %v and %s", err, out.String())
	}
}
