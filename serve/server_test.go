package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/op"
	"nexus/serve"
)

const (
	alicesKey   = "nxs_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	operatorKey = "nxs_0123456789abcdef0123456789abcdef0123456789abcdef"
	unknownKey  = "nxs_ffffffffffffffffffffffffffffffffffffffffffffffff"
)

func sha(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// toys are the operations, keys and wake-ups of a hub under test.
type toys struct {
	parked chan nexus.Actor // one value for each call that began to wait
	left   chan error       // and one for how it ended
	begun  chan struct{}    // one value for each slow write that began
	finish chan struct{}    // one value lets one slow write end
	ended  chan error       // how the context of a slow write stood at its end

	mu      sync.Mutex
	owners  map[string]string // agents by hash of their key
	lookups int
	keysErr error
	watched map[chan struct{}][]string
	written []string // the idempotency keys of the writes
	ready   error
}

func newToys() *toys {
	return &toys{
		parked:  make(chan nexus.Actor, 100),
		left:    make(chan error, 100),
		begun:   make(chan struct{}, 100),
		finish:  make(chan struct{}, 100),
		ended:   make(chan error, 100),
		owners:  map[string]string{sha(alicesKey): "alice"},
		watched: map[chan struct{}][]string{},
	}
}

// KeyActor is the store's part of authentication.
func (y *toys) KeyActor(_ context.Context, hash string) (nexus.Actor, time.Time, bool, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.lookups++
	owner, found := y.owners[hash]
	return nexus.Actor{Kind: nexus.KindAgent, AgentID: owner}, time.Time{}, found, y.keysErr
}

// KeyUsed is told nothing: these keys have no ids.
func (y *toys) KeyUsed(string) {}

// WriteKeyUses has nothing to write.
func (y *toys) WriteKeyUses(context.Context) error { return nil }

// Watch is the store's part of waiting.
func (y *toys) Watch(keys ...string) (<-chan struct{}, func()) {
	ready := make(chan struct{}, 1)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.watched[ready] = keys
	return ready, func() {
		y.mu.Lock()
		defer y.mu.Unlock()
		delete(y.watched, ready)
	}
}

// wake rings for everybody who watches the key.
func (y *toys) wake(key string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for ready, keys := range y.watched {
		for _, k := range keys {
			if k == key {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		}
	}
}

func (y *toys) setOwner(key, agent string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if agent == "" {
		delete(y.owners, sha(key))
		return
	}
	y.owners[sha(key)] = agent
}

func (y *toys) lookedUp() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.lookups
}

type echo struct {
	Text   string          `json:"text,omitempty" jsonschema:"what to say again"`
	Number *int            `json:"number,omitempty" jsonschema:"a number to say again"`
	Tags   nexus.OneOrMore `json:"tags,omitempty" jsonschema:"words to say again"`
	Data   nexus.JSON      `json:"data,omitempty" jsonschema:"anything"`
}

type failure struct {
	Code string `json:"code" jsonschema:"how to fail"`
}

type pause struct {
	Seconds *int `json:"timeout_seconds,omitempty" jsonschema:"how long to wait"`
}

type pauseResult struct {
	TimedOut bool `json:"timed_out"`
	Seconds  int  `json:"seconds"`
}

type agentParams struct {
	AgentID string `json:"agent_id" jsonschema:"which agent"`
	Role    string `json:"role,omitempty" jsonschema:"what it does"`
}

type agentKey struct {
	AgentID string `json:"agent_id"`
	APIKey  string `json:"api_key"`
}

type nothing struct{}

type unwritable struct{}

func (u unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("secret: no JSON") }

func (y *toys) catalogue(t testing.TB) *op.Catalogue {
	t.Helper()
	say := func(_ context.Context, p echo) (echo, error) { return p, nil }
	c, err := op.NewCatalogue(
		op.Define(op.Info{Name: "echo", Title: "Say it again", Doc: "Answers with its arguments.", Effect: op.Read, Family: op.Bus, Route: "GET /echo/{text}"}, say),
		op.Define(op.Info{Name: "topic_echo", Doc: "Answers with its arguments, without an envelope.", Effect: op.Read, Family: op.Topics}, say),
		op.Define(op.Info{Name: "hidden", Doc: "Is not on REST.", Effect: op.Read, Family: op.Bus, Faces: op.MCP}, say),
		op.Define(op.Info{Name: "fail", Doc: "Fails.", Effect: op.Read, Family: op.Bus}, y.fail),
		op.Define(op.Info{Name: "topic_fail", Doc: "Fails.", Effect: op.Read, Family: op.Topics}, y.fail),
		op.Define(op.Info{Name: "unwritable", Doc: "Has no answer.", Effect: op.Read, Family: op.Bus, AnyArguments: true},
			func(context.Context, nothing) (*unwritable, error) { return &unwritable{}, nil }),
		op.Define(op.Info{Name: "whoami", Doc: "Tells who calls.", Effect: op.Read, Family: op.Bus},
			func(ctx context.Context, _ nothing) (nexus.Actor, error) { return nexus.ActorFrom(ctx), nil }),
		op.Define(op.Info{Name: "wait", Doc: "Waits.", Effect: op.Read, Family: op.Bus, Wait: "timeout_seconds"}, y.wait),
		op.Define(op.Info{Name: "topic_wait", Doc: "Waits.", Effect: op.Read, Family: op.Topics, Wait: "timeout_seconds"}, y.wait),
		op.Define(op.Info{Name: "note", Doc: "Writes something down.", Effect: op.Write, Family: op.Bus}, y.note),
		op.Define(op.Info{Name: "slow", Doc: "Writes for a long time.", Effect: op.Write, Family: op.Bus}, y.slow),
		op.Define(op.Info{Name: "agent_create", Doc: "Makes an agent.", Effect: op.Write, Family: op.Bus, Route: "POST /agents", Secret: true}, y.makeKey),
		op.Define(op.Info{Name: "agent_rotate", Doc: "Gives an agent another key.", Effect: op.Danger, Family: op.Bus, Route: "POST /agents/{agent_id}/regenerate-key"}, y.makeKey),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (y *toys) fail(_ context.Context, p failure) (nothing, error) {
	switch p.Code {
	case "panic":
		panic("secret: a panic")
	case "plain":
		return nothing{}, errors.New("secret: a plain error")
	}
	return nothing{}, nexus.Errorf(nexus.Code(p.Code), "It failed as asked.").With("asked", p.Code)
}

func (y *toys) wait(ctx context.Context, p pause) (pauseResult, error) {
	if p.Seconds == nil || *p.Seconds == 0 {
		return pauseResult{TimedOut: true}, nil
	}
	first := true
	answer, timedOut, err := nexus.Await(ctx, y, []string{"toy"}, time.Duration(*p.Seconds)*time.Second,
		func(context.Context) (pauseResult, bool, time.Time, error) {
			found := !first
			if first {
				first = false
				y.parked <- nexus.ActorFrom(ctx)
			}
			return pauseResult{Seconds: *p.Seconds}, found, time.Time{}, nil
		})
	answer.TimedOut = timedOut
	y.left <- err
	return answer, err
}

func (y *toys) note(ctx context.Context, p echo) (echo, error) {
	k, _ := nexus.IdempotencyFrom(ctx)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.written = append(y.written, k.Scope+" "+k.Key)
	return p, nil
}

func (y *toys) slow(ctx context.Context, _ nothing) (nothing, error) {
	_, _ = y.note(ctx, echo{})
	y.begun <- struct{}{}
	select {
	case <-y.finish:
	case <-ctx.Done():
	}
	y.ended <- ctx.Err()
	return nothing{}, ctx.Err()
}

func (y *toys) makeKey(_ context.Context, p agentParams) (agentKey, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for hash, owner := range y.owners {
		if owner == p.AgentID {
			delete(y.owners, hash)
		}
	}
	key := "nxs_" + strings.Repeat("b", 48)
	y.owners[sha(key)] = p.AgentID
	return agentKey{p.AgentID, key}, nil
}

// memory keeps MCP sessions.
type memory struct{ sync.Map }

type kept struct {
	agent string
	state json.RawMessage
}

func (m *memory) SaveSession(_ context.Context, id, agent string, state json.RawMessage) error {
	m.Store(id, kept{agent, state})
	return nil
}

func (m *memory) Session(_ context.Context, id string) (string, json.RawMessage, bool, error) {
	k, ok := m.Load(id)
	if !ok {
		return "", nil, false, nil
	}
	return k.(kept).agent, k.(kept).state, true, nil
}

func (m *memory) DropSession(_ context.Context, id string) error {
	m.Delete(id)
	return nil
}

func (y *toys) deps(t testing.TB) serve.Deps {
	return serve.Deps{
		Catalogue:       y.catalogue(t),
		Sessions:        &memory{},
		Keys:            y,
		SignIns:         &people{},
		Watcher:         y,
		Exports:         aLog{},
		Artifacts:       oneArtifact{},
		Connect:         func(string) ([]serve.ConnectSnippet, error) { return nil, nil },
		Ready:           func(context.Context) error { return y.ready },
		OperatorKeyHash: sha(operatorKey),
		Version:         "1.2.3",
		SchemaVersion:   7,
		TrustMode:       func() string { return "open" },
		License:         []byte("You may.\n"),
		Dashboard:       builtDashboard,
	}
}

var (
	loopbackAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8202}
	publicAddr   = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 8202}
)

func newHub(t testing.TB, d serve.Deps, opts serve.Options) *serve.Server {
	t.Helper()
	if opts.Addr == nil {
		opts.Addr = loopbackAddr
	}
	s, err := serve.New(d, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request to a hub from this machine. The headers are names and
// values in turn; a body is JSON unless they say otherwise.
func ask(t testing.TB, s *serve.Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host, r.RemoteAddr = "127.0.0.1:8202", "127.0.0.1:50000"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		case "From":
			r.RemoteAddr = headers[i+1]
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// code is that of an error in an answer, "" when it went well.
func code(t testing.TB, body []byte) nexus.Code {
	t.Helper()
	var a struct {
		OK    bool
		Error struct{ Code nexus.Code }
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("the answer %q: %v", body, err)
	}
	if a.OK != (a.Error.Code == "") {
		t.Errorf("the answer is in two minds: %s", body)
	}
	return a.Error.Code
}

// A running hub has a listener and is stopped at the end of the test.
type running struct {
	*serve.Server
	*toys
	url    string
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
}

func run(t *testing.T, opts serve.Options) *running {
	t.Helper()
	y := newToys()
	h := runWith(t, y.deps(t), opts)
	h.toys = y
	return h
}

func runWith(t *testing.T, d serve.Deps, opts serve.Options) *running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	opts.Addr = l.Addr()
	h := &running{
		Server: newHub(t, d, opts),
		url:    "http://" + l.Addr().String(), client: &http.Client{Transport: &http.Transport{}}, ended: make(chan error, 1),
	}
	var ctx context.Context
	ctx, h.stop = context.WithCancel(t.Context())
	go func() {
		defer close(h.ended)
		h.ended <- h.Serve(ctx, l)
	}()
	t.Cleanup(func() {
		h.stop()
		h.client.CloseIdleConnections()
		for range h.ended { // until it is closed
		}
	})
	return h
}

type response struct {
	status int
	closed bool // the hub wants no more on this connection
	body   string
}

// post calls an operation and returns a channel with the answer.
func (h *running) post(t *testing.T, name, body string) <-chan response {
	t.Helper()
	out := make(chan response, 1)
	go func() {
		resp, err := h.client.Post(h.url+"/api/v1/op/"+name, "application/json", strings.NewReader(body))
		if err != nil {
			out <- response{body: err.Error()}
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		out <- response{resp.StatusCode, resp.Close, string(b)}
	}()
	return out
}

func TestStopAnswersWaits(t *testing.T) {
	h := run(t, serve.Options{})
	answer := h.post(t, "wait", `{"timeout_seconds":60}`)
	<-h.parked
	h.stop()
	if got := <-answer; got.status != 200 || !strings.Contains(got.body, `"timed_out":true`) {
		t.Errorf("the wait was answered %d %s, want that its time is up", got.status, got.body)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
}

func TestStopFinishesWrites(t *testing.T) {
	h := run(t, serve.Options{})
	write := h.post(t, "slow", "")
	<-h.begun
	wait := h.post(t, "wait", `{"timeout_seconds":60}`)
	<-h.parked
	h.stop()
	<-wait // from here on the hub is stopping

	late := <-h.post(t, "echo", `{"text":"late"}`)
	if late.status != 200 || !late.closed {
		t.Errorf("a late call was answered %d %s, want 200 and a closed connection: %t", late.status, late.body, late.closed)
	}
	if got := <-h.post(t, "wait", `{"timeout_seconds":60}`); got.status != 200 {
		t.Errorf("a late wait was answered %d %s", got.status, got.body)
	}
	resp, err := h.client.Get(h.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz says %d while the hub stops", resp.StatusCode)
	}
	h.finish <- struct{}{}
	if got := <-write; got.status != 200 {
		t.Errorf("the write was answered %d %s", got.status, got.body)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
}

func TestStopIsBounded(t *testing.T) {
	h := run(t, serve.Options{StopTime: time.Millisecond})
	write := h.post(t, "slow", "")
	<-h.begun
	h.stop()
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
	if got := <-write; got.status != 0 {
		t.Errorf("the write was answered %d %s, want a cut", got.status, got.body)
	}
}

func TestServeRefusesAPublicListener(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	s := newHub(t, newToys().deps(t), serve.Options{Addr: loopbackAddr})
	if err := s.Serve(t.Context(), l); err == nil {
		t.Error("a hub that asks for no keys listens on a public address")
	}
}

func TestWaitersCap(t *testing.T) {
	y := newToys()
	s := newHub(t, y.deps(t), serve.Options{MaxWaiters: 4})
	var parked sync.WaitGroup
	park := func(headers ...string) {
		parked.Go(func() { ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":60}`, headers...) })
		<-y.parked
	}
	for range 3 { // three quarters of all
		park()
	}
	refused := ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":60}`)
	if refused.Code != http.StatusTooManyRequests || refused.Header().Get("Retry-After") == "" {
		t.Errorf("the fourth wait of one caller: %d %s", refused.Code, refused.Body)
	}
	for _, free := range []string{`{"timeout_seconds":0}`, `{}`} {
		if got := ask(t, s, "POST", "/api/v1/op/wait", free); got.Code != 200 {
			t.Errorf("a call that does not wait (%s): %d %s", free, got.Code, got.Body)
		}
	}
	park("x-api-key", alicesKey)
	if got := ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":"60"}`, "x-api-key", alicesKey); code(t, got.Body.Bytes()) != nexus.RateLimited {
		t.Errorf("a wait when all places are taken: %s", got.Body)
	}
	if got := ask(t, s, "GET", "/metrics", ""); !strings.Contains(got.Body.String(), "nexus_waiters 4\n") {
		t.Error("the metrics do not show 4 waiters")
	}
	y.wake("toy")
	parked.Wait()
	if got := ask(t, s, "GET", "/metrics", ""); !strings.Contains(got.Body.String(), "nexus_waiters 0\n") {
		t.Error("a waiter did not leave")
	}
}

func TestStopAnswersMCP(t *testing.T) {
	h := run(t, serve.Options{})
	send := func(body string) <-chan response {
		out := make(chan response, 1)
		go func() {
			r, _ := http.NewRequest("POST", h.url+"/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+alicesKey)
			resp, err := h.client.Do(r)
			if err != nil {
				out <- response{body: err.Error()}
				return
			}
			defer resp.Body.Close()
			b, _ := io.ReadAll(resp.Body)
			out <- response{resp.StatusCode, resp.Close, string(b)}
		}()
		return out
	}
	answer := send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"timeout_seconds":30}}}`)
	if actor := <-h.parked; actor.AgentID != "alice" {
		t.Errorf("the call is made as %+v", actor)
	}
	h.stop()
	if got := <-answer; got.status != 200 || !strings.Contains(got.body, `"timed_out":true`) {
		t.Errorf("the wait was answered %d %s", got.status, got.body)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
}
