package serve

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"

	"nexus"
)

// identify finds out who asks. The request it returns carries the actor, and the
// key is gone from its address, so that nothing further down can log it or send
// it on. A wrong key is refused also where none is needed.
func (s *Server) identify(r *http.Request) (*http.Request, error) {
	key, r := takeKey(r)
	mcp := isMCP(r.URL.Path)
	if key != "" {
		actor, err := s.auth.actor(r.Context(), key)
		if err == nil && mcp {
			err = actor.Needs(nexus.ScopeMCP, r.URL.Path)
		}
		ctx := nexus.WithActor(r.Context(), actor)
		return r.WithContext(withCredential(ctx, func(ctx context.Context) error {
			_, err := s.auth.actor(ctx, key)
			return err
		})), err
	}
	if r.Method == http.MethodOptions { // what may be asked for is no secret
		return r, nil
	}
	if mcp {
		return r, nexus.Errorf(nexus.AuthFailed, "Authentication required: send an api_key as Authorization: Bearer.")
	}
	actor, known, err := s.person(r)
	switch {
	case err != nil:
		return r, err
	case known:
		return r.WithContext(withCredential(nexus.WithActor(r.Context(), actor), func(ctx context.Context) error {
			if _, known, err := s.person(r.WithContext(ctx)); err != nil || known {
				return err
			}
			return nexus.Errorf(nexus.AuthFailed, "You are no longer signed in.")
		})), nil
	case s.loopback && fromHere(r):
		return r.WithContext(nexus.WithActor(r.Context(), nexus.Actor{Kind: nexus.KindOperator})), nil
	case isPublic(r.URL.Path), opensDashboard(r):
		return r, nil
	default:
		return r, nexus.Errorf(nexus.AuthFailed,
			"Authentication required: send an api_key as Authorization: Bearer, x-api-key or ?api_key=, or sign in.")
	}
}

// person finds out who sits in front of a browser: by the cookie of a sign-in,
// or by what a proxy that is trusted says.
func (s *Server) person(r *http.Request) (nexus.Actor, bool, error) {
	if name := s.proxies.user(r); name != "" {
		return nexus.Actor{Kind: nexus.KindOperator, Person: name}, true, nil
	}
	if s.deps.SignIns == nil {
		return nexus.Actor{}, false, nil
	}
	c, err := r.Cookie(cookieName)
	if err != nil || !strings.HasPrefix(c.Value, tokenPrefix) {
		return nexus.Actor{}, false, nil
	}
	return s.auth.lookUp(r.Context(), keyHash(sha256.Sum256([]byte(c.Value))), s.deps.SignIns.SignInActor)
}

// fromHere tells whether a request was made on this machine. What a reverse
// proxy passes on only looks like it.
func fromHere(r *http.Request) bool {
	for _, sign := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if _, passedOn := r.Header[sign]; passedOn {
			return false
		}
	}
	return isLoopbackAddr(r.RemoteAddr) && (isLoopbackHost(r.Host) || isHostless(r))
}

func isMCP(p string) bool { return p == "/mcp" || strings.HasPrefix(p, "/mcp/") }

// isPublic tells which paths may be seen without a key on any bind.
func isPublic(p string) bool {
	switch p {
	case "/", "/healthz", "/readyz", "/api/v1/info", "/api/v1/license", "/api/v1/sign-in":
		return true
	}
	return isAsset(p)
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
