package serve_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"nexus/serve"
)

// builtDashboard stands for what "make ui" builds.
var builtDashboard = fstest.MapFS{
	"index.html":        {Data: []byte("<!doctype html><title>Nexus</title>")},
	"mark.svg":          {Data: []byte("<svg/>")},
	"theme.js":          {Data: []byte("'theme'")},
	"assets/index-1.js": {Data: []byte(strings.Repeat("'a script';", 500))},
}

const html = "text/html,application/xhtml+xml"

// TestDashboardAddresses: a browser gets the page at every address that is nobody
// else's; a program is told that there is nothing.
func TestDashboardAddresses(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	for _, test := range []struct {
		path, accept string
		status       int
		want         string
	}{
		{"/", "", 200, "<title>"},
		{"/events?type=message.created", html, 200, "<title>"},
		{"/agents/deep/down", html, 200, "<title>"},
		{"/events", "*/*", 404, "NOT_FOUND"},
		{"/api/v1/nonesuch", html, 404, "NOT_FOUND"},
		{"/agent/x", html, 404, "NOT_FOUND"},
		{"/assets/none.js", html, 404, "NOT_FOUND"},
		{"/../etc/passwd", html, 404, "NOT_FOUND"},
		{"/index.html", html, 404, "NOT_FOUND"},
		{"/mark.svg", "", 200, "<svg"},
		{"/favicon.ico", "", 200, "<svg"},
		{"/theme.js", "", 200, "theme"},
		{"/assets/index-1.js", "", 200, "script"},
	} {
		got := ask(t, s, "GET", test.path, "", "Accept", test.accept)
		if got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("GET %s as %q: %d %.80s, want %d %s", test.path, test.accept, got.Code, got.Body, test.status, test.want)
		}
	}
	if got := ask(t, s, "POST", "/events", "{}", "Accept", html); got.Code != 404 {
		t.Errorf("POST to a page: %d, want 404", got.Code)
	}
}

// TestDashboardPolicy: the page may run its own scripts and no others, and talk to
// its own hub only.
func TestDashboardPolicy(t *testing.T) {
	got := ask(t, newHub(t, newToys().deps(t), serve.Options{}), "GET", "/graph", "", "Accept", html)
	policy := got.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy allows too much: %s", policy)
	}
}

// TestDashboardIsPublic: the page itself is no secret; what it shows is.
func TestDashboardIsPublic(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Addr: publicAddr})
	for path, want := range map[string]int{"/": 200, "/events": 200, "/assets/index-1.js": 200, "/theme.js": 200, "/api/v1/me": 401, "/metrics": 401} {
		if got := ask(t, s, "GET", path, "", "Accept", html); got.Code != want {
			t.Errorf("GET %s without a key: %d, want %d", path, got.Code, want)
		}
	}
}

// TestDashboardAssets: they travel compressed, are kept by their names, and not
// sent again.
func TestDashboardAssets(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	const path = "/assets/index-1.js"
	plain := ask(t, s, "GET", path, "")
	small := ask(t, s, "GET", path, "", "Accept-Encoding", "gzip, br")
	if small.Header().Get("Content-Encoding") != "gzip" || small.Body.Len() >= plain.Body.Len() {
		t.Errorf("%d bytes with %q, %d without", small.Body.Len(), small.Header().Get("Content-Encoding"), plain.Body.Len())
	}
	if got := unzip(t, small); !bytes.Equal(got, plain.Body.Bytes()) {
		t.Error("what is compressed is something else")
	}
	if got := plain.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("a file that is named by its content has Cache-Control %q", got)
	}
	page := ask(t, s, "GET", "/", "")
	if got := page.Header().Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the page has Cache-Control %q: a new hub would show an old dashboard", got)
	}
	tag := page.Header().Get("ETag")
	strong, weak := strings.CutPrefix(tag, "W/")
	if !weak {
		t.Errorf("the tag is %s, though there are two kinds of the same file", tag)
	}
	for _, has := range []string{tag, strong, `"old", ` + tag, "*"} {
		if again := ask(t, s, "GET", "/", "", "If-None-Match", has); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("asked for what it has, %s: %d with %d bytes", has, again.Code, again.Body.Len())
		}
	}
	for accepts, want := range map[string]string{"br, gzip;q=0": "", "gzip; q=0.0": "", "x-gzip2": "", "GZIP;q=0.5": "gzip", "br;q=0,gzip": "gzip"} {
		if got := ask(t, s, "GET", path, "", "Accept-Encoding", accepts).Header().Get("Content-Encoding"); got != want {
			t.Errorf("who accepts %q gets %q", accepts, got)
		}
	}
}

func unzip(t *testing.T, r *httptest.ResponseRecorder) []byte {
	t.Helper()
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
