package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"nexus/serve"
	"nexus/store/storetest"
)

// dial opens the stream as a WebSocket. The headers are names and values.
func (h *logHub) dial(t testing.TB, query string, headers ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		o.HTTPHeader.Set(headers[i], headers[i+1])
	}
	o.Host = o.HTTPHeader.Get("Host")
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(h.url, "http")+"/api/v1/stream?"+query, o)
	if err == nil {
		conn.SetReadLimit(1 << 20)
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, resp, err
}

func hear(t testing.TB, conn *websocket.Conn) string {
	t.Helper()
	kind, b, err := conn.Read(t.Context())
	if err != nil || kind != websocket.MessageText {
		t.Fatalf("read the socket: %v %v", kind, err)
	}
	return string(b)
}

func TestStreamSocket(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	addMany(t, h.db, 20)
	prune(t, h.db, 10)
	conn, _, err := h.dial(t, "last_event_id=4")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hear(t, conn), `{"id":10,"event":"gap","data":{"after":4,"resumes_at":11,"reason":"retention"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello?")); err != nil { // is ignored
		t.Fatal(err)
	}
	addMany(t, h.db, 1)
	for id := 11; id <= 21; id++ {
		want := fmt.Sprintf(`{"id":%d,"event":"nexus","data":{"event_id":%d,"workspace_id":null,"stream":"system","type":"note",`+
			`"created_at":"2026-01-02T03:04:05.000006Z","actor_agent_id":null,"payload":null,"trace_id":null,"visibility":"public","target":null}}`, id, id)
		if got := hear(t, conn); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	go h.stop()
	_, _, err = conn.Read(t.Context())
	if got := websocket.CloseStatus(err); got != websocket.StatusGoingAway {
		t.Errorf("the socket was closed with %v, %v", got, err)
	}
}

func TestStreamSocketPing(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	serve.HurryStreams(h.Server, 5*time.Millisecond, 10*time.Millisecond, time.Minute)
	addMany(t, h.db, 1)
	conn, _, err := h.dial(t, "from=end")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hear(t, conn), `{"id":1,"event":"ping"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStreamSocketChatter(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	conn, _, err := h.dial(t, "")
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Write(t.Context(), websocket.MessageText, make([]byte, 64<<10))
	_, _, err = conn.Read(t.Context())
	if got := websocket.CloseStatus(err); got != websocket.StatusMessageTooBig {
		t.Errorf("the socket was closed with %v, %v", got, err)
	}
}

func TestStreamSocketRefusals(t *testing.T) {
	here := startLogHub(t, storetest.SQLite(t), serve.Options{})
	public := startLogHub(t, storetest.SQLite(t), serve.Options{Addr: publicAddr, TrustedHosts: []string{"hub.example"}})
	withKey := []string{"Authorization", "Bearer " + operatorKey}
	tests := []struct {
		name    string
		hub     *logHub
		query   string
		headers []string
		want    int // 0 for success
	}{
		{"a program on this machine", here, "", nil, 0},
		{"a page of this machine", here, "", []string{"Origin", "http://localhost:5173"}, 0},
		{"a foreign page on a loopback hub", here, "", []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"a foreign name for a loopback hub", here, "", []string{"Host", "evil.example"}, http.StatusForbidden},
		{"a wrong query", here, "stream=x", nil, http.StatusUnprocessableEntity},
		{"nobody on a public hub", public, "", nil, http.StatusUnauthorized},
		{"a key in the query", public, "api_key=" + operatorKey, nil, 0},
		{"a foreign page on a public hub", public, "", append(withKey, "Origin", "https://evil.example", "Host", "hub.example"), http.StatusForbidden},
		{"a page without an origin", public, "", append(withKey, "Origin", "null"), http.StatusForbidden},
		{"a page of another site", public, "", append(withKey, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"a page of the public hub", public, "", append(withKey, "Origin", "https://hub.example", "Host", "hub.example"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, resp, err := tt.hub.dial(t, tt.query, tt.headers...)
			switch {
			case tt.want == 0 && err != nil:
				t.Errorf("it was refused: %v", err)
			case tt.want != 0 && (err == nil || resp == nil || resp.StatusCode != tt.want):
				t.Errorf("got %v, want status %d", err, tt.want)
			}
			if err == nil {
				_ = conn.Close(websocket.StatusNormalClosure, "")
			}
		})
	}
}

// A socket that nobody reads from is closed, and holds nothing.
func TestStreamSocketSlowReader(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	serve.HurryStreams(h.Server, time.Second, time.Minute, time.Second)
	conn, _, err := h.dial(t, "")
	if err != nil {
		t.Fatal(err)
	}
	h.flood(t)
	for {
		if _, _, err := conn.Read(t.Context()); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			return // dropped
		}
	}
}
