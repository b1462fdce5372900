package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/op"
)

// allVersions are the protocol versions, oldest first.
var allVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// A toy is a small catalogue whose operations show what a face must get right.
type toy struct {
	parked  chan struct{} // one value for each call that began to wait
	release chan struct{} // one value lets one waiting call find something
	begun   chan struct{} // a slow write has begun
	finish  chan struct{} // and may end
	ended   chan error    // how the context of the slow write stood at its end
}

func newToy() *toy {
	return &toy{
		parked:  make(chan struct{}, 1000),
		release: make(chan struct{}, 1000),
		begun:   make(chan struct{}, 10),
		finish:  make(chan struct{}),
		ended:   make(chan error, 10),
	}
}

type echoParams struct {
	Text string     `json:"text" jsonschema:"what to say again"`
	Data nexus.JSON `json:"data,omitempty" jsonschema:"anything"`
}

type waitParams struct {
	Seconds *int `json:"timeout_seconds,omitempty" jsonschema:"how long to wait"`
}

type waitResult struct {
	Found    bool `json:"found"`
	TimedOut bool `json:"timed_out"`
}

func (y *toy) Echo(_ context.Context, p echoParams) (echoParams, error) { return p, nil }

func (y *toy) Who(ctx context.Context, _ struct{}) (nexus.Actor, error) {
	return nexus.ActorFrom(ctx), nil
}

func (y *toy) Fail(context.Context, struct{}) (struct{}, error) {
	return struct{}{}, nexus.Errorf(nexus.NotFound, "There is no \"such\" thing.").With("id", "x<1>")
}

func (y *toy) Crash(context.Context, struct{}) (struct{}, error) { panic("a mistake") }

func (y *toy) Wait(ctx context.Context, p waitParams) (waitResult, error) {
	var wait time.Duration // by default none, as on the bus
	if p.Seconds != nil {
		wait = time.Duration(*p.Seconds) * time.Second
	}
	end := time.NewTimer(wait)
	defer end.Stop()
	y.parked <- struct{}{}
	select {
	case <-y.release:
		return waitResult{Found: true}, nil
	case <-end.C:
		return waitResult{TimedOut: true}, nil
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), nexus.ErrStopping) {
			return waitResult{TimedOut: true}, nil
		}
		return waitResult{}, context.Cause(ctx)
	}
}

// Slow is a write that takes until it is told to finish.
func (y *toy) Slow(ctx context.Context, _ struct{}) (struct{}, error) {
	y.begun <- struct{}{}
	<-y.finish
	y.ended <- ctx.Err()
	return struct{}{}, nil
}

func (y *toy) catalogue(t testing.TB) *op.Catalogue {
	t.Helper()
	c, err := op.NewCatalogue(
		op.Define(op.Info{Name: "echo", Title: "Echo", Doc: "Say it again.", Effect: op.Read, Family: op.Bus, Core: true}, y.Echo),
		op.Define(op.Info{Name: "who", Doc: "Who calls.", Effect: op.Read, Family: op.Bus}, y.Who),
		op.Define(op.Info{Name: "fail", Doc: "Fail.", Effect: op.Write, Family: op.Bus}, y.Fail),
		op.Define(op.Info{Name: "crash", Doc: "Panic.", Effect: op.Danger, Family: op.Bus}, y.Crash),
		op.Define(op.Info{Name: "wait", Doc: "Wait.", Effect: op.Read, Family: op.Bus, Wait: "timeout_seconds"}, y.Wait),
		op.Define(op.Info{Name: "slow", Doc: "Write slowly.", Effect: op.Write, Family: op.Bus}, y.Slow),
		op.Define(op.Info{Name: "say", Doc: "Say it in a topic.", Effect: op.Write, Family: op.Topics}, y.Echo),
		op.Define(op.Info{Name: "scold", Doc: "Fail in a topic.", Effect: op.Write, Family: op.Topics}, y.Fail),
		op.Define(op.Info{Name: "hidden", Doc: "Not on MCP.", Effect: op.Read, Family: op.Bus, Faces: op.REST}, y.Echo),
	)
	if err != nil {
		t.Fatal(err)
	}
	c.Guides = []op.Guide{{URI: "nexus://guide/toy", Name: "toy", Title: "Toy", Text: "# Toy\n"}}
	return c
}

