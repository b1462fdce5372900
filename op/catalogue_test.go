package op_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus/bus"
	"nexus/hub"
	"nexus/op"
	"nexus/topic"
)

var update = flag.Bool("update", false, "write the golden files anew")

func catalogue(t testing.TB) *op.Catalogue {
	t.Helper()
	topics := topic.New(topic.Config{Settings: topic.DefaultSettings()})
	c, err := op.NewCatalogue(slices.Concat(op.BusOps(bus.New(bus.Config{})), op.TopicOps(topics), op.HubOps(hub.New(hub.Config{})))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The golden file holds the whole catalogue, so that every change of it is a
// visible diff. How the faces show it is held beside cmd/nexus.
func TestCatalogueGolden(t *testing.T) {
	c := catalogue(t)
	var b bytes.Buffer
	for _, profile := range op.Profiles() {
		fmt.Fprintf(&b, "profile %s: %d tools\n", profile, len(c.Tools(profile)))
	}
	for _, o := range c.On(op.AllFaces) {
		input, _ := json.MarshalIndent(o.Input(), "", "  ")
		fmt.Fprintf(&b, "\n## %s (%s, %s)\nfaces:%s route: %s wait: %s secret: %v core: %v\n%s\n%s\n",
			o.Name, o.Effect, o.Family, faces(o), o.Route, o.Wait, o.Secret, o.Core, o.Doc, input)
	}
	golden := filepath.Join("testdata", "catalogue.golden")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the catalogue changed; if that is meant, run go test ./op -update (-want +got):\n%s", diff)
	}
}

func faces(o *op.Op) (s string) {
	for _, f := range []struct {
		face op.Faces
		name string
	}{{op.MCP, "mcp"}, {op.REST, "rest"}, {op.RPC, "rpc"}, {op.CLI, "cli"}} {
		if o.Shows(f.face) {
			s += " " + f.name
		}
	}
	return s
}
