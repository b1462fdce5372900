package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/serve"
	"nexus/store/storetest"
)

// A wiredTeam is a team whose hub listens.
type wiredTeam struct {
	*team
	addr string
}

// startTeam makes a hub on SQLite listen. Its times may be changed by prepare,
// which may be nil.
func startTeam(t *testing.T, opts serve.Options, prepare func(*serve.Server)) *wiredTeam {
	t.Helper()
	m := newTeam(t, storetest.SQLite(t).Open(t), opts)
	if prepare != nil {
		prepare(m.Server)
	}
	return m.listen()
}

// listen puts the hub on a real listener, until the test ends.
func (m *team) listen() *wiredTeam {
	m.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Serve(ctx, l) }()
	m.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			m.t.Errorf("serve: %v", err)
		}
	})
	return &wiredTeam{m, l.Addr().String()}
}

// A client has a key and connections of its own.
type wireClient struct {
	t    testing.TB
	addr string
	key  string
	http *http.Client
}

func (m *wiredTeam) client(key string) *wireClient {
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	m.t.Cleanup(transport.CloseIdleConnections)
	return &wireClient{m.t, m.addr, key, &http.Client{Transport: transport}}
}

// A reply is what a client was told.
type reply struct {
	status  int
	after   string // Retry-After
	data    map[string]any
	code    nexus.Code
	details map[string]any
}

// call sends JSON and reads an envelope. It may be used by several goroutines:
// what goes wrong on the way is an error of the test, and a reply of nothing.
func (c *wireClient) call(method, path, body string) (got reply) {
	return c.send(context.Background(), method, path, strings.NewReader(body))
}

func (c *wireClient) send(ctx context.Context, method, path string, body io.Reader) (got reply) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.addr+path, body)
	if err != nil {
		c.t.Error(err)
		return got
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", c.key)
	resp, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			c.t.Errorf("%s %s: %v", method, path, err)
		}
		return got
	}
	defer func() { _ = resp.Body.Close() }()
	var said struct {
		Data  map[string]any
		Error struct {
			Code    nexus.Code
			Details map[string]any
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil && ctx.Err() == nil {
		c.t.Errorf("%s %s: %d, %v", method, path, resp.StatusCode, err)
	}
	return reply{resp.StatusCode, resp.Header.Get("Retry-After"), said.Data, said.Error.Code, said.Error.Details}
}

// follow opens a stream. What it has in its header are names and values.
func (m *wiredTeam) follow(query string, headers ...string) *follower {
	m.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.addr+"/api/v1/stream?"+query, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{}
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	f := &follower{t: m.t, resp: resp, in: bufio.NewReader(resp.Body), close: sync.OnceFunc(func() {
		cancel()
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
	})}
	m.t.Cleanup(f.close)
	return f
}

// heard reads a stream until an event whose data has the text.
func (f *follower) heard(text string) {
	f.t.Helper()
	for !strings.Contains(f.frame().data, text) {
	}
}

// dial opens a connection and sends the beginning of something.
func (m *wiredTeam) dial(text string) net.Conn {
	m.t.Helper()
	c, err := net.Dial("tcp", m.addr)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		m.t.Fatal(err)
	}
	return c
}

// gauge is a figure of the metrics page, asked for past all connections.
func (m *wiredTeam) gauge(name string) (n int) {
	m.t.Helper()
	page := ask(m.t, m.Server, http.MethodGet, "/metrics", "", "X-Api-Key", operatorKey).Body.String()
	_, rest, _ := strings.Cut(page, "\n"+name+" ")
	digits, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(digits)
	if err != nil {
		m.t.Fatalf("%s is %q", name, digits)
	}
	return n
}

// await looks until something is so, and fails if it never is.
func (m *wiredTeam) await(what string, isSo func() bool) {
	m.t.Helper()
	for end := time.Now().Add(time.Minute); !isSo(); {
		if time.Now().After(end) {
			m.t.Fatalf("it never came about that %s", what)
		}
	}
}
