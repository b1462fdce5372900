package client

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHub answers on the socket of a home.
func fakeHub(t *testing.T, home, instance string, call http.HandlerFunc) HubInfo {
	t.Helper()
	l, err := net.Listen("unix", SocketPath(home))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(HubInfo{Instance: instance})
	})
	mux.HandleFunc("POST /call", call)
	s := &http.Server{Handler: mux}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-ended
	})
	info := HubInfo{PID: 7, Instance: instance, Socket: SocketPath(home), DB: "db-" + instance}
	if err := WriteHubInfo(home, info); err != nil {
		t.Fatal(err)
	}
	return info
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// cuts closes the connection instead of answering.
func cuts(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestHubInfo(t *testing.T) {
	home := t.TempDir()
	if _, err := ReadHubInfo(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	want := HubInfo{
		PID: 42, Instance: "i", Version: "1.2.3", SurfaceRevision: 4, Socket: "/s", DB: "d",
		Addresses: Addresses{MCP: "http://h/mcp", API: "http://h/api/v1", Dashboard: "http://h/"},
	}
	for range 2 { // the second time over the first
		if err := WriteHubInfo(home, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadHubInfo(home)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the home holds %v %v, want one file", entries, err)
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("hub.json has mode %v", info.Mode())
	}
	if err := RemoveHubInfo(home, "another"); err != nil {
		t.Error(err)
	}
	if _, err := ReadHubInfo(home); err != nil {
		t.Errorf("another hub's file was removed: %v", err)
	}
	if err := errors.Join(RemoveHubInfo(home, "i"), RemoveHubInfo(home, "i")); err != nil {
		t.Error(err)
	}
	if _, err := ReadHubInfo(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after removal: %v", err)
	}
}

func TestFindNoHub(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, home string)
	}{
		{"an empty home", func(*testing.T, string) {}},
		{"a broken file", func(t *testing.T, home string) {
			if err := os.WriteFile(filepath.Join(home, "hub.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a hub without a socket", func(t *testing.T, home string) {
			if err := WriteHubInfo(home, HubInfo{Instance: "i"}); err != nil {
				t.Fatal(err)
			}
		}},
		{"a hub that is gone", func(t *testing.T, home string) {
			if err := WriteHubInfo(home, HubInfo{Instance: "i", Socket: SocketPath(home)}); err != nil {
				t.Fatal(err)
			}
		}},
		{"another instance", func(t *testing.T, home string) {
			info := fakeHub(t, home, "new", says("{}"))
			info.Instance = "old"
			if err := WriteHubInfo(home, info); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			tt.prepare(t, home)
			if _, err := Find(t.Context(), home); !errors.Is(err, ErrNoHub) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCall(t *testing.T) {
	tests := []struct {
		name string
		call http.HandlerFunc
		want CallAnswer
		err  error
	}{
		{"an answer", says(`{"code":"","is_error":false,"body":{"a":1}}`), CallAnswer{Body: json.RawMessage(`{"a":1}`)}, nil},
		{"a failure", says(`{"code":"CONFLICT","is_error":true,"body":{}}`), CallAnswer{Code: "CONFLICT", IsError: true, Body: json.RawMessage(`{}`)}, nil},
		{"draining", says(`{"draining":true}`), CallAnswer{}, ErrDraining},
		{"a cut before the answer", cuts, CallAnswer{}, ErrGone},
		{"a cut in the answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"code":"`))
		}, CallAnswer{}, ErrGone},
		{"not a hub", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, CallAnswer{}, ErrGone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			fakeHub(t, home, "i", tt.call)
			hub, err := Find(t.Context(), home)
			if err != nil {
				t.Fatal(err)
			}
			defer hub.Close()
			got, err := hub.Call(t.Context(), CallRequest{Op: "x", Arguments: json.RawMessage(`{}`)})
			if !errors.Is(err, tt.err) {
				t.Errorf("got error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("why")
			cancel(why)
			if _, err := hub.Call(ctx, CallRequest{Op: "x"}); !errors.Is(err, why) {
				t.Errorf("a cancelled call: got %v", err)
			}
		})
	}
}
