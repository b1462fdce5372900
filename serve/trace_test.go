package serve_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"nexus"
	"nexus/bus"
	"nexus/client"
	"nexus/op"
	"nexus/serve"
	"nexus/store"
	"nexus/store/storetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

// aBus is a hub with the real operations on a real store, with a workspace and
// an agent called ada.
func aBus(t *testing.T, db *store.DB, opts serve.Options) (s *serve.Server, workspace string) {
	t.Helper()
	service := bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: db}, Now: time.Now,
		Settings: bus.Settings{MaxWait: 30 * time.Second, MaxInlineSize: 65536, Presence: time.Hour, MaxEvents: 100},
		NewID:    func(prefix string) string { return prefix + "_" + uuid.Must(uuid.NewV7()).String() },
	})
	ops, err := op.NewCatalogue(op.BusOps(service)...)
	if err != nil {
		t.Fatal(err)
	}
	d := newToys().deps(t)
	d.Catalogue = ops
	s = newHub(t, d, opts)
	if got := ask(t, s, "POST", "/api/v1/op/agent_register", `{"agent_id":"ada"}`); got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if workspace, err = service.DefaultWorkspace(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return s, workspace
}

// traces are the traces of the events after a cursor.
func traces(t *testing.T, db *store.DB, workspace string, after int64) (ids []string, last int64) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		events, err := tx.Events(bus.EventQuery{WorkspaceID: workspace, Stream: nexus.StreamWorkspace, After: after, Limit: 100})
		for _, e := range events {
			ids, last = append(ids, e.Trace), e.ID
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, last
}

func TestTraceReachesEvents(t *testing.T) {
	good := "00-" + traceID + "-" + spanID + "-01"
	meta := `"_meta":{"traceparent":"00-11111111111111111111111111111111-2222222222222222-01"}`
	tests := []struct {
		name, path, body string
		headers          []string
		want             string
	}{
		{"none is made up", "rest", "", nil, ""},
		{"by header", "rest", "", []string{"Traceparent", good}, traceID},
		{"a malformed one is none", "rest", "", []string{"Traceparent", "00-" + traceID + "-01"}, ""},
		{"upper case is malformed", "rest", "", []string{"Traceparent", strings.ToUpper(good)}, ""},
		{"nothing but zeroes is malformed", "rest", "", []string{"Traceparent", "00-" + strings.Repeat("0", 32) + "-" + spanID + "-01"}, ""},
		{"to MCP by header", "mcp", "", []string{"Traceparent", good}, traceID},
		{"to MCP in the message", "mcp", "," + meta, nil, strings.Repeat("1", 32)},
		{"the message outranks the header", "mcp", "," + meta, []string{"Traceparent", good}, strings.Repeat("1", 32)},
		{"through the SDK", "mcp", "," + strings.Replace(meta, "{", `{"progressToken":7,`, 1), nil, strings.Repeat("1", 32)},
		{"a malformed message has none", "mcp", `,"_meta":{"traceparent":17}`, nil, ""},
	}
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		s, workspace := aBus(t, db, serve.Options{})
		arguments := `{"agent_id":"ada","workspace_id":"` + workspace + `"}`
		var last int64
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				var got *httptest.ResponseRecorder
				if tt.path == "rest" {
					got = ask(t, s, "POST", "/api/v1/op/session_open", arguments, tt.headers...)
				} else {
					body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_open","arguments":` + arguments + tt.body + `}}`
					got = ask(t, s, "POST", "/mcp", body, append(tt.headers, "Authorization", "Bearer "+operatorKey, "Accept", "application/json, text/event-stream",
						"Mcp-Protocol-Version", "2025-06-18")...)
				}
				if got.Code != 200 {
					t.Fatalf("%d %s", got.Code, got.Body)
				}
				var ids []string
				if ids, last = traces(t, db, workspace, last); len(slices.Compact(ids)) != 1 || ids[0] != tt.want {
					t.Errorf("the events have the traces %q, want %q: %s", ids, tt.want, got.Body)
				}
			})
		}
	})
}

func TestTraceIsHandedOver(t *testing.T) {
	db := storetest.SQLite(t).Open(t)
	home := t.TempDir()
	l, err := serve.ListenHandover(client.SocketPath(home))
	if err != nil {
		t.Fatal(err)
	}
	s, workspace := aBus(t, db, serve.Options{Instance: "one"})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHandover(ctx, l) }()
	defer func() { stop(); <-ended }()
	if err := client.WriteHubInfo(home, client.HubInfo{Instance: "one", Socket: client.SocketPath(home)}); err != nil {
		t.Fatal(err)
	}
	hub := find(t, home)
	defer hub.Close()
	calling := nexus.WithTrace(t.Context(), nexus.Trace{ID: traceID, Span: spanID})
	a, err := hub.Call(calling, client.CallRequest{Op: "session_open", Arguments: json.RawMessage(`{"agent_id":"ada","workspace_id":"` + workspace + `"}`)})
	if err != nil || a.IsError {
		t.Fatal(a, err)
	}
	if ids, _ := traces(t, db, workspace, 0); len(ids) != 1 || ids[0] != traceID {
		t.Errorf("the events have the traces %q", ids)
	}
}
