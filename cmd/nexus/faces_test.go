package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"nexus/op"
	"nexus/serve"
)

// The golden files hold the whole catalogue as each face shows it, so that a
// change that a client could notice is a visible diff.
func TestFacesGolden(t *testing.T) {
	ops := defaultOps(t)
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

// The reference in docs is made from the catalogue; this fails when it is stale.
func TestReferenceIsFresh(t *testing.T) {
	ops := defaultOps(t)
	goldenAt(t, filepath.Join("..", "..", "docs", "reference", "operations.md"), reference(ops))
}

// reference describes every operation for people.
func reference(ops *op.Catalogue) []byte {
	var b bytes.Buffer
	b.WriteString("# Operations\n\nMade from the catalogue: `go test ./cmd/nexus -run Reference -update`. Every operation is `nexus call NAME` and, unless it has\n" +
		"a route of its own, `POST /api/v1/op/NAME`; those marked MCP are tools. Writing operations also take `idempotency_key`.\n")
	for _, o := range ops.On(op.AllFaces) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\n", o.Name, o.Doc, oneLineFacts(o))
		if len(o.Arguments()) == 0 {
			continue
		}
		b.WriteString("\n| argument | type | |\n|---|---|---|\n")
		for _, name := range o.Arguments() {
			schema := o.Input().Properties[name]
			need := ""
			if slices.Contains(o.Input().Required, name) {
				need = "**required.** "
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s%s |\n", name, cmp.Or(schema.Type, "any"), need, strings.ReplaceAll(schema.Description, "|", "\\|"))
		}
	}
	return b.Bytes()
}

func oneLineFacts(o *op.Op) string {
	facts := []string{string(o.Effect)}
	if o.Shows(op.MCP) {
		facts = append(facts, "MCP")
	}
	if o.Core {
		facts = append(facts, "in profile core")
	}
	if o.Route != "" {
		facts = append(facts, "`"+o.Route+"` under `/api/v1`")
	}
	if o.Wait != "" {
		facts = append(facts, "waits up to `"+o.Wait+"`")
	}
	return "*" + strings.Join(facts, " · ") + "*"
}

// Whoever reads lists by their next_cursor finds one in each.
func TestListsHaveACursor(t *testing.T) {
	for _, o := range defaultOps(t).On(op.REST) {
		if o.Effect == op.Read && o.Output().Properties["items"] != nil && o.Output().Properties["next_cursor"] == nil {
			t.Errorf("%s has items and no next_cursor", o.Name)
		}
	}
}

// A profile's size in tokens is a quarter of the characters of its tools.
func TestProfileSizes(t *testing.T) {
	ops := defaultOps(t)
	most := map[string]int{op.ProfileCore: 3000, op.ProfileBus: 8000}
	var sizes bytes.Buffer
	for _, profile := range op.Profiles() {
		var list struct {
			Result struct {
				Tools json.RawMessage `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(toolsList(t, ops, profile), &list); err != nil {
			t.Fatal(err)
		}
		tokens := (utf8.RuneCount(list.Result.Tools) + blanks(list.Result.Tools)) / 4
		fmt.Fprintf(&sizes, "profile %s: %d tools, %d tokens\n", profile, len(ops.Tools(profile)), tokens)
		if most[profile] > 0 && tokens >= most[profile] {
			t.Errorf("profile %s has %d tokens; keep it under %d", profile, tokens, most[profile])
		}
	}
	golden(t, "sizes.txt", sizes.Bytes())
}

// blanks is how many more characters a JSON text has where somebody writes it with
// a blank behind every comma and colon.
func blanks(text []byte) (n int) {
	quoted, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == ',' || c == ':':
			n++
		}
	}
	return n
}

// defaultOps is the catalogue of a process that was told nothing.
func defaultOps(t *testing.T) *op.Catalogue {
	t.Helper()
	cfg, err := loadConfig(map[string]given{"home": {origin: fromFlag, where: "--home", text: t.TempDir()}}, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	ops, err := knownOps(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

// toolsList is what a client gets when it asks for the tools of a profile.
func toolsList(t *testing.T, ops *op.Catalogue, profile string) []byte {
	t.Helper()
	var out bytes.Buffer
	mcp := serve.NewMCP(ops, serve.Local(slog.New(slog.DiscardHandler)), nil, "golden", slog.New(slog.DiscardHandler))
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
	goldenAt(t, filepath.Join("testdata", "faces", name), got)
}

func goldenAt(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale; if the change is meant, run go test ./cmd/nexus -run 'Golden|Reference' -update (-want +got):\n%s", path, diff)
	}
}
