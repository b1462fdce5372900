package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"nexus"
	"nexus/bus"
	"nexus/hub"
	"nexus/op"
	"nexus/serve"
	"nexus/store"
	"nexus/store/storetest"
)

// A team is a hub on a real store that others can reach.
type team struct {
	*serve.Server
	t   *testing.T
	bus *bus.Service
	now time.Time
	// rotating is true while a key is being replaced.
	rotating atomic.Bool
}

// plainBoard has no settings at all.
type plainBoard struct{ hub.Board }

func (plainBoard) Apply(map[string]json.RawMessage) {}

func eachTeam(t *testing.T, opts serve.Options, f func(*team)) {
	storetest.Each(t, func(t *testing.T, open storetest.Opener) {
		f(newTeam(t, open.Open(t), opts))
	})
}

func newTeam(t *testing.T, db *store.DB, opts serve.Options) *team {
	t.Helper()
	newID := func(prefix string) string {
		return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
	}
	m := &team{t: t, now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	now := func() time.Time { return m.now }
	m.bus = bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: db}, Now: now, NewID: newID, Home: t.TempDir(),
		Settings: bus.Settings{MaxWait: 30 * time.Second, MaxInlineSize: 65536, MaxEvents: 1000, Presence: time.Hour, SessionStale: time.Minute, SessionReap: time.Hour},
	})
	h := hub.New(hub.Config{Store: store.Of[hub.Tx]{DB: db}, Now: now, NewID: newID, Board: plainBoard{}, Keys: m.bus, OperatorHash: sha(operatorKey)})
	ops, err := op.NewCatalogue(slices.Concat(op.BusOps(m.bus), op.HubOps(h))...)
	if err != nil {
		t.Fatal(err)
	}
	if opts.Addr == nil {
		opts.Addr = publicAddr
	}
	m.Server = newHub(t, serve.Deps{
		Catalogue: ops, Sessions: db, Keys: m.bus, SignIns: h, Watcher: db, Events: db, Artifacts: m.bus, OperatorKeyHash: sha(operatorKey), Now: now,
	}, opts)
	return m
}

// ask sends a request from elsewhere and returns status, data or code, and the
// cookie that was set.
func (m *team) ask(method, path, body string, headers ...string) (int, map[string]any, *http.Cookie) {
	m.t.Helper()
	w := ask(m.t, m.Server, method, path, body, append([]string{"From", "198.51.100.7:4711", "Host", "hub.example.org"}, headers...)...)
	var a struct {
		Data  map[string]any
		Error map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		m.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if a.Error != nil {
		a.Data = a.Error
	}
	for _, c := range w.Result().Cookies() {
		return w.Code, a.Data, c
	}
	return w.Code, a.Data, nil
}

// agent creates an agent and returns its key.
func (m *team) agent(id string, scopes ...string) string {
	m.t.Helper()
	body, _ := json.Marshal(map[string]any{"agent_id": id, "scopes": scopes})
	status, data, _ := m.ask("POST", "/api/v1/agents", string(body), "x-api-key", operatorKey)
	if status != 200 {
		m.t.Fatalf("create %s: %d %v", id, status, data)
	}
	return data["api_key"].(string)
}

func TestScopesOverHTTP(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		reader, admin, tool := m.agent("reader", "read"), m.agent("admin", "admin"), m.agent("tool", "mcp", "read")
		tests := []struct {
			key, method, path, body string
			status                  int
			needs                   string
		}{
			{reader, "GET", "/api/v1/agents", "", 200, ""},
			{reader, "POST", "/api/v1/op/agent_register", `{"agent_id":"x"}`, 403, "write"},
			{reader, "POST", "/api/v1/agents", `{"agent_id":"x"}`, 403, "admin"},
			{reader, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 403, "mcp"},
			{reader, "GET", "/api/v1/sign-ins", "", 403, "admin"},
			{admin, "POST", "/api/v1/agents", `{"agent_id":"made"}`, 200, ""},
			{admin, "PATCH", "/api/v1/agents/made", `{"is_active":false}`, 200, ""},
			{admin, "DELETE", "/api/v1/agents/made", "", 200, ""},
			{admin, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 403, "mcp"},
			{tool, "POST", "/api/v1/op/agent_register", `{"agent_id":"x"}`, 403, "write"},
		}
		for _, tt := range tests {
			status, data, _ := m.ask(tt.method, tt.path, tt.body, "Authorization", "Bearer "+tt.key)
			if status != tt.status {
				t.Errorf("%s %s: got %d %v, want %d", tt.method, tt.path, status, data, tt.status)
			}
			if details, _ := data["details"].(map[string]any); tt.needs != "" && details["required_scope"] != tt.needs {
				t.Errorf("%s %s: got %v, want that %q is missing", tt.method, tt.path, data, tt.needs)
			}
		}
	})
}

