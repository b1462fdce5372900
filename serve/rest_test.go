package serve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"nexus"
	"nexus/serve"
)

func TestRoutes(t *testing.T) {
	y := newToys()
	s := newHub(t, y.deps(t), serve.Options{})
	tests := []struct {
		name           string
		method, target string
		body           string
		status         int
		want           string // part of the answer
	}{
		{"alive", "GET", "/healthz", "", 200, `{"ok":true,"data":{"status":"alive"}}`},
		{"ready", "GET", "/readyz", "", 200, `"status":"ready"`},
		{"info", "GET", "/api/v1/info", "", 200, `{"ok":true,"data":{"default_workspace_id":null,"package_version":"1.2.3","schema_version":7,"service":"nexus","trust_mode":"open"}}`},
		{"license", "GET", "/api/v1/license", "", 200, "You may.\n"},
		{"page", "GET", "/", "", 200, `<title>Nexus</title>`},
		{"icon", "GET", "/favicon.ico", "", 200, "<svg"},
		{"description", "GET", "/api/v1/openapi.json", "", 200, `"openapi":"3.1.0"`},

		{"an operation", "POST", "/api/v1/op/echo", `{"text":"a<b","number":"3"}`, 200, `{"ok":true,"data":{"text":"a<b","number":3}}`},
		{"no body is no arguments", "POST", "/api/v1/op/echo", "", 200, `{"ok":true,"data":{}}`},
		{"topics have the same envelope here", "POST", "/api/v1/op/topic_echo", `{"text":"a"}`, 200, `{"ok":true,"data":{"text":"a"}}`},
		{"and the same errors", "POST", "/api/v1/op/topic_fail", `{"code":"NOT_FOUND"}`, 404, `{"ok":false,"error":{"code":"NOT_FOUND","message":"It failed as asked.","details":{"asked":"NOT_FOUND"}}}`},
		{"an unknown operation", "POST", "/api/v1/op/ecko", "", 404, `Did you mean \"echo\"?`},
		{"one that is not on REST", "POST", "/api/v1/op/hidden", "", 404, "NOT_FOUND"},
		{"an unknown argument", "POST", "/api/v1/op/echo", `{"txt":"a"}`, 422, `Did you mean \"text\"?`},

		{"the path is an argument", "GET", "/api/v1/echo/a%2Fb%20c", "", 200, `"text":"a/b c"`},
		{"so is the query", "GET", "/api/v1/echo/a?number=3&tags=x&tags=y", "", 200, `{"text":"a","number":3,"tags":["x","y"]}`},
		{"one tag is one tag", "GET", "/api/v1/echo/a?tags=x", "", 200, `"tags":["x"]`},
		{"the path outranks the query", "GET", "/api/v1/echo/a?text=b", "", 200, `"text":"a"`},
		{"the body outranks the query, the path the body", "GET", "/api/v1/echo/a?number=3", `{"text":"b","number":4}`, 200, `{"text":"a","number":4}`},
		{"the key is no argument", "GET", "/api/v1/echo/a?api_key=" + alicesKey, "", 200, `{"text":"a"}`},
		{"an unknown query", "GET", "/api/v1/echo/a?x=1", "", 422, "Unknown argument"},
		{"a malformed query", "GET", "/api/v1/echo/a?x=%zz", "", 422, "malformed"},
		{"bytes in the query", "GET", "/api/v1/echo/a?tags=%ff", "", 422, "UTF-8"},
		{"bytes in the path", "GET", "/api/v1/echo/%ff", "", 422, "UTF-8"},
		{"a body that is no object", "GET", "/api/v1/echo/a", `[1]`, 422, "JSON object"},
		{"a route with a body only", "POST", "/api/v1/agents", `{"agent_id":"bob"}`, 200, `"agent_id":"bob"`},

		{"nothing in the API", "GET", "/api/v1/nonesuch", "", 404, "NOT_FOUND"},
		{"nothing at all", "GET", "/nonesuch", "", 404, "NOT_FOUND"},
		{"nothing under MCP", "GET", "/mcp/x?api_key=" + alicesKey, "", 404, "NOT_FOUND"},
		{"no detours", "GET", "/api/v1/../v1/info", "", 404, "NOT_FOUND"},
		{"no double slashes", "GET", "//healthz", "", 404, "NOT_FOUND"},
		{"no trailing slash", "GET", "/healthz/", "", 404, "NOT_FOUND"},
		{"the wrong method", "GET", "/api/v1/op/echo", "", 405, "takes POST, not GET"},
		{"the wrong method for a route", "DELETE", "/api/v1/agents", "", 405, "takes POST"},
		{"OPTIONS of nothing", "OPTIONS", "/api/v1/nonesuch", "", 404, "NOT_FOUND"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, s, tt.method, tt.target, tt.body)
			if got.Code != tt.status || !strings.Contains(got.Body.String(), tt.want) {
				t.Errorf("got %d %s, want %d and %s", got.Code, got.Body, tt.status, tt.want)
			}
			if got.Code == http.StatusMethodNotAllowed && got.Header().Get("Allow") == "" {
				t.Error("there is no Allow header")
			}
			if got.Code >= 400 {
				code(t, got.Body.Bytes())
			}
			for name := range got.Header() {
				if strings.HasPrefix(name, "Access-Control-") || name == "Location" {
					t.Errorf("the answer has %s", name)
				}
			}
			if got.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(got.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("the answer lacks safe headers: %v", got.Header())
			}
		})
	}
}

