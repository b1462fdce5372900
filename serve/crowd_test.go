package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"nexus"
	"nexus/serve"
)

// A client that takes all it can get, on as many connections as it likes, takes
// nothing from the others: they call, wait and follow as if they were alone.
func TestNoisyNeighbour(t *testing.T) {
	const places, share = 8, 6
	m := startTeam(t, serve.Options{MaxWaiters: places, MaxStreams: places}, nil)
	noisy, quiet := m.client(m.agent("noisy")), m.client(m.agent("quiet"))
	over, stop := context.WithCancel(context.Background())
	var making sync.WaitGroup
	defer making.Wait()
	defer stop()

	// It fills its share of what there is only so much of.
	for range share {
		if f := m.follow("from=end", "X-Api-Key", noisy.key); f.resp.StatusCode != http.StatusOK {
			t.Fatalf("a stream within the share was answered %s", f.resp.Status)
		}
		making.Go(func() {
			noisy.send(over, "POST", "/api/v1/op/inbox_wait", strings.NewReader(`{"agent_id":"noisy","timeout_seconds":30}`))
		})
	}
	m.await("its waits are parked", func() bool { return m.gauge("nexus_waiters") == share })

	// It wants more of it, again and again, and everything else too.
	wants := []struct {
		method, path, body string
		limit              string // that it reaches; "" for none
	}{
		{"POST", "/api/v1/op/inbox_wait", `{"agent_id":"noisy","timeout_seconds":30}`, "waiters"},
		{"GET", "/api/v1/stream", "", "streams"},
		{"POST", "/api/v1/op/agent_register", `{"agent_id":"noisy"}`, ""},
		{"POST", "/api/v1/op/inbox_peek", `{"agent_id":"noisy"}`, ""},
	}
	var made [4]atomic.Int64
	for i := range 16 {
		making.Go(func() {
			w := wants[i%len(wants)]
			for over.Err() == nil {
				got := noisy.send(over, w.method, w.path, strings.NewReader(w.body))
				if over.Err() != nil {
					return
				}
				made[i%len(wants)].Add(1)
				if w.limit == "" && got.status != 200 ||
					w.limit != "" && (got.status != 429 || got.code != nexus.RateLimited || got.details["limit"] != w.limit || got.after != "1") {
					t.Errorf("%s of the noisy one: %+v", w.path, got)
					return
				}
			}
		})
	}
	for i := range made {
		m.await("it makes noise", func() bool { return made[i].Load() > 20 || t.Failed() })
	}
	liveQuietly(t, m, quiet, places-share)
	for i := range made {
		before := made[i].Load()
		m.await("the noise went on to the end", func() bool { return made[i].Load() > before || t.Failed() })
	}
}

// liveQuietly does a bit of everything, with so many streams and waits at once.
func liveQuietly(t *testing.T, m *wiredTeam, c *wireClient, places int) {
	t.Helper()
	project := t.TempDir()
	var streams []*follower
	for range places {
		f := m.follow("from=end", "X-Api-Key", c.key)
		if f.resp.StatusCode != http.StatusOK {
			t.Fatalf("a stream of the quiet one was answered %s", f.resp.Status)
		}
		streams = append(streams, f)
	}
	for i := range 20 {
		subject := fmt.Sprintf("mail-%d-", i)
		var waits sync.WaitGroup
		for range places { // each takes one of the messages
			waits.Go(func() {
				got := c.call("POST", "/api/v1/op/inbox_wait", `{"agent_id":"quiet","limit":1,"timeout_seconds":30}`)
				if got.status != 200 || got.data["count"] != 1.0 {
					t.Errorf("a wait of the quiet one: %+v", got)
				}
			})
		}
		for range places {
			got := c.call("POST", "/api/v1/op/message_create", fmt.Sprintf(
				`{"project_root":%q,"from_agent_id":"quiet","subject":%q,"body":"b","target":{"strategy":"direct","agent_id":"quiet"}}`, project, subject))
			if got.status != 200 {
				t.Errorf("a message of the quiet one: %+v", got)
			}
		}
		waits.Wait()
		if got := c.call("POST", "/api/v1/op/inbox_count", `{"agent_id":"quiet"}`); got.data["in_flight"] != float64(places*(i+1)) {
			t.Fatalf("the inbox of the quiet one: %+v", got)
		}
		for _, f := range streams {
			f.heard(subject)
		}
	}
}