// An agent that can be created can be addressed.
func TestNamesInAddresses(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		for _, name := range []string{"a/b", "a/.b/c..", "...", "a b"} {
			m.agent(name)
			for _, path := range []string{"", "/keys"} {
				if status, data, _ := m.ask("GET", "/api/v1/agents/"+url.PathEscape(name)+path, "", "x-api-key", operatorKey); status != 200 {
					t.Errorf("%q is not found at %q: %d %v", name, path, status, data)
				}
			}
		}
		for _, name := range []string{".", "..", "/", "a//b", "/a", "a/", "a/./b", "a/../c", "../x", "a/.."} {
			status, data, _ := m.ask("POST", "/api/v1/agents", `{"agent_id":"`+name+`"}`, "x-api-key", operatorKey)
			if status != 422 || data["code"] != string(nexus.ValidationError) {
				t.Errorf("%q: got %d %v", name, status, data)
			}
		}
	})
}

// The use of a key shows at once, also before it is written down.
func TestKeyShowsItsUse(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		key := m.agent("ann")
		_, data, _ := m.ask("GET", "/api/v1/agents/ann/keys", "", "x-api-key", key)
		if used := data["items"].([]any)[0].(map[string]any)["last_used_at"]; used != nexus.Stamp(m.now) {
			t.Errorf("last used at %v, want %s", used, nexus.Stamp(m.now))
		}
	})
}

func TestSignInOfAnAgent(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		key := m.agent("ann", "read", "write")
		status, data, cookie := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+key+`"}`)
		if status != 200 || cookie == nil || data["agent_id"] != "ann" {
			t.Fatalf("got %d %v %v", status, data, cookie)
		}
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Secure {
			t.Errorf("the cookie is %+v", cookie)
		}
		with := []string{"Cookie", cookie.Name + "=" + cookie.Value}
		if status, me, _ := m.ask("GET", "/api/v1/me", "", with...); status != 200 || me["agent_id"] != "ann" || me["is_admin"] != false {
			t.Errorf("got %d %v", status, me)
		}
		if status, data, _ := m.ask("POST", "/api/v1/op/agent_register", `{"agent_id":"x"}`, append(with, "Origin", "http://evil.example")...); status != 403 {
			t.Errorf("a page of another origin: %d %v", status, data)
		}
		if status, data, _ := m.ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, with...); status != 401 {
			t.Errorf("a cookie at /mcp: %d %v", status, data)
		}
		_, list, _ := m.ask("GET", "/api/v1/sign-ins", "", "x-api-key", operatorKey)
		if items := list["items"].([]any); len(items) != 1 || items[0].(map[string]any)["agent_id"] != "ann" || items[0].(map[string]any)["address"] != "198.51.100.7" {
			t.Errorf("signed in: %v", list)
		}
		for _, cookie := range []string{cookie.Name + "=nxw_x", cookie.Name + "=", cookie.Name + "=" + key} {
			if status, data, _ := m.ask("GET", "/api/v1/me", "", "Cookie", cookie); status != 401 {
				t.Errorf("%s: %d %v", cookie, status, data)
			}
		}
		// The sign-in dies with its key.
		if status, data, _ := m.ask("POST", "/api/v1/agents/ann/regenerate-key", "", "x-api-key", operatorKey); status != 200 {
			t.Fatal(data)
		}
		if status, data, _ := m.ask("GET", "/api/v1/me", "", with...); status != 401 {
			t.Errorf("with a key that was rotated: %d %v", status, data)
		}
	})
}

