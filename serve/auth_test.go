package serve_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nexus"
	"nexus/serve"
)

func TestWhoCalls(t *testing.T) {
	const elsewhere = "198.51.100.7:4711"
	alice, operator := `{"kind":"agent","agent_id":"alice"}`, `{"kind":"operator"}`
	tests := []struct {
		name    string
		public  bool
		target  string
		headers []string
		want    string // the actor; "" for 401
	}{
		{"nobody on loopback", false, "", nil, operator},
		{"a bearer", false, "", []string{"Authorization", "Bearer " + alicesKey}, alice},
		{"a bearer in small letters", false, "", []string{"Authorization", "bearer  " + alicesKey}, alice},
		{"a header", false, "", []string{"x-api-key", alicesKey}, alice},
		{"a query", false, "?api_key=" + alicesKey, nil, alice},
		{"an escaped query", false, "?%61pi_key=" + alicesKey, nil, alice},
		{"the operator's key", false, "", []string{"x-api-key", operatorKey}, operator},
		{"the query counts first", false, "?api_key=" + alicesKey, []string{"x-api-key", unknownKey}, alice},
		{"and is not made up for", false, "?api_key=" + unknownKey, []string{"x-api-key", alicesKey}, ""},
		{"x-api-key counts before Authorization", false, "", []string{"x-api-key", unknownKey, "Authorization", "Bearer " + alicesKey}, ""},
		{"an empty key is none", false, "?api_key=", []string{"x-api-key", "", "Authorization", "Bearer "}, operator},
		{"another scheme is no key", false, "", []string{"Authorization", "Basic YTpi"}, operator},
		{"a wrong key where none is needed", false, "", []string{"x-api-key", unknownKey}, ""},
		{"a malformed key", false, "", []string{"x-api-key", "hunter2"}, ""},
		{"a key in capitals", false, "", []string{"x-api-key", strings.ToUpper(alicesKey)}, ""},
		{"a peer elsewhere", false, "", []string{"From", elsewhere}, ""},
		{"behind a proxy", false, "", []string{"X-Forwarded-For", "198.51.100.7"}, ""},
		{"under a proxy's name", false, "", []string{"Host", "nexus.example.org"}, ""},
		{"behind a proxy with a key", false, "", []string{"Host", "nexus.example.org", "x-api-key", alicesKey}, alice},

		{"nobody on a public address", true, "", nil, ""},
		{"nobody from elsewhere", true, "", []string{"From", elsewhere}, ""},
		{"a key from elsewhere", true, "", []string{"From", elsewhere, "x-api-key", alicesKey}, alice},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := serve.Options{Addr: loopbackAddr, TrustedHosts: []string{"nexus.example.org"}}
			if tt.public {
				opts.Addr = publicAddr
			}
			s := newHub(t, newToys().deps(t), opts)
			got := ask(t, s, "POST", "/api/v1/op/whoami"+tt.target, "", tt.headers...)
			switch {
			case tt.want != "" && !strings.Contains(got.Body.String(), tt.want):
				t.Errorf("got %d %s, want %s", got.Code, got.Body, tt.want)
			case tt.want == "" && (got.Code != 401 || code(t, got.Body.Bytes()) != nexus.AuthFailed):
				t.Errorf("got %d %s, want 401", got.Code, got.Body)
			}
		})
	}
}

func TestWhereAKeyIsNeeded(t *testing.T) {
	open := []string{"/", "/healthz", "/readyz", "/api/v1/info", "/api/v1/license", "/favicon.ico", "/assets/x.css"}
	closed := []string{"/metrics", "/api/v1/openapi.json", "/api/v1/echo/a", "/nonesuch", "/assets/../metrics", "//healthz"}
	public := newHub(t, newToys().deps(t), serve.Options{Addr: publicAddr})
	loopback := newHub(t, newToys().deps(t), serve.Options{})
	for _, path := range open {
		if got := ask(t, public, "GET", path, ""); got.Code == 401 {
			t.Errorf("%s needs a key", path)
		}
		got := ask(t, public, "GET", path, "", "x-api-key", unknownKey)
		if got.Code != 401 || !strings.Contains(got.Body.String(), "Authentication failed: unknown or inactive api_key") {
			t.Errorf("%s takes a wrong key: %d %s", path, got.Code, got.Body)
		}
	}
	for _, path := range closed {
		if got := ask(t, public, "GET", path, ""); got.Code != 401 {
			t.Errorf("%s needs no key: %d", path, got.Code)
		}
		if got := ask(t, loopback, "GET", path, ""); got.Code == 401 {
			t.Errorf("%s needs a key on loopback", path)
		}
	}
	for _, path := range []string{"/mcp", "/mcp/"} {
		for _, s := range []*serve.Server{public, loopback} {
			got := ask(t, s, "POST", path, initialize)
			if got.Code != 401 || !strings.HasPrefix(got.Header().Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s without a key: %d %v", path, got.Code, got.Header())
			}
			got = ask(t, s, "POST", path, initialize, "Authorization", "Bearer "+alicesKey, "Accept", "application/json, text/event-stream")
			if got.Code != 200 {
				t.Errorf("%s with a key: %d %s", path, got.Code, got.Body)
			}
		}
	}
}

