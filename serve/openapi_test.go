package serve_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus/op"
	"nexus/serve"
)

func TestOpenAPI(t *testing.T) {
	description := func() []byte {
		s := newHub(t, newToys().deps(t), serve.Options{})
		return ask(t, s, "GET", "/api/v1/openapi.json", "").Body.Bytes()
	}
	raw := description()
	if !bytes.Equal(raw, description()) {
		t.Error("two hubs describe the same catalogue differently")
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	golden := filepath.Join("testdata", "openapi.json")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(golden, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("the description changed (-want +got, -update accepts it):\n%s", diff)
	}
}

// TestOpenAPIIsWhole: every operation and route of REST is described, under one
// name each, and nothing that is not there.
func TestOpenAPIIsWhole(t *testing.T) {
	y := newToys()
	y.finish <- struct{}{} // for the one operation that would not end
	s := newHub(t, y.deps(t), serve.Options{})
	var d struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	if err := json.Unmarshal(ask(t, s, "GET", "/api/v1/openapi.json", "").Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, item := range d.Paths {
		for method, o := range item {
			if seen[o.OperationID] {
				t.Errorf("%s names two things", o.OperationID)
			}
			seen[o.OperationID] = true
			target := strings.NewReplacer("{text}", "x", "{agent_id}", "x", "{workspace_id}", "w", "{artifact_id}", "x").Replace(path)
			if got := ask(t, s, strings.ToUpper(method), target, ""); got.Code == 404 || got.Code == 405 {
				t.Errorf("%s %s is described but not there: %d", method, path, got.Code)
			}
		}
	}
	for _, o := range y.catalogue(t).On(op.REST) {
		if !seen[o.Name] || o.Route != "" && !seen[o.Name+"_route"] {
			t.Errorf("%s is not described", o.Name)
		}
	}
	if seen["hidden"] {
		t.Error("an operation that is not on REST is described")
	}
}

func TestBadRoutes(t *testing.T) {
	y := newToys()
	tests := []struct{ name, route, other string }{
		{"no method", "/x", ""},
		{"not an argument", "GET /x/{nonesuch}", ""},
		{"two at one place", "GET /x", "GET /x"},
		{"nonsense", "GET x{", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ops := []*op.Op{op.Define(op.Info{Name: "a", Family: op.Bus, Route: tt.route}, y.fail)}
			if tt.other != "" {
				ops = append(ops, op.Define(op.Info{Name: "b", Family: op.Bus, Route: tt.other}, y.fail))
			}
			d := y.deps(t)
			var err error
			if d.Catalogue, err = op.NewCatalogue(ops...); err != nil {
				t.Fatal(err)
			}
			if _, err := serve.New(d, serve.Options{Addr: loopbackAddr}); err == nil {
				t.Errorf("the hub takes the route %q", tt.route)
			}
		})
	}
}