func TestSignInEnds(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		in := func(headers ...string) []string {
			status, data, cookie := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+operatorKey+`"}`, headers...)
			if status != 200 || data["is_admin"] != true {
				t.Fatal(status, data)
			}
			return []string{"Cookie", cookie.Name + "=" + cookie.Value}
		}
		good := func(with []string) bool {
			status, _, _ := m.ask("GET", "/api/v1/agents", "", with...)
			return status == 200
		}
		first, second, third := in(), in(), in()
		if status, data, cookie := m.ask("POST", "/api/v1/sign-out", "", first...); status != 200 || cookie == nil || cookie.Value != "" {
			t.Errorf("sign-out: %d %v %v", status, data, cookie)
		}
		if good(first) || !good(second) {
			t.Error("signing out ended the wrong stay")
		}
		_, list, _ := m.ask("GET", "/api/v1/sign-ins", "", second...)
		newest := list["items"].([]any)[0].(map[string]any)["sign_in_id"]
		if status, data, _ := m.ask("DELETE", fmt.Sprintf("/api/v1/sign-ins/%s", newest), "", second...); status != 200 {
			t.Errorf("revoke: %d %v", status, data)
		}
		if good(third) || !good(second) {
			t.Error("revoking ended the wrong stay")
		}
		m.now = m.now.Add(8 * 24 * time.Hour)
		if good(second) {
			t.Error("a stay has no end")
		}
		if status, data, _ := m.ask("POST", "/api/v1/sign-in", `{}`); status != 422 {
			t.Errorf("without a key: %d %v", status, data)
		}
		if status, data, _ := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+unknownKey+`"}`); status != 401 {
			t.Errorf("with a wrong key: %d %v", status, data)
		}
	})
}

func TestTrustedProxies(t *testing.T) {
	opts := serve.Options{TrustedProxies: []string{"10.0.0.0/8"}, UserHeader: "X-Forwarded-User"}
	eachTeam(t, opts, func(m *team) {
		me := func(from string, headers ...string) (int, map[string]any) {
			status, data, _ := m.ask("GET", "/api/v1/me", "", append([]string{"From", from}, headers...)...)
			return status, data
		}
		if status, data := me("10.1.2.3:80", "X-Forwarded-User", "ann@example.org", "X-Forwarded-For", "203.0.113.9"); status != 200 || data["person"] != "ann@example.org" {
			t.Errorf("got %d %v", status, data)
		}
		for _, from := range []string{"203.0.113.9:80", "127.0.0.1:80"} {
			if status, data := me(from, "X-Forwarded-User", "ann@example.org"); status != 401 {
				t.Errorf("%s is believed: %d %v", from, status, data)
			}
		}
		if status, data := me("10.1.2.3:80"); status != 401 {
			t.Errorf("nobody: %d %v", status, data)
		}
		key := operatorKey
		_, _, cookie := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+key+`"}`, "From", "10.1.2.3:80", "X-Forwarded-For", "203.0.113.9, 10.9.9.9", "X-Forwarded-Proto", "https")
		if cookie == nil || !cookie.Secure {
			t.Errorf("behind https the cookie is %+v", cookie)
		}
		_, list, _ := m.ask("GET", "/api/v1/sign-ins", "", "x-api-key", key)
		if got := list["items"].([]any)[0].(map[string]any)["address"]; got != "203.0.113.9" {
			t.Errorf("the client is %v", got)
		}
	})
	if _, err := serve.New(serve.Deps{}, serve.Options{UserHeader: "X"}); nexus.CodeOf(err) != nexus.ConfigError {
		t.Errorf("a header that anybody may send: %v", err)
	}
}