// OPTIONS tells anybody what a route takes, and foreign pages nothing.
func TestOptions(t *testing.T) {
	for _, addr := range []*net.TCPAddr{loopbackAddr, publicAddr} {
		s := newHub(t, newToys().deps(t), serve.Options{Addr: addr})
		for path, want := range map[string]string{
			"/": "GET, HEAD, OPTIONS", "/healthz": "GET, HEAD, OPTIONS", "/api/v1/op/echo": "POST, OPTIONS", "/api/v1/echo/a": "GET, HEAD, OPTIONS",
			"/mcp": "DELETE, GET, POST, OPTIONS", "/mcp/": "DELETE, GET, POST, OPTIONS",
		} {
			got := ask(t, s, "OPTIONS", path, "")
			if got.Code != http.StatusNoContent || got.Header().Get("Allow") != want || got.Body.Len() > 0 {
				t.Errorf("%s on %s: got %d %v %s, want that it takes %s", path, addr, got.Code, got.Header(), got.Body, want)
			}
			foreign := ask(t, s, "OPTIONS", path, "", "Origin", "https://evil.example.com", "Access-Control-Request-Method", "POST")
			if addr == loopbackAddr && foreign.Code != http.StatusForbidden || foreign.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s on %s for a foreign page: got %d %v", path, addr, foreign.Code, foreign.Header())
			}
		}
	}
}

