package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"nexus"
)

const (
	keyPrefix = "nxs_"
	keyDigits = 48

	// How long the owner of a key is remembered, and of how many keys.
	keyMemory = 10 * time.Second
	keyCount  = 4096
)

type keyHash [sha256.Size]byte

// An authenticator tells who makes a call. It remembers whose key is whose for
// a moment; [authenticator.forget] ends that at once.
type authenticator struct {
	keys     Keys
	operator []byte // hash of the operator's key; nil for none
	now      func() time.Time

	mu    sync.Mutex
	known map[keyHash]keyOwner
	// epoch counts the times everything was forgotten. What was looked up
	// before such a moment must not be remembered after it.
	epoch uint64
	// changed has a value when keys changed since it was last looked at, which
	// is done before each use of known: no goroutine has to be quick enough.
	changed <-chan struct{}
}

type keyOwner struct {
	agentID string
	until   time.Time
}

func newAuthenticator(keys Keys, operatorHash string, now func() time.Time) (*authenticator, error) {
	operator, err := hex.DecodeString(operatorHash)
	if err != nil || len(operator) != 0 && len(operator) != sha256.Size {
		return nil, nexus.Errorf(nexus.ConfigError, "The hash of the operator's key is no SHA-256 in hex.")
	}
	return &authenticator{keys: keys, operator: operator, now: now, known: map[keyHash]keyOwner{}}, nil
}

// actor is whose key it is.
func (a *authenticator) actor(ctx context.Context, key string) (nexus.Actor, error) {
	hash := keyHash(sha256.Sum256([]byte(key)))
	if subtle.ConstantTimeCompare(hash[:], a.operator) == 1 {
		return nexus.Actor{Kind: nexus.KindOperator}, nil
	}
	if a.keys == nil || !wellFormed(key) {
		return nexus.Actor{}, wrongKey()
	}
	agentID, err := a.owner(ctx, hash)
	if err != nil {
		return nexus.Actor{}, err
	}
	return nexus.Actor{Kind: nexus.KindAgent, AgentID: agentID}, nil
}

func (a *authenticator) owner(ctx context.Context, hash keyHash) (string, error) {
	a.mu.Lock()
	a.catchUp()
	epoch := a.epoch
	owner, ok := a.known[hash]
	a.mu.Unlock()
	if ok && a.now().Before(owner.until) {
		return owner.agentID, nil
	}
	agentID, found, err := a.keys.KeyOwner(ctx, hex.EncodeToString(hash[:]))
	if err != nil {
		return "", err
	}
	if !found {
		return "", wrongKey()
	}
	a.remember(hash, agentID, epoch)
	return agentID, nil
}

func (a *authenticator) remember(hash keyHash, agentID string, epoch uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	if a.epoch != epoch {
		return
	}
	if len(a.known) >= keyCount {
		clear(a.known)
	}
	a.known[hash] = keyOwner{agentID, a.now().Add(keyMemory)}
}

// watch gives the channel that tells of changes, nil when nobody does.
func (a *authenticator) watch(changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed = changed
	a.forgetLocked()
}

// forget makes every key be looked up again.
func (a *authenticator) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forgetLocked()
}

func (a *authenticator) catchUp() {
	select {
	case <-a.changed:
		a.forgetLocked()
	default:
	}
}

func (a *authenticator) forgetLocked() {
	a.epoch++
	clear(a.known)
}

// wellFormed spares the store the question whose key a random string is.
func wellFormed(key string) bool {
	digits, ok := strings.CutPrefix(key, keyPrefix)
	return ok && len(digits) == keyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

func wrongKey() *nexus.Error {
	return nexus.Errorf(nexus.AuthFailed, "Authentication failed: unknown or inactive api_key")
}

// identify finds out who asks. The request it returns carries the actor, and the
// key is gone from its address, so that nothing further down can log it or send
// it on. A wrong key is refused also where none is needed.
func (s *Server) identify(r *http.Request) (*http.Request, error) {
	key, r := takeKey(r)
	switch {
	case key != "":
		actor, err := s.auth.actor(r.Context(), key)
		if err != nil {
			return r, err
		}
		return r.WithContext(nexus.WithActor(r.Context(), actor)), nil
	case isMCP(r.URL.Path):
		return r, nexus.Errorf(nexus.AuthFailed, "Authentication required: send an api_key as Authorization: Bearer.")
	case s.loopback && fromHere(r):
		return r.WithContext(nexus.WithActor(r.Context(), nexus.Actor{Kind: nexus.KindOperator})), nil
	case isPublic(r.URL.Path):
		return r, nil
	default:
		return r, nexus.Errorf(nexus.AuthFailed,
			"Authentication required: send an api_key as Authorization: Bearer, x-api-key or ?api_key=.")
	}
}

// fromHere tells whether a request was made on this machine. What a reverse
// proxy passes on only looks like it.
func fromHere(r *http.Request) bool {
	for _, sign := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if _, passedOn := r.Header[sign]; passedOn {
			return false
		}
	}
	return isLoopbackAddr(r.RemoteAddr) && isLoopbackHost(r.Host)
}

func isMCP(p string) bool { return p == "/mcp" || strings.HasPrefix(p, "/mcp/") }

// isPublic tells which paths may be seen without a key on any bind.
func isPublic(p string) bool {
	switch p {
	case "/", "/healthz", "/readyz", "/api/v1/info", "/api/v1/license", "/favicon.ico":
		return true
	}
	return strings.HasPrefix(p, "/assets/") && path.Clean(p) == p
}

// takeKey finds the key of a request: the query first, then x-api-key, then
// Authorization. The first one found counts.
func takeKey(r *http.Request) (key string, _ *http.Request) {
	if r.URL.RawQuery != "" {
		var rest string
		if key, rest = cutKey(r.URL.RawQuery); rest != r.URL.RawQuery {
			u, copied := *r.URL, *r
			u.RawQuery = rest
			copied.URL, copied.RequestURI = &u, u.RequestURI()
			r = &copied
		}
	}
	if key == "" {
		key = strings.TrimSpace(r.Header.Get("X-Api-Key"))
	}
	if key == "" {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") {
			key = strings.TrimSpace(token)
		}
	}
	return key, r
}

// cutKey takes every api_key out of a query and returns the first that is not
// empty. The rest of the query stays as it was written.
func cutKey(query string) (key, rest string) {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err != nil || plain != "api_key" {
			kept = append(kept, pair)
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if key == "" {
			key = value
		}
	}
	return key, strings.Join(kept, "&")
}