func TestRates(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open storetest.Opener) {
		rates := serve.Rates{PerKey: 5, PerAddress: 20}
		m := newTeam(t, open.Open(t), serve.Options{Rates: func() serve.Rates { return rates }})
		noisy, quiet := m.agent("noisy"), m.agent("quiet")
		m.now = m.now.Add(time.Minute)
		use := func(key, from string) (int, map[string]any) {
			status, data, _ := m.ask("GET", "/api/v1/agents", "", "x-api-key", key, "From", from)
			return status, data
		}
		for range 10 {
			if status, data := use(noisy, "198.51.100.1:1"); status != 200 {
				t.Fatalf("within the burst: %d %v", status, data)
			}
		}
		status, data := use(noisy, "198.51.100.1:1")
		details, _ := data["details"].(map[string]any)
		if status != 429 || details["limit"] != "rate_per_key" || details["retry_after_seconds"] != 1.0 {
			t.Errorf("got %d %v", status, data)
		}
		if status, data := use(quiet, "198.51.100.2:1"); status != 200 {
			t.Errorf("another key: %d %v", status, data)
		}
		for range 40 {
			use(quiet, "198.51.100.3:1")
		}
		if status, data := use(quiet, "198.51.100.3:1"); status != 429 {
			t.Errorf("an address that is too eager: %d %v", status, data)
		}
		m.now = m.now.Add(10 * time.Second)
		if status, data := use(noisy, "198.51.100.1:1"); status != 200 {
			t.Errorf("after a while: %d %v", status, data)
		}
		rates = serve.Rates{}
		for range 50 {
			if status, data := use(noisy, "198.51.100.1:1"); status != 200 {
				t.Fatalf("without limits: %d %v", status, data)
			}
		}
	})
}

// Guessing keys gets slower, for the one who guesses.
func TestWrongKeys(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		guess := func(from string) int {
			status, _, _ := m.ask("GET", "/api/v1/agents", "", "x-api-key", unknownKey, "From", from)
			return status
		}
		for range 60 {
			if got := guess("198.51.100.66:1"); got != 401 {
				t.Fatalf("got %d", got)
			}
		}
		if got := guess("198.51.100.66:1"); got != 429 {
			t.Errorf("after 60 wrong keys: %d", got)
		}
		if status, _, _ := m.ask("GET", "/api/v1/agents", "", "x-api-key", operatorKey, "From", "198.51.100.66:2"); status != 200 {
			t.Errorf("somebody else at the same address: %d", status)
		}
		m.now = m.now.Add(2 * time.Second)
		if got := guess("198.51.100.66:1"); got != 401 {
			t.Errorf("after a while: %d", got)
		}
	})
}

// From the moment that a rotation is answered the old key opens nothing, however
// many use it at that moment; whoever has the new one is never turned away.
func TestRotationUnderLoad(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		var mu sync.Mutex
		key := m.agent("ann")
		rotations := 0
		current := func() (string, int) {
			mu.Lock()
			defer mu.Unlock()
			return key, rotations
		}
		over := make(chan struct{})
		var users sync.WaitGroup
		for range 8 {
			users.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					used, before := current()
					w := ask(t, m.Server, "GET", "/api/v1/me", "", "From", "198.51.100.7:1", "x-api-key", used)
					if _, after := current(); w.Code != http.StatusOK && before == after && !m.rotating.Load() {
						t.Errorf("the key in force was answered %d %s", w.Code, w.Body)
					}
				}
			})
		}
		for range 20 {
			old, _ := current()
			m.rotating.Store(true)
			status, data, _ := m.ask("POST", "/api/v1/agents/ann/regenerate-key", "", "x-api-key", operatorKey)
			if status != http.StatusOK {
				t.Fatal(status, data)
			}
			mu.Lock()
			key = data["api_key"].(string)
			rotations++
			mu.Unlock()
			m.rotating.Store(false)
			if w := ask(t, m.Server, "GET", "/api/v1/me", "", "From", "198.51.100.7:1", "x-api-key", old); w.Code == http.StatusOK {
				t.Errorf("a dead key was answered %d", w.Code)
			}
		}
		close(over)
		users.Wait()
	})
}

