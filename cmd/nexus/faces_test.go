package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus/bus"
	"nexus/op"
	"nexus/serve"
)

// The golden files hold the whole catalogue as each face shows it, so that a
// change that a client could notice is a visible diff.
func TestFacesGolden(t *testing.T) {
	ops, err := catalogue(bus.New(bus.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, profile := range op.Profiles() {
		golden(t, "mcp-"+profile+".json", toolsList(t, ops, profile))
	}
	golden(t, "openapi.json", openAPI(t, ops))
	var list bytes.Buffer
	a := &app{stdout: &list, stderr: &list, env: func(string) (string, bool) { return "", false }}
	if err := a.listOperations(ops); err != nil {
		t.Fatal(err)
	}
	golden(t, "cli-list.json", list.Bytes())
	var help bytes.Buffer
	a.stdout = &help
	for _, o := range ops.On(op.CLI) {
		a.printOperation(o)
		help.WriteString("\n")
	}
	golden(t, "cli-help.txt", help.Bytes())
}

// toolsList is what a client gets when it asks for the tools of a profile.
func toolsList(t *testing.T, ops *op.Catalogue, profile string) []byte {
	t.Helper()
	var out bytes.Buffer
	mcp := serve.NewMCP(ops, serve.Local(slog.New(slog.DiscardHandler)), "golden", slog.New(slog.DiscardHandler))
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	if err := mcp.ServeStdio(t.Context(), in, &out, profile); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openAPI(t *testing.T, ops *op.Catalogue) []byte {
	t.Helper()
	server, err := serve.New(serve.Deps{Catalogue: ops, Version: "golden"}, serve.Options{Addr: loopback{}})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://127.0.0.1/api/v1/openapi.json", nil)
	r.RemoteAddr = "127.0.0.1:1"
	server.Handler().ServeHTTP(w, r)
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// loopback is the address of a hub on this machine.
type loopback struct{}

func (loopback) Network() string { return "tcp" }
func (loopback) String() string  { return "127.0.0.1:8202" }

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if strings.HasSuffix(name, ".json") {
		var b bytes.Buffer
		if err := json.Indent(&b, got, "", "  "); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got = b.Bytes()
	}
	path := filepath.Join("testdata", "faces", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s changed; if that is meant, run go test ./cmd/nexus -run Golden -update (-want +got):\n%s", name, diff)
	}
}