func TestBodies(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{MaxBody: 1000})
	tests := []struct {
		name        string
		contentType string
		body        string
		status      int
		code        nexus.Code
	}{
		{"plain", "application/json", `{}`, 200, ""},
		{"with a charset", "application/json; charset=utf-8", `{}`, 200, ""},
		{"a kind of JSON", "application/merge-patch+json", `{}`, 200, ""},
		{"null", "application/json", `null`, 200, ""},
		{"text", "text/plain", `{}`, 415, nexus.ValidationError},
		{"a form", "application/x-www-form-urlencoded", `{}`, 415, nexus.ValidationError},
		{"no type", "", `{}`, 415, nexus.ValidationError},
		{"an empty body of any type", "text/plain", ``, 200, ""},
		{"half of it", "application/json", `{`, 422, nexus.ValidationError},
		{"two of them", "application/json", `{}{}`, 422, nexus.ValidationError},
		{"not UTF-8", "application/json", "{\"text\":\"\xff\"}", 422, nexus.ValidationError},
		{"half a pair", "application/json", `{"text":"\ud800"}`, 422, nexus.ValidationError},
		{"not an object", "application/json", `[]`, 422, nexus.ValidationError},
		{"deep", "application/json", `{"data":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, 200, ""},
		{"too deep", "application/json", `{"data":` + strings.Repeat("[", 201) + strings.Repeat("]", 201) + `}`, 422, nexus.ValidationError},
		{"just short enough", "application/json", `{"text":"` + strings.Repeat("x", 989) + `"}`, 200, ""},
		{"too long", "application/json", `{"text":"` + strings.Repeat("x", 990) + `"}`, 413, nexus.ContentTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, s, "POST", "/api/v1/op/echo", tt.body, "Content-Type", tt.contentType)
			if got.Code != tt.status || code(t, got.Body.Bytes()) != tt.code {
				t.Errorf("got %d %s, want %d %s", got.Code, got.Body, tt.status, tt.code)
			}
		})
	}
}

// TestLongBodyOnTheWire: a client that sends more than is wanted is told so, also
// when it has not listened before it was done.
func TestLongBodyOnTheWire(t *testing.T) {
	h := run(t, serve.Options{MaxBody: 4 << 20})
	text := func(size int) string { return `{"text":"` + strings.Repeat("x", size) + `"}` }
	tests := []struct {
		name    string
		path    string
		body    string
		headers []string
		want    int
	}{
		{"not too long", "/api/v1/op/echo", text(3 << 20), nil, 200},
		{"too long", "/api/v1/op/echo", text(16 << 20), nil, 413},
		{"too long for a route", "/api/v1/agents", text(16 << 20), nil, 413},
		{"too long for MCP", "/mcp", text(16 << 20), []string{"x-api-key", alicesKey}, 413},
		{"just too long", "/api/v1/op/echo", text(4 << 20), nil, 413},
		{"for nobody", "/nonesuch", text(16 << 20), nil, 404},
		{"with a wrong key", "/api/v1/op/echo", text(16 << 20), []string{"x-api-key", unknownKey}, 401},
		{"from a foreign page", "/api/v1/op/echo", text(1 << 20), []string{"Origin", "https://evil.example.com"}, 403},
	}
	for _, closes := range []bool{false, true} {
		for _, chunked := range []bool{false, true} {
			for _, tt := range tests {
				t.Run(fmt.Sprintf("%s, closes %t, chunked %t", tt.name, closes, chunked), func(t *testing.T) {
					var body io.Reader = strings.NewReader(tt.body)
					if chunked {
						body = io.MultiReader(body) // of which nobody knows the length
					}
					r, err := http.NewRequest("POST", h.url+tt.path, body)
					if err != nil {
						t.Fatal(err)
					}
					r.Close = closes
					r.Header.Set("Content-Type", "application/json")
					for i := 0; i < len(tt.headers); i += 2 {
						r.Header.Set(tt.headers[i], tt.headers[i+1])
					}
					resp, err := h.client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					defer resp.Body.Close()
					if resp.StatusCode != tt.want {
						t.Errorf("got %s, want %d", resp.Status, tt.want)
					}
				})
			}
		}
	}
}

// A client that reads nothing before it has sent all is told, too.
func TestHugeBodyIsAnswered(t *testing.T) {
	h := run(t, serve.Options{MaxBody: 1 << 20})
	const size = 32 << 20
	for _, path := range []string{"/api/v1/op/echo", "/mcp"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, alicesKey, size)
		if _, err := io.CopyN(conn, zeros{}, size); err != nil {
			t.Fatalf("%s: the hub hung up: %v", path, err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: no answer: %v", path, err)
		}
		resp.Body.Close()
		if resp.StatusCode != 413 {
			t.Errorf("%s: got %s", path, resp.Status)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestHead(t *testing.T) {
	h := run(t, serve.Options{})
	for _, path := range []string{"/", "/healthz", "/api/v1/info", "/api/v1/echo/a", "/metrics"} {
		resp, err := h.client.Head(h.url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("HEAD %s: %s", path, resp.Status)
		}
	}
}

func TestReadiness(t *testing.T) {
	y := newToys()
	s := newHub(t, y.deps(t), serve.Options{})
	y.ready = nexus.Errorf(nexus.Internal, "secret: the disk is gone")
	got := ask(t, s, "GET", "/readyz", "")
	if got.Code != 503 || code(t, got.Body.Bytes()) != nexus.DBError || strings.Contains(got.Body.String(), "secret") {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
	if got := ask(t, s, "GET", "/healthz", ""); got.Code != 200 {
		t.Errorf("the process is not alive: %d", got.Code)
	}
}

// FuzzRESTBody: whatever arrives is the caller's fault or is answered, in JSON.
func FuzzRESTBody(f *testing.F) {
	for _, seed := range []string{``, `{}`, `null`, `{"text":"a","number":"1"}`, `"{\"text\":\"a\"}"`, `{"data":[[]]}`, "\xef\xbb\xbf{}", `{"number":1e400}`} {
		f.Add([]byte(seed), "a", "number=1&tags=x&tags=y")
	}
	s := newHub(f, newToys().deps(f), serve.Options{})
	f.Fuzz(func(t *testing.T, body []byte, segment, query string) {
		tests := []struct{ method, target string }{
			{"POST", "/api/v1/op/echo?" + query},
			{"GET", "/api/v1/echo/" + segment + "?" + query},
		}
		for _, tt := range tests {
			if _, err := url.ParseRequestURI(tt.target); err != nil || strings.ContainsFunc(tt.target, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Skip("no request line")
			}
			got := ask(t, s, tt.method, tt.target, string(body))
			if got.Code >= 500 {
				t.Errorf("%s %s %q: %d %s", tt.method, tt.target, body, got.Code, got.Body)
			}
			code(t, got.Body.Bytes())
		}
	})
}

func TestNothingInternalLeaks(t *testing.T) {
	y := newToys()
	var logged strings.Builder
	d := y.deps(t)
	d.Log = slog.New(slog.NewTextHandler(&logged, nil))
	s := newHub(t, d, serve.Options{})
	for _, body := range []string{`{"code":"panic"}`, `{"code":"plain"}`} {
		for _, name := range []string{"fail", "topic_fail"} {
			logged.Reset()
			got := ask(t, s, "POST", "/api/v1/op/"+name, body)
			if got.Code != 500 || code(t, got.Body.Bytes()) != nexus.Internal || strings.Contains(got.Body.String(), "secret") {
				t.Errorf("%s %s is answered %d %s", name, body, got.Code, got.Body)
			}
			if n := strings.Count(logged.String(), "secret: "); n != 1 {
				t.Errorf("%s %s: the cause is logged %d times: %s", name, body, n, logged.String())
			}
		}
	}
	logged.Reset()
	if got := ask(t, s, "POST", "/api/v1/op/unwritable", ""); got.Code != 500 || !strings.Contains(logged.String(), "unwritable") {
		t.Errorf("an answer that is no JSON: %d %s, logged %q", got.Code, got.Body, logged.String())
	}
}

func TestLocal(t *testing.T) {
	c := newToys().catalogue(t)
	call := serve.Local(slog.New(slog.DiscardHandler))
	tests := []struct{ name, op, arguments, want string }{
		{"the bus wraps", "echo", `{"text":"a<b"}`, `{"ok":true,"data":{"text":"a<b"}}`},
		{"topics do not", "topic_echo", `{"text":"a"}`, `{"text":"a"}`},
		{"a panic is an answer", "fail", `{"code":"panic"}`, `{"ok":false,"error":{"code":"INTERNAL_ERROR","message":"An unexpected internal error occurred."}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := call(t.Context(), c.Lookup(tt.op), json.RawMessage(tt.arguments)); string(got.Body) != tt.want {
				t.Errorf("got %s, want %s", got.Body, tt.want)
			}
		})
	}
}

type figures map[string]float64

func (f figures) Stats() map[string]float64 { return f }

func TestMetrics(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Gauges: []serve.Gauges{
		figures{"store_size_bytes": 42, "store_commits_total": 7, "bad name": 1},
	}})
	ask(t, s, "POST", "/api/v1/op/echo", `{}`)
	ask(t, s, "POST", "/api/v1/op/fail", `{"code":"CONFLICT"}`)
	got := ask(t, s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`nexus_requests_total{code="OK",face="rest",operation="echo"} 1`,
		`nexus_requests_total{code="CONFLICT",face="rest",operation="fail"} 1`,
		`nexus_request_seconds_count{operation="echo"} 1`,
		"# TYPE nexus_store_size_bytes gauge\nnexus_store_size_bytes 42",
		"# TYPE nexus_store_commits_total counter\nnexus_store_commits_total 7",
		"go_goroutines",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}
