package serve_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/serve"
)

// Clients that never finish what they say hold nobody up, and in the end the hub
// hangs up on them.
func TestHalfRequests(t *testing.T) {
	const halfHeaders, halfBodies = 300, 100
	m := startTeam(t, serve.Options{}, func(s *serve.Server) { serve.HurryRequests(s, 3*time.Second, 3*time.Second) })
	var slow []net.Conn
	for range halfHeaders {
		slow = append(slow, m.dial("GET /api/v1/agents HTTP/1.1\r\nHost: hub\r\nX-Api-"))
	}
	for range halfBodies {
		slow = append(slow, m.dial("POST /api/v1/op/agent_register HTTP/1.1\r\nHost: hub\r\nX-Api-Key: "+operatorKey+
			"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"+`{"agent_id":"half`))
	}
	m.await("all are connected", func() bool { return m.gauge("nexus_connections") == len(slow) })
	honest := m.client(operatorKey)
	for i := range 20 {
		if got := honest.call("POST", "/api/v1/op/agent_register", fmt.Sprintf(`{"agent_id":"honest-%d"}`, i)); got.status != 200 {
			t.Errorf("an honest client was answered %+v", got)
		}
	}
	for i, c := range slow {
		said, err := io.ReadAll(c)
		if err != nil {
			t.Errorf("the end of a slow connection: %v", err)
		}
		want := "HTTP/1.1 400 "
		if i >= halfHeaders {
			want = "HTTP/1.1 422 "
		}
		if !bytes.HasPrefix(said, []byte(want)) {
			t.Errorf("connection %d was told %q, want %s", i, said, want)
		}
	}
	honest.http.CloseIdleConnections()
	m.await("all are gone", func() bool { return m.gauge("nexus_connections") == 0 })
	got := m.client(operatorKey).call("GET", "/api/v1/agents", "")
	if items, _ := got.data["items"].([]any); len(items) != 20 {
		t.Errorf("there are %d agents, want those of the honest client: %v", len(items), got.data)
	}
}

// letter is the argument of message_create with a body of so many bytes.
func letter(t *testing.T, size int) string {
	return fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ann","subject":"s","target":{"strategy":"direct","agent_id":"ann"},"body":"%s"}`,
		t.TempDir(), strings.Repeat("x", size))
}

// A large body is read and refused by what it asks for; one that is too large is
// not even kept. Many at a time take no more than they weigh, and leave nothing.
func TestLargeBodies(t *testing.T) {
	const atOnce, size = 3, 10 << 20
	m := startTeam(t, serve.Options{}, nil)
	m.agent("ann")
	c := m.client(operatorKey)
	large, tooLarge := letter(t, size), letter(t, 17<<20)
	chunked := func(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) } // its length is not seen
	tests := []struct {
		name string
		body func() io.Reader
		max  any    // details.max_bytes
		most uint64 // bytes that are allocated for each, in all
	}{
		{"ten megabytes", func() io.Reader { return strings.NewReader(large) }, nil, 12 * size},
		{"ten megabytes of unknown length", func() io.Reader { return chunked(large) }, nil, 12 * size},
		{"too large", func() io.Reader { return strings.NewReader(tooLarge) }, float64(serve.DefaultMaxBody), 1 << 20},
		{"too large, of unknown length", func() io.Reader { return chunked(tooLarge) }, float64(serve.DefaultMaxBody), 12 * serve.DefaultMaxBody},
	}
	before := memoryTaken(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := allocated()
			var sending sync.WaitGroup
			for range atOnce {
				sending.Go(func() {
					got := c.send(t.Context(), "POST", "/api/v1/op/message_create", tt.body())
					if got.status != 413 || got.code != nexus.ContentTooLarge || tt.max != nil && got.details["max_bytes"] != tt.max {
						t.Errorf("got %+v", got)
					}
				})
			}
			sending.Wait()
			if each := (allocated() - before) / atOnce; each > tt.most {
				t.Errorf("each took %d bytes, want at most %d", each, tt.most)
			}
		})
	}
	if after := memoryTaken(t); after > before+size {
		t.Errorf("%d bytes are left behind", after-before)
	}
	if got := c.call("POST", "/api/v1/op/message_create", letter(t, 100)); got.status != 200 {
		t.Errorf("afterwards a small one was answered %+v", got)
	}
}