func (y *toy) mcp(t testing.TB) *MCP {
	t.Helper()
	return NewMCP(y.catalogue(t), callHere, nil, "1.2.3", slog.New(slog.DiscardHandler))
}

// callHere is the plainest Caller there is.
func callHere(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer {
	answer, err := o.Call(ctx, arguments)
	return o.Family.Answer(answer, err)
}

// memSessions keeps sessions as a store would, for any number of nodes.
type memSessions struct {
	mu    sync.Mutex
	rows  map[string]memSession
	loads int
	err   error // what every call fails with, when set
}

type memSession struct {
	agent string
	state json.RawMessage
}

func (s *memSessions) SaveSession(_ context.Context, id, agent string, state json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[string]memSession{}
	}
	if s.err == nil {
		s.rows[id] = memSession{agent, bytes.Clone(state)}
	}
	return s.err
}

func (s *memSessions) Session(_ context.Context, id string) (string, json.RawMessage, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	row, ok := s.rows[id]
	return row.agent, row.state, ok, s.err
}

func (s *memSessions) DropSession(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, id)
	return s.err
}

func (s *memSessions) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// asAgent puts an agent into every request, as the guard in front would. The
// agent is "ann" unless the request says otherwise.
func asAgent(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent := "ann"
		if other := r.Header.Get("Test-Agent"); other != "" {
			agent = other
		}
		h.ServeHTTP(w, r.WithContext(nexus.WithActor(r.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: agent, Bound: true})))
	})
}

// A desk is an MCP handler on a toy, asked without a network.
type desk struct {
	t        testing.TB
	toy      *toy
	mcp      *MCP
	sessions *memSessions
	handler  http.Handler
}

func newDesk(t testing.TB, opts HTTPOptions) *desk {
	t.Helper()
	y, s := newToy(), &memSessions{}
	m := y.mcp(t)
	return &desk{t, y, m, s, asAgent(m.Handler(s, opts))}
}

// headers are pairs of name and value; an empty value removes the header.
func (d *desk) do(method, body string, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, d.request(d.t.Context(), method, body, headers...))
	return w
}

func (d *desk) request(ctx context.Context, method, body string, headers ...string) *http.Request {
	return newMCPRequest(ctx, method, "/mcp", body, headers...)
}

func newMCPRequest(ctx context.Context, method, url, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	setMCPHeaders(r.Header, headers...)
	return r
}

func setMCPHeaders(h http.Header, headers ...string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if h.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			h.Del(headers[i])
		}
	}
}

func (d *desk) post(body string, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	return d.do(http.MethodPost, body, headers...)
}

// open makes a session and returns its id.
func (d *desk) open(headers ...string) string {
	d.t.Helper()
	w := d.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`, headers...)
	id := w.Header().Get(headerSession)
	if w.Code != http.StatusOK || id == "" {
		d.t.Fatalf("initialize: %d %s", w.Code, w.Body)
	}
	return id
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modernHeaders are those that 2026-07-28 demands.
func modernHeaders(method, name string) []string {
	h := []string{headerVersion, "2026-07-28", headerMethod, method}
	if name != "" {
		h = append(h, headerName, name)
	}
	return h
}

// callMessage is a tools/call as clients of a version send it.
func callMessage(version, id, tool, arguments string) (body string, headers []string) {
	meta := ""
	headers = []string{headerVersion, version}
	if version == "2026-07-28" {
		meta = "," + modernMeta
		headers = modernHeaders("tools/call", tool)
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + meta + `}}`, headers
}

// decoded reads JSON with its numbers as they are.
func decoded(t testing.TB, raw []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, raw)
	}
	return v
}

// rpcError is the code of an error answer, 0 if it is none.
func rpcError(t testing.TB, raw []byte) int {
	t.Helper()
	var v struct {
		Error struct{ Code int }
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %q", err, raw)
	}
	return v.Error.Code
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
