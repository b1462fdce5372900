package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"nexus"
)

const (
	cookieName  = "nexus_sign_in"
	tokenPrefix = "nxw_"
)

// serveSignIn opens a person's stay: whoever has a key gets a cookie that stands
// for it. Scripts cannot read it, other sites cannot make the browser send it,
// and it dies with the key.
func (s *Server) serveSignIn(w http.ResponseWriter, r *http.Request) {
	if s.deps.SignIns == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	actor, err := s.signingIn(r)
	defer func() { s.metrics.signIns.WithLabelValues(codeLabel(nexus.CodeOf(err))).Inc() }()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	token := newToken()
	hash := sha256.Sum256([]byte(token))
	id, until, err := s.deps.SignIns.SignIn(r.Context(), actor, hex.EncodeToString(hash[:]), r.UserAgent(), s.proxies.client(r).String())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	actor.SignInID = id
	s.setCookie(w, r, token, until)
	writeData(w, s.describeActor(actor, until))
}

// signingIn is who signs in: the key is in the body, or where keys are sent.
func (s *Server) signingIn(r *http.Request) (nexus.Actor, error) {
	body, err := s.readBody(r)
	if err != nil {
		return nexus.Actor{}, err
	}
	var given struct {
		Key string `json:"api_key"`
	}
	if len(body) > 0 && json.Unmarshal(body, &given) != nil {
		return nexus.Actor{}, nexus.Invalid("api_key", "The body must be a JSON object with api_key.")
	}
	if key := strings.TrimSpace(given.Key); key != "" {
		actor, err := s.auth.actor(r.Context(), key)
		err = s.judgeKey(r, err)
		return actor, err
	}
	// Nobody signs in by being on the right machine, nor with a cookie, which
	// would then never end: there must be a key.
	a := nexus.ActorFrom(r.Context())
	if a.SignInID == "" && (a.KeyID != "" || a.Kind == nexus.KindOperator && !s.loopback && a.Person == "") {
		return a, nil
	}
	return nexus.Actor{}, nexus.Invalid("api_key", "api_key is required: send {\"api_key\":\"nxs_…\"}.")
}

// serveSignOut ends the sign-in that it was asked with, and nothing else.
func (s *Server) serveSignOut(w http.ResponseWriter, r *http.Request) {
	a := nexus.ActorFrom(r.Context())
	if a.SignInID != "" {
		if err := s.deps.SignIns.SignOut(r.Context(), a.SignInID); err != nil {
			s.fail(w, r, err)
			return
		}
		s.ForgetKeys()
	}
	s.setCookie(w, r, "", time.Unix(1, 0))
	writeData(w, map[string]any{"signed_out": a.SignInID != ""})
}

// serveMe says who asks, and what that one may do.
func (s *Server) serveMe(w http.ResponseWriter, r *http.Request) {
	writeData(w, s.describeActor(nexus.ActorFrom(r.Context()), time.Time{}))
}

func (s *Server) describeActor(a nexus.Actor, until time.Time) map[string]any {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	d := map[string]any{
		"kind": a.Kind, "agent_id": orNull(a.AgentID), "person": orNull(a.Person), "sign_in_id": orNull(a.SignInID),
		"scopes": a.Scopes.List(), "is_admin": a.MayAdminister() && a.Kind != nexus.KindProcess,
	}
	if a.Scopes == "" {
		d["scopes"] = []string{nexus.ScopeAdmin, nexus.ScopeMCP, nexus.ScopeRead, nexus.ScopeRPC, nexus.ScopeWrite}
	}
	if !until.IsZero() {
		d["expires_at"] = nexus.Stamp(until)
	}
	return d
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, token string, until time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: token, Path: "/", Expires: until,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.proxies.secure(r),
	})
}

func newToken() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return tokenPrefix + hex.EncodeToString(random[:])
}