// allocated is what was ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// JSON that nests deeper than any parser likes is refused wherever it comes, and
// hurts nobody.
func TestDeepJSON(t *testing.T) {
	m := startTeam(t, serve.Options{}, nil)
	ann := m.client(m.agent("ann"))
	nested := func(levels int, open, end string) string {
		return strings.Repeat(open, levels) + "1" + strings.Repeat(end, levels)
	}
	lists, objects := nested(100_000, "[", "]"), nested(100_000, `{"a":`, "}")
	handoff := func(payload string) string {
		return fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ann","target":{"strategy":"broadcast"},"payload":%s}`, t.TempDir(), payload)
	}
	message := func(target string) string {
		return fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ann","subject":"s","body":"b","target":%s}`, t.TempDir(), target)
	}
	tests := []struct{ name, path, body string }{
		{"lists", "/api/v1/op/agent_register", lists},
		{"objects", "/api/v1/op/agent_register", objects},
		{"lists without an end", "/api/v1/op/agent_register", strings.Repeat("[", 100_000)},
		{"lists in an argument", "/api/v1/op/agent_register", `{"agent_id":` + lists + `}`},
		{"objects at a route", "/api/v1/agents", `{"agent_id":` + objects + `}`},
		{"what is kept", "/api/v1/op/handoff_create", handoff(nested(5_000, "[", "]"))},
		{"a target", "/api/v1/op/message_create", message(nested(5_000, `{"strategy":"mixed","rules":[`, "]}"))},
		{"a target as text", "/api/v1/op/message_create", message(`"` + strings.Repeat(`{\"a\":`, 100_000) + "1" + strings.Repeat("}", 100_000) + `"`)},
		{"a target as text in text", "/api/v1/op/message_create", message(`"\"` + strings.Repeat(`[`, 100_000) + strings.Repeat("]", 100_000) + `\""`)},
		{"a list as text", "/api/v1/op/agent_register", `{"agent_id":"bob","capabilities":"` + nested(20_000, "[", "]") + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who := ann
			if tt.path == "/api/v1/agents" {
				who = m.client(operatorKey)
			}
			if got := who.call("POST", tt.path, tt.body); got.status != 422 || got.code != nexus.ValidationError {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("MCP", func(t *testing.T) {
		for _, arguments := range []string{lists, objects, `{"agent_id":"ann","capabilities":"` + lists + `"}`} {
			w := ask(t, m.Server, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agent_register","arguments":`+arguments+`}}`,
				"From", "198.51.100.7:1", "X-Api-Key", ann.key, "Accept", "application/json, text/event-stream")
			if said := w.Body.String(); w.Code >= 500 || !strings.Contains(said, `"error"`) && !strings.Contains(said, `"isError":true`) {
				t.Errorf("got %d %.300s", w.Code, said)
			}
		}
	})
	if got := ann.call("POST", "/api/v1/op/agent_register", `{"agent_id":"ann"}`); got.status != 200 {
		t.Errorf("afterwards: %+v", got)
	}
}

// A number that clients would read as infinity, or as another one, is kept by
// nobody, however deep it sits.
func TestNumbersBeyond64Bits(t *testing.T) {
	m := startTeam(t, serve.Options{}, nil)
	ann := m.client(m.agent("ann"))
	bodies := map[string]string{
		"handoff_create": fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ann","target":{"strategy":"broadcast"},"visibility":"public",%%q:%%s}`, t.TempDir()),
		"message_create": fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ann","subject":"s","body":"b",%%q:%%s}`, t.TempDir()),
		"agent_register": `{"agent_id":"ann",%q:%s}`,
	}
	tests := []struct{ op, field, value string }{
		{"agent_register", "metadata", `{"a":1e400}`},
		{"agent_register", "metadata", `{"a":18446744073709551616}`},
		{"agent_register", "metadata", `[[{"a":[-9223372036854775809]}]]`},
		{"agent_register", "capabilities", `"{\"a\":18446744073709551616}"`},
		{"handoff_create", "payload", `{"a":1e999}`},
		{"message_create", "target", `{"strategy":"direct","agent_id":"ann","n":1e999}`},
		{"message_create", "target", `"{\"strategy\":\"direct\",\"agent_id\":\"ann\",\"n\":1e999}"`},
	}
	for _, tt := range tests {
		body := fmt.Sprintf(bodies[tt.op], tt.field, tt.value)
		if got := ann.call("POST", "/api/v1/op/"+tt.op, body); got.code != nexus.ValidationError || got.details["field"] != tt.field {
			t.Errorf("%s: %+v", body, got)
		}
		w := ask(t, m.Server, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tt.op+`","arguments":`+body+`}}`,
			"From", "198.51.100.7:1", "X-Api-Key", ann.key, "Accept", "application/json, text/event-stream")
		if said := w.Body.String(); !strings.Contains(said, string(nexus.ValidationError)) {
			t.Errorf("MCP: %s: %s", body, said)
		}
	}
	for _, good := range []string{`{"a":[18446744073709551615,-9223372036854775808,1.7e308,"1e400"]}`, `"1e400"`, `"{\"a\":1e400}"`} {
		if got := ann.call("POST", "/api/v1/op/handoff_create", fmt.Sprintf(bodies["handoff_create"], "payload", good)); got.status != 200 {
			t.Errorf("%s: %+v", good, got)
		}
	}
}
