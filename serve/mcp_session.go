package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"nexus"
)

// sessionState is what an MCP session remembers. It lives in the store: no
// client recovers when a restart, or another node, does not know its session.
type sessionState struct {
	Version       string   `json:"version"`
	Level         string   `json:"level,omitempty"`
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Joined are the names that it has in topics, the latest last.
	Joined []nexus.Membership `json:"joined,omitempty"`
}

// subscribe adds or removes a resource. A session that subscribes without end
// loses its oldest subscriptions.
func (s *sessionState) subscribe(uri string, on bool) {
	const most = 256
	s.Subscriptions = slices.DeleteFunc(slices.Clone(s.Subscriptions), func(u string) bool { return u == uri })
	if on {
		s.Subscriptions = append(s.Subscriptions, uri)
	}
	if extra := len(s.Subscriptions) - most; extra > 0 {
		s.Subscriptions = s.Subscriptions[extra:]
	}
}

// errNoSession is the answer for an id that names no session of this agent. It
// does not tell which: ids are not to be tried out.
var errNoSession = errors.New("no such session")

// sessionBook keeps sessions in the store and, for a short while, at hand. What
// it does not find it does not remember: the session may be opened elsewhere.
type sessionBook struct {
	store Sessions

	changing sync.Mutex // one change at a time, so that none is lost here
	mu       sync.Mutex
	at       map[string]heldSession
}

type heldSession struct {
	agent string
	state sessionState
	until time.Time
}

const (
	// holdSession is how long a session that another node ended may live on here.
	holdSession = 10 * time.Second
	// heldSessions bounds the memory of it.
	heldSessions = 10_000
)

// open starts a session and returns its id, which nobody can guess.
func (b *sessionBook) open(ctx context.Context, agent string, state sessionState) (id string, err error) {
	id = rand.Text()
	return id, b.save(ctx, id, agent, state)
}

// find is the state of an agent's session, or errNoSession.
func (b *sessionBook) find(ctx context.Context, id, agent string) (sessionState, error) {
	held, ok := b.recall(id)
	if !ok {
		owner, state, err := b.load(ctx, id)
		if err != nil {
			return sessionState{}, err
		}
		held = b.hold(id, owner, state)
	}
	if held.agent != agent {
		return sessionState{}, errNoSession
	}
	return held.state, nil
}

// change alters the state of a session from what the store has now.
func (b *sessionBook) change(ctx context.Context, id string, alter func(*sessionState)) error {
	b.changing.Lock()
	defer b.changing.Unlock()
	agent, state, err := b.load(ctx, id)
	if err != nil {
		return err
	}
	alter(&state)
	return b.save(ctx, id, agent, state)
}

// drop ends an agent's session.
func (b *sessionBook) drop(ctx context.Context, id, agent string) error {
	if _, err := b.find(ctx, id, agent); err != nil {
		return err
	}
	b.changing.Lock()
	defer b.changing.Unlock()
	err := b.store.DropSession(ctx, sessionName(id))
	b.forget(id)
	return err
}

// forget makes the next look at a session ask the store.
func (b *sessionBook) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.at, id)
}

func (b *sessionBook) load(ctx context.Context, id string) (agent string, state sessionState, err error) {
	agent, raw, found, err := b.store.Session(ctx, sessionName(id))
	switch {
	case err != nil:
		return "", state, fmt.Errorf("find the session: %w", err)
	case !found:
		return "", state, errNoSession
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		return "", state, fmt.Errorf("read the session: %w", err)
	}
	if state, err = state.opened(id); err != nil {
		return "", state, fmt.Errorf("read the session: %w", err)
	}
	return agent, state, nil
}

func (b *sessionBook) save(ctx context.Context, id, agent string, state sessionState) error {
	sealed, err := state.sealed(id)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	if err := b.store.SaveSession(ctx, sessionName(id), agent, raw); err != nil {
		return fmt.Errorf("save the session: %w", err)
	}
	b.hold(id, agent, state)
	return nil
}

func (b *sessionBook) recall(id string) (heldSession, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, ok := b.at[id]
	return held, ok && time.Now().Before(held.until)
}

func (b *sessionBook) hold(id, agent string, state sessionState) heldSession {
	held := heldSession{agent, state, time.Now().Add(holdSession)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at == nil || len(b.at) >= heldSessions {
		b.at = map[string]heldSession{} // all can be loaded again
	}
	b.at[id] = held
	return held
}

// admit finds the session that a message belongs to. When there is none it has
// sent the answer. A message without a session is welcome too.
func (v *visit) admit(r *request) (sessionState, bool) {
	if v.session == "" {
		return sessionState{Version: version20250326}, true
	}
	state, err := v.sessions.find(v.r.Context(), v.session, v.agent())
	switch {
	case err == nil:
		return state, true
	case errors.Is(err, errNoSession):
		v.write(http.StatusNotFound, refuse(nil, r.id, noSession()).body)
	case r.kind != requestMessage: // any other status could end the client
		v.mcp.log.ErrorContext(v.r.Context(), "an MCP session could not be found", "error", err)
		v.w.WriteHeader(http.StatusAccepted)
	default:
		v.mcp.log.ErrorContext(v.r.Context(), "an MCP session could not be found", "error", err)
		v.send(refuse(nil, r.id, &fault{code: mcpInternalError, msg: "The session could not be looked up. Try again."}))
	}
	return state, false
}

func noSession() *fault {
	return invalidRequest("There is no such session. Start a new one with initialize.")
}

func (v *visit) agent() string { return nexus.ActorFrom(v.r.Context()).AgentID }

// begin opens a session. Its id goes out with this answer and with no other,
// since clients take it from any.
func (v *visit) begin(ctx context.Context, version string) error {
	id, err := v.sessions.open(ctx, v.agent(), sessionState{Version: version})
	if err == nil {
		v.w.Header().Set(headerSession, id)
	}
	return err
}

func (v *visit) remember(ctx context.Context, change func(*sessionState)) error {
	if v.session == "" {
		return nil
	}
	return v.sessions.change(ctx, v.session, change)
}

func (v *visit) joined(ctx context.Context, again bool) []nexus.Membership {
	if v.session == "" {
		return nil
	}
	if again {
		v.sessions.forget(v.session)
	}
	state, err := v.sessions.find(ctx, v.session, v.agent())
	if err != nil {
		v.mcp.log.ErrorContext(ctx, "an MCP session could not be found", "error", err)
	}
	return state.Joined
}

// drop ends the session and what is in flight on it here.
func (v *visit) drop() {
	err := v.sessions.drop(v.r.Context(), v.session, v.agent())
	switch {
	case err == nil:
		v.mcp.flights.endAll(v.session)
		v.w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errNoSession):
		v.sendFault(http.StatusNotFound, noSession())
	default:
		v.mcp.log.ErrorContext(v.r.Context(), "an MCP session was not ended", "error", err)
		v.sendFault(http.StatusServiceUnavailable, &fault{code: mcpInternalError, msg: "The session could not be ended. Try again."})
	}
}