// TestRotation: once the answer of a rotation is out, the old key is dead.
func TestRotation(t *testing.T) {
	for _, target := range []string{"/api/v1/agents/alice/regenerate-key", "/api/v1/op/agent_create"} {
		y := newToys()
		s := newHub(t, y.deps(t), serve.Options{})
		use := func() int { return ask(t, s, "GET", "/healthz", "", "x-api-key", alicesKey).Code }
		for range 3 {
			if use() != 200 {
				t.Fatal("the key does not work")
			}
		}
		if n := y.lookedUp(); n != 1 {
			t.Errorf("the store was asked %d times for one key", n)
		}
		body := ""
		if strings.HasSuffix(target, "agent_create") {
			body = `{"agent_id":"alice"}`
		}
		if got := ask(t, s, "POST", target, body); got.Code != 200 {
			t.Fatalf("%s: %d %s", target, got.Code, got.Body)
		}
		if got := use(); got != 401 {
			t.Errorf("after %s the old key is answered %d", target, got)
		}
	}
}

func TestKeysAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newToys()
		d := y.deps(t)
		d.Now = time.Now
		s := newHub(t, d, serve.Options{})
		use := func() int { return ask(t, s, "GET", "/healthz", "", "x-api-key", alicesKey).Code }
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()

		use()
		y.setOwner(alicesKey, "")
		if got := use(); got != 200 {
			t.Errorf("the key was looked up again at once: %d", got)
		}
		time.Sleep(10 * time.Second)
		if got := use(); got != 401 {
			t.Errorf("the key was remembered for too long: %d", got)
		}

		go s.Run(ctx) //nolint:errcheck // it ends with ctx and has no error
		synctest.Wait()
		y.setOwner(alicesKey, "alice")
		use()
		y.setOwner(alicesKey, "")
		y.wake(nexus.KeysKey)
		if got := use(); got != 401 {
			t.Errorf("the key outlived the news that keys changed: %d", got)
		}
	})
}

// TestForgettingDuringLookup: what was read before a change must not be
// remembered after it.
func TestForgettingDuringLookup(t *testing.T) {
	y := newToys()
	d := y.deps(t)
	slow := &slowKeys{toys: y, asked: make(chan struct{}), goOn: make(chan struct{})}
	d.Keys = slow
	s := newHub(t, d, serve.Options{})
	use := func() int { return ask(t, s, "GET", "/healthz", "", "x-api-key", alicesKey).Code }
	var first sync.WaitGroup
	first.Go(func() { use() })
	<-slow.asked
	y.setOwner(alicesKey, "")
	s.ForgetKeys()
	close(slow.goOn)
	first.Wait()
	if got := use(); got != 401 {
		t.Errorf("the old owner was remembered: %d", got)
	}
}

// slowKeys reads the owner first and answers later.
type slowKeys struct {
	*toys
	once        sync.Once
	asked, goOn chan struct{}
}

func (k *slowKeys) KeyActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error) {
	a, until, found, err = k.toys.KeyActor(ctx, hash)
	k.once.Do(func() {
		close(k.asked)
		<-k.goOn
	})
	return a, until, found, err
}

func TestStoreFailsDuringAuthentication(t *testing.T) {
	y := newToys()
	y.keysErr = nexus.Errorf(nexus.DBError, "The database is locked.")
	s := newHub(t, y.deps(t), serve.Options{})
	if got := ask(t, s, "GET", "/healthz", "", "x-api-key", alicesKey); got.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d %s: a key that could not be checked is not a wrong one", got.Code, got.Body)
	}
}

func TestKeysReachNoLog(t *testing.T) {
	var logged strings.Builder
	y := newToys()
	d := y.deps(t)
	d.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := newHub(t, d, serve.Options{})
	for _, key := range []string{alicesKey, unknownKey, operatorKey} {
		for _, target := range []string{"/healthz", "/nonesuch", "//healthz", "/mcp", "/api/v1/echo/a", "/api/v1/op/fail"} {
			got := ask(t, s, "POST", target+"?api_key="+key, `{"code":"plain"}`, "x-api-key", key, "Authorization", "Bearer "+key)
			if strings.Contains(got.Body.String(), key) || strings.Contains(got.Header().Get("Location"), key) {
				t.Errorf("the answer of %s repeats the key", target)
			}
		}
	}
	if !strings.Contains(logged.String(), "path=/healthz") {
		t.Error("there is no access log")
	}
	if strings.Contains(logged.String(), "nxs_") {
		t.Errorf("a key is in the log: %s", logged.String())
	}
}

func TestOperatorHashIsChecked(t *testing.T) {
	for _, hash := range []string{"xyz", "abcd"} {
		d := newToys().deps(t)
		d.OperatorKeyHash = hash
		if _, err := serve.New(d, serve.Options{Addr: loopbackAddr}); nexus.CodeOf(err) != nexus.ConfigError {
			t.Errorf("%q: got %v", hash, err)
		}
	}
}