// Where rates are set, who goes beyond them is told when to come back, whatever
// it asks for and on however many connections. Nobody else is.
func TestNoisyKey(t *testing.T) {
	const perKey, burst, tries = 5, 10, 60
	var on atomic.Bool
	m := startTeam(t, serve.Options{Rates: func() serve.Rates {
		if on.Load() {
			return serve.Rates{PerKey: perKey}
		}
		return serve.Rates{}
	}}, nil)
	noisy, quiet := m.client(m.agent("noisy")), m.client(m.agent("quiet"))
	on.Store(true)
	var taken, refused atomic.Int64 // the clock of the team stands still: nobody gets a second burst
	paths := []string{"/api/v1/agents", "/api/v1/me", "/api/v1/nothing", "/api/v1/stream"}
	var making sync.WaitGroup
	for i := range tries {
		making.Go(func() {
			got := noisy.call("GET", paths[i%3], "")
			switch {
			case got.status != 429:
				taken.Add(1)
			case got.details["limit"] == "rate_per_key" && got.details["retry_after_seconds"] == 1.0 && got.after == "1":
				refused.Add(1)
			default:
				t.Errorf("refused with %+v", got)
			}
		})
	}
	making.Wait()
	if taken.Load() != burst || refused.Load() != tries-burst {
		t.Errorf("%d requests were taken and %d refused, want %d and %d", taken.Load(), refused.Load(), burst, tries-burst)
	}
	for _, path := range paths {
		if got := noisy.call("GET", path, ""); got.status != 429 || got.after == "" {
			t.Errorf("%s of the noisy one: %+v", path, got)
		}
	}
	for range burst - 1 {
		if got := quiet.call("GET", "/api/v1/agents", ""); got.status != 200 {
			t.Errorf("the quiet one was answered %+v", got)
		}
	}
	if f := m.follow("", "X-Api-Key", quiet.key); f.resp.StatusCode != 200 {
		t.Errorf("a stream of the quiet one was answered %s", f.resp.Status)
	}
}

// A connection too many is told so, and there is room again when one leaves.
func TestMostConnections(t *testing.T) {
	const most = 3
	m := startTeam(t, serve.Options{MaxConnections: most}, nil)
	var open []net.Conn
	for range most {
		c := m.dial("GET /healthz HTTP/1.1\r\nHost: hub\r\n\r\n")
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 {
			t.Fatalf("got %v, %v", resp, err)
		}
		open = append(open, c)
	}
	knock := func(request string) (status int, said string) {
		c := m.dial(request)
		defer func() { _ = c.Close() }()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("one too many was told nothing: %v", err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 503 && (resp.Header.Get("Retry-After") != "1" || !resp.Close) {
			t.Errorf("the header is %v", resp.Header)
		}
		return resp.StatusCode, string(body)
	}
	const short = "GET /healthz HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n"
	for i := range 30 {
		status, said := knock([]string{short, "nonsense"}[i%2])
		if status != 503 || !strings.Contains(said, `"limit":"max_connections"`) || !strings.Contains(said, "All 3 connections") {
			t.Fatalf("one too many was told %d %s", status, said)
		}
	}
	for i := range 200 { // the answer is neither too early for a client nor taken back
		c := m.client(operatorKey)
		got := c.call("POST", "/api/v1/agents", strings.Repeat("x", 1000*i))
		if got.status != 503 || got.code != nexus.RateLimited || got.details["limit"] != "max_connections" || got.after != "1" {
			t.Fatalf("a client too many was told %+v", got)
		}
		c.http.CloseIdleConnections()
	}
	if resp, err := http.ReadResponse(sayAgain(t, open[0]), nil); err != nil || resp.StatusCode != 200 {
		t.Errorf("one that was there before: %v, %v", resp, err)
	}
	_ = open[1].Close()
	m.await("there is room again", func() bool { status, _ := knock(short); return status == 200 })
	m.await("that one left too", func() bool { return m.gauge("nexus_connections") == most-1 })
	if got := m.client(operatorKey).call("GET", "/api/v1/agents", ""); got.status != 200 {
		t.Errorf("got %+v", got)
	}
}

func sayAgain(t *testing.T, c net.Conn) *bufio.Reader {
	t.Helper()
	if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: hub\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(c)
}
