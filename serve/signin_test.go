package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/serve"
)

// people are those who are signed in, by the hash of their token.
type people struct {
	mu  sync.Mutex
	all map[string]nexus.Actor
}

func (p *people) SignIn(_ context.Context, a nexus.Actor, tokenHash, _, _ string) (string, time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[string]nexus.Actor{}
	}
	a.SignInID = fmt.Sprint("sgn_", len(p.all)+1)
	if a.AgentID != "" {
		a.KeyID = "key_of_" + a.AgentID
	}
	p.all[tokenHash] = a
	return a.SignInID, time.Now().Add(time.Hour), nil
}

func (p *people) SignInActor(_ context.Context, hash string) (nexus.Actor, time.Time, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, found := p.all[hash]
	return a, time.Time{}, found, nil
}

func (p *people) SignOut(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for hash, a := range p.all {
		if a.SignInID == id {
			delete(p.all, hash)
		}
	}
	return nil
}

// signIn signs somebody in and returns the cookie as a browser sends it.
func signIn(t *testing.T, s *serve.Server, key string) (cookie string) {
	t.Helper()
	got := ask(t, s, "POST", "/api/v1/sign-in", `{"api_key":"`+key+`"}`)
	if got.Code != 200 {
		t.Fatalf("got %d %s", got.Code, got.Body)
	}
	c, err := http.ParseSetCookie(got.Header().Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		t.Errorf("the cookie is %s", c)
	}
	return c.Name + "=" + c.Value
}

func TestSignIn(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Addr: publicAddr})
	cookie := signIn(t, s, alicesKey)
	if got := ask(t, s, "GET", "/api/v1/me", "", "Cookie", cookie); got.Code != 200 || !strings.Contains(got.Body.String(), `"agent_id":"alice"`) {
		t.Errorf("with the cookie: %d %s", got.Code, got.Body)
	}
	if got := ask(t, s, "GET", "/api/v1/docs", "", "Cookie", cookie); got.Code != 200 {
		t.Errorf("the docs with the cookie: %d %s", got.Code, got.Body)
	}
	if got := ask(t, s, "POST", "/api/v1/sign-out", "", "Cookie", cookie); got.Code != 200 || !strings.Contains(got.Body.String(), `"signed_out":true`) {
		t.Errorf("signing out: %d %s", got.Code, got.Body)
	}
	if got := ask(t, s, "GET", "/api/v1/me", "", "Cookie", cookie); got.Code != 401 {
		t.Errorf("the cookie is good after signing out: %d", got.Code)
	}
}

// TestSignInNeedsKey: neither a place nor a cookie is enough, or a stay would
// never end.
func TestSignInNeedsKey(t *testing.T) {
	d := newToys().deps(t)
	public, here := newHub(t, d, serve.Options{Addr: publicAddr}), newHub(t, d, serve.Options{})
	tests := []struct {
		name    string
		hub     *serve.Server
		body    string
		headers []string
		status  int
	}{
		{"with nothing", public, "", nil, 422},
		{"from this machine", here, "", nil, 422},
		{"with a cookie", public, "", []string{"Cookie", signIn(t, public, alicesKey)}, 422},
		{"as the operator, with a cookie", public, "", []string{"Cookie", signIn(t, public, operatorKey)}, 422},
		{"with a wrong key", public, `{"api_key":"` + unknownKey + `"}`, nil, 401},
		{"with no key but a number", public, `{"api_key":1}`, nil, 422},
		{"with a list", public, `[]`, nil, 422},
		{"with a key in a header", public, "", []string{"Authorization", "Bearer " + operatorKey}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, tt.hub, "POST", "/api/v1/sign-in", tt.body, tt.headers...)
			if got.Code != tt.status || (got.Header().Get("Set-Cookie") != "") != (tt.status == 200) {
				t.Errorf("got %d %s, want %d", got.Code, got.Body, tt.status)
			}
		})
	}
}

// TestGuessingAtSignIn: whoever tries keys here must wait as anywhere else.
func TestGuessingAtSignIn(t *testing.T) {
	d := newToys().deps(t)
	now := time.Now()
	d.Now = func() time.Time { return now }
	s := newHub(t, d, serve.Options{Addr: publicAddr})
	for range 100 {
		if got := ask(t, s, "POST", "/api/v1/sign-in", `{"api_key":"`+unknownKey+`"}`); got.Code == 429 {
			return
		}
	}
	t.Error("a hundred wrong keys were looked at")
}
