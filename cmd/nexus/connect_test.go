package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus/serve"
)

// Whatever a host calls the parts of an entry, they are read as they were meant.
func TestReadEntry(t *testing.T) {
	t.Parallel()
	stdio := entry{Command: "/bin/nexus", Args: []string{"mcp", "--profile", "core"}, Env: map[string]string{apiKeyVariable: "nxs_1"}, Headers: map[string]string{}}
	web := entry{URL: "http://h/mcp", Headers: map[string]string{"Authorization": "Bearer nxs_1"}, Env: map[string]string{}}
	for _, h := range hosts {
		for _, want := range []entry{stdio, web} {
			text, err := h.format.put(nil, []string{"a", "b"}, h.fields(want), nil)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := h.format.parse(text)
			if err != nil {
				t.Fatal(err)
			}
			fields, _ := lookUp(doc, []string{"a", "b"}).(map[string]any)
			got, ok := readEntry(fields)
			if diff := cmp.Diff(want, got); diff != "" || !ok || got.key() != "nxs_1" {
				t.Errorf("%s (-want +got):\n%s", h.id, diff)
			}
		}
	}
}

// A server that says nothing is given up, and that is a status of its own.
func TestCheckTimeout(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = checkEntry(ctx, hosts[0], entry{Command: sleep, Args: []string{"600"}})
	if exitStatus(err) != exitTimedOut || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("it ended with %v", err)
	}
}

// A file that somebody else changes meanwhile is theirs.
func TestHostFileChanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := writeNew(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine, err := readHostFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (hostFile{path: path, real: path, text: []byte("{}"), mode: 0o600, exists: true}).write([]byte(`{"a":1}`), false, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := mine.write([]byte(`{"b":1}`), false, time.Now()); exitStatus(err) != 4 {
		t.Errorf("it was written over: %v", err)
	}
	after, err := readHostFile(path)
	if err != nil || string(after.text) != `{"a":1}` {
		t.Errorf("the file is %s, %v", after.text, err)
	}
	left, err := filepath.Glob(path + "*")
	if err != nil || len(left) != 2 {
		t.Errorf("there are %v, want the file and one backup", left)
	}
}

// What tells everybody how to connect tells nobody the password of the database.
func TestSnippetsHoldNoSecret(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := &app{env: func(name string) (string, bool) { return home, name == "HOME" }}
	cfg, err := loadConfig(map[string]given{"db": {origin: fromFlag, where: "--db", text: "postgres://nexus:hush@db.example.org/nexus"}}, a.env)
	if err != nil {
		t.Fatal(err)
	}
	all, err := a.snippets(cfg)("https://hub.example.org")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(hosts) {
		t.Errorf("%d hosts are told of", len(all))
	}
	for _, s := range all {
		if strings.Contains(s.Snippet, "hush") || s.File != nil && !strings.HasPrefix(*s.File, "~") {
			t.Errorf("%s is told too much: %+v", s.ID, s)
		}
		if !strings.Contains(s.Snippet, serve.KeyPlaceholder) || s.Transport == "http" && !strings.Contains(s.Snippet, "https://hub.example.org/mcp") {
			t.Errorf("%s is told too little: %s", s.ID, s.Snippet)
		}
	}
}
