package serve_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"nexus"
	"nexus/serve"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"test","version":"1"}}}`

// TestGuardOnLoopback holds every route, with and without a key, to the same
// rule: who is refused, and who is not.
func TestGuardOnLoopback(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		pass    bool
	}{
		{"no browser", nil, true},
		{"localhost", []string{"Host", "localhost:8202"}, true},
		{"localhost without a port", []string{"Host", "LocalHost"}, true},
		{"all of 127", []string{"Host", "127.1.2.3:8202"}, true},
		{"IPv6", []string{"Host", "[::1]:8202"}, true},
		{"IPv6 without a port", []string{"Host", "[::1]"}, true},
		{"a trusted host", []string{"Host", "nexus.example.org"}, true},
		{"a trusted host with any port", []string{"Host", "Nexus.example.org:443"}, true},
		{"a trusted host with its port", []string{"Host", "proxy.example.org:8443"}, true},
		{"our own page", []string{"Origin", "http://127.0.0.1:8202", "Sec-Fetch-Site", "same-origin"}, true},
		{"our own page as localhost", []string{"Origin", "http://localhost:8202", "Host", "localhost:8202"}, true},
		{"our own page as IPv6", []string{"Origin", "http://[::1]:8202"}, true},
		{"another port of this machine", []string{"Origin", "http://localhost:5173", "Sec-Fetch-Site", "same-site"}, true},
		{"a trusted page", []string{"Origin", "https://nexus.example.org", "Host", "nexus.example.org"}, true},
		{"typed into the address bar", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, true},

		{"a foreign page", []string{"Origin", "https://evil.example.com"}, false},
		{"a page without an origin", []string{"Origin", "null"}, false},
		{"an empty origin", []string{"Origin", ""}, false},
		{"a name that begins like ours", []string{"Origin", "http://localhost.evil.example.com"}, false},
		{"a name that looks like ours", []string{"Origin", "http://127.0.0.1.evil.example.com"}, false},
		{"a user that looks like us", []string{"Origin", "http://127.0.0.1:8202@evil.example.com"}, false},
		{"an extension", []string{"Origin", "chrome-extension://abcdefgh"}, false},
		{"a custom scheme", []string{"Origin", "app://localhost"}, false},
		{"an image on a foreign page", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, false},
		{"a frame on a foreign page", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, false},
		{"a rebound name", []string{"Host", "evil.example.com:8202"}, false},
		{"a rebound name, with its own origin", []string{"Host", "evil.example.com", "Origin", "http://evil.example.com"}, false},
		{"any address", []string{"Host", "0.0.0.0:8202"}, false},
		{"another address", []string{"Host", "192.0.2.1:8202"}, false},
		{"a number", []string{"Host", "2130706433"}, false},
		{"a subdomain of localhost", []string{"Host", "evil.localhost"}, false},
		{"a trusted host with another port", []string{"Host", "proxy.example.org:1"}, false},
		{"no host", []string{"Host", ""}, false},
	}
	routes := []struct{ method, path, body string }{
		{"GET", "/", ""},
		{"GET", "/healthz", ""},
		{"GET", "/metrics", ""},
		{"GET", "/api/v1/info", ""},
		{"GET", "/api/v1/echo/a", ""},
		{"POST", "/api/v1/op/echo", "{}"},
		{"GET", "/nonesuch", ""},
		{"POST", "/mcp", initialize},
		{"POST", "/mcp/", initialize},
	}
	s := newHub(t, newToys().deps(t), serve.Options{TrustedHosts: []string{"nexus.example.org", "proxy.example.org:8443"}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range routes {
				headers := append([]string{"x-api-key", alicesKey, "Accept", "application/json, text/event-stream"}, tt.headers...)
				got := ask(t, s, r.method, r.path, r.body, headers...)
				if passed := got.Code != 403; passed != tt.pass {
					t.Errorf("%s %s: got %d %s, want it to pass: %t", r.method, r.path, got.Code, got.Body, tt.pass)
				}
				if tt.pass && got.Code >= 400 && r.path != "/nonesuch" {
					t.Errorf("%s %s: got %d %s", r.method, r.path, got.Code, got.Body)
				}
				if !tt.pass && code(t, got.Body.Bytes()) != nexus.CrossOriginBlocked {
					t.Errorf("%s %s: %s", r.method, r.path, got.Body)
				}
				if !tt.pass {
					keyless := ask(t, s, r.method, r.path, r.body, tt.headers...)
					if keyless.Code != 403 {
						t.Errorf("%s %s without a key: got %d", r.method, r.path, keyless.Code)
					}
				}
			}
		})
	}
}

// HTTP/1.0 without a Host comes from no browser.
func TestGuardWithoutHost(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	for headers, want := range map[string]int{
		"":                                     200,
		"Host: 127.0.0.1:8202\r\n":             200,
		"Host: evil.example.com\r\n":           403,
		"Origin: https://evil.example.com\r\n": 403,
		"Origin: http://127.0.0.1:8202\r\n":    403,
		"Sec-Fetch-Site: same-origin\r\n":      403,
	} {
		for _, path := range []string{"/healthz", "/api/v1/echo/a"} {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + path + " HTTP/1.0\r\n" + headers + "\r\n")))
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr = "127.0.0.1:50000"
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s with %q: got %d %s, want %d", path, headers, w.Code, w.Body, want)
			}
		}
	}
}

func TestGuardLetsLinksOpenThePage(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Accept", "text/html"}
	for path, want := range map[string]int{"/": 200, "/events?see=agent:a": 200, "/api/v1/docs": 200, "/api/v1/info": 403, "/api/v1/echo/a": 403, "/mcp": 403, "/metrics": 403} {
		if got := ask(t, s, "GET", path, "", link...); got.Code != want {
			t.Errorf("a link to %s: got %d, want %d", path, got.Code, want)
		}
	}
	if got := ask(t, s, "POST", "/", "", link...); got.Code != 403 {
		t.Errorf("a foreign form: got %d", got.Code)
	}
}

func TestGuardOnPublicAddress(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Addr: publicAddr, TrustedHosts: []string{"nexus.example.org"}})
	tests := []struct {
		name    string
		method  string
		headers []string
		want    int
	}{
		{"no browser", "POST", nil, 200},
		{"a page of ours", "POST", []string{"Origin", "http://hub.example.net"}, 200},
		{"a trusted page", "POST", []string{"Origin", "https://nexus.example.org", "Sec-Fetch-Site", "cross-site"}, 200},
		{"a foreign page", "POST", []string{"Origin", "https://evil.example.com"}, 403},
		{"a foreign form", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a foreign page that reads", "GET", []string{"Origin", "https://evil.example.com"}, 200},
		{"a WebSocket of ours", "GET", []string{"Origin", "http://hub.example.net", "Upgrade", "websocket"}, 200},
		{"a WebSocket of a foreign page", "GET", []string{"Origin", "https://evil.example.com", "Upgrade", "WebSocket"}, 403},
		{"a WebSocket of another port", "GET", []string{"Origin", "http://hub.example.net:8080", "Upgrade", "websocket"}, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := "/api/v1/op/echo"
			if tt.method == "GET" {
				path = "/api/v1/echo/a"
			}
			headers := append([]string{"Host", "hub.example.net", "From", "198.51.100.7:4711", "x-api-key", alicesKey}, tt.headers...)
			if got := ask(t, s, tt.method, path, "", headers...); got.Code != tt.want {
				t.Errorf("got %d %s, want %d", got.Code, got.Body, tt.want)
			}
		})
	}
}

func TestTrustedHostsAreChecked(t *testing.T) {
	_, err := serve.New(newToys().deps(t), serve.Options{Addr: loopbackAddr, TrustedHosts: []string{"https://x/y"}})
	if nexus.CodeOf(err) != nexus.ConfigError || !strings.Contains(err.Error(), "https://x/y") {
		t.Errorf("got %v", err)
	}
}

// A clocked answer remembers the deadlines for reading.
type clocked struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (c *clocked) SetReadDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return nil
}

// TestBodyDeadline: a body must arrive in time, and the time does not run on
// once it has.
func TestBodyDeadline(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	for _, size := range []int64{2, -1} {
		r := httptest.NewRequest("POST", "/api/v1/op/echo", iotest.OneByteReader(strings.NewReader("{}")))
		r.Host, r.RemoteAddr, r.ContentLength = "localhost", "127.0.0.1:50000", size
		r.Header.Set("Content-Type", "application/json")
		w := &clocked{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(w, r)
		if n := len(w.deadlines); w.Code != 200 || n != 2 || w.deadlines[0].IsZero() || !w.deadlines[1].IsZero() {
			t.Errorf("size %d: %d, deadlines %v, want one and then none", size, w.Code, w.deadlines)
		}
	}
}