// What a key may follow: the hub's own affairs are for those who run it, and a
// key may be for one workspace.
func TestWhoMayFollow(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		plain, narrow, writer := m.agent("plain"), m.agent("narrow", "read", "workspace:w1"), m.agent("writer", "write")
		for _, tt := range []struct {
			key, query string
			status     int
		}{
			{plain, "stream=system", 403},
			{narrow, "workspace=w2", 403},
			{narrow, "workspace=w1,w2", 403},
			{writer, "", 403},
		} {
			if status, data, _ := m.ask("GET", "/api/v1/stream?"+tt.query, "", "x-api-key", tt.key); status != tt.status {
				t.Errorf("%s: got %d %v, want %d", tt.query, status, data, tt.status)
			}
		}
	})
}

// A call that waits is sent away when its key dies, and takes no mail then.
func TestWaitsEndWithTheirKey(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		key := m.agent("ann")
		waited := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			waited <- ask(t, m.Server, "POST", "/api/v1/op/inbox_wait", `{"agent_id":"ann","timeout_seconds":30}`, "From", "198.51.100.7:1", "x-api-key", key)
		}()
		for parked := false; !parked; {
			w := ask(t, m.Server, "GET", "/metrics", "", "From", "198.51.100.7:2", "x-api-key", operatorKey)
			parked = strings.Contains(w.Body.String(), "\nnexus_waiters 1\n")
		}
		if status, data, _ := m.ask("PATCH", "/api/v1/agents/ann", `{"is_active":false}`, "x-api-key", operatorKey); status != 200 {
			t.Fatal(status, data)
		}
		if w := <-waited; w.Code != http.StatusUnauthorized {
			t.Errorf("the wait was answered %d %s", w.Code, w.Body)
		}
	})
}

func TestLargeHeaders(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	for size, want := range map[int]int{60 << 10: http.StatusOK, 70 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		got := ask(t, s, "GET", "/healthz", "", "X-Long", strings.Repeat("x", size))
		if got.Code != want || want != http.StatusOK && !strings.Contains(got.Body.String(), `"limit":"max_header_bytes"`) {
			t.Errorf("%d bytes: got %d %s, want %d", size, got.Code, got.Body, want)
		}
	}
}

// A cookie may no more than the key it stands for.
func TestCookieOfALimitedAgent(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		key := m.agent("ann")
		m.agent("bob")
		if status, data, _ := m.ask("PATCH", "/api/v1/agents/ann", `{"preset_id":"builtin:worker"}`, "x-api-key", operatorKey); status != 200 {
			t.Fatal(status, data)
		}
		_, _, cookie := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+key+`"}`)
		for _, credential := range [][]string{{"x-api-key", key}, {"Cookie", cookie.Name + "=" + cookie.Value}} {
			if status, data, _ := m.ask("POST", "/api/v1/op/inbox_pull", `{"agent_id":"bob"}`, credential...); status != 403 {
				t.Errorf("%s: it takes the mail of another: %d %v", credential[0], status, data)
			}
			if status, data, _ := m.ask("POST", "/api/v1/op/inbox_pull", `{"agent_id":"ann"}`, credential...); status != 200 {
				t.Errorf("%s: its own mail: %d %v", credential[0], status, data)
			}
		}
	})
}
