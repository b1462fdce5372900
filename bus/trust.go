package bus

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"nexus"
)

// hash is how a secret is kept: good for comparing, useless for speaking.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// actAs checks that the caller may speak for an agent at all: one who is bound
// to an identity by a key may speak for that one only, and where trust is strict
// so may everybody who came with a key.
func (s *Service) actAs(ctx context.Context, agentID string) error {
	a := nexus.ActorFrom(ctx)
	if isOperatorID(agentID) {
		switch {
		case a.Kind != nexus.KindOperator:
			return nexus.Errorf(nexus.NotOwner, "%q is the operator's name; you cannot act under it.", nexus.OperatorID)
		case agentID != nexus.OperatorID:
			return nexus.Invalid("agent_id", "The operator's name is written %q.", nexus.OperatorID)
		}
	}
	if a.AgentID == "" || a.AgentID == agentID || !a.Bound && !s.knobs().Strict {
		return nil
	}
	return nexus.Errorf(nexus.NotOwner, "Your key belongs to agent %q; you cannot act as %q.", a.AgentID, agentID).
		With("authenticated_agent_id", a.AgentID).With("attempted_agent_id", agentID)
}

// isOperatorID tells whether a name is the operator's, or could be taken for it.
func isOperatorID(agentID string) bool {
	return nexus.IsOperatorName(agentID)
}

// mayRegister refuses names that are reserved or too long, and those that only
// confuse.
func mayRegister(agentID string) error {
	if agentID == "." || agentID == ".." {
		return noName(agentID)
	}
	return mayManage(agentID)
}

// mayCreate also refuses names that no address of the web could tell: there a path
// has neither empty parts nor dots for parts.
func mayCreate(agentID string) error {
	for part := range strings.SplitSeq(agentID, "/") {
		if part == "" || part == "." || part == ".." {
			return noName(agentID)
		}
	}
	return mayManage(agentID)
}

func noName(agentID string) error {
	return nexus.Invalid("agent_id", "%q cannot be a name. Choose another one.", agentID)
}

// mayManage refuses names that are no agent's: reserved or too long.
func mayManage(agentID string) error {
	if isOperatorID(agentID) {
		return nexus.Invalid("agent_id", "%q is reserved for whoever runs this hub. Choose another name.", nexus.OperatorID)
	}
	return brief("agent_id", agentID)
}

// trust checks the session a sensitive verb is called from. Where trust is
// strict it must be proved; where it is open, what is given must be true. The
// operator is proved by how it came in.
func (s *Service) trust(ctx context.Context, tx Tx, agentID string, c Credentials) error {
	if err := s.actAs(ctx, agentID); err != nil {
		return err
	}
	if s.knobs().Strict && agentID != nexus.OperatorID && (c.SessionID == "" || c.SessionSecret == "") {
		return nexus.Invalid("session_secret",
			"This hub trusts nobody unproved: pass session_id (from_session_id for what you send) and session_secret as session_open returned them.")
	}
	if err := s.checkSession(tx, agentID, c); err != nil {
		return err
	}
	return s.enroll(tx, agentID)
}

// trusted is [nexus.Update] for one who must prove something first: before fn
// runs, and before a repeated call gets the answer of the first one.
func trusted[R any](ctx context.Context, s *Service, prove func(Tx) error, fn func(Tx) (R, error)) (R, error) {
	return nexus.Update(nexus.WithProof(ctx, prove), s.store, func(tx Tx) (R, error) {
		if err := prove(tx); err != nil {
			var zero R
			return zero, err
		}
		return fn(tx)
	})
}

// proof is what an agent that calls a sensitive verb must prove; see [trusted].
func (s *Service) proof(ctx context.Context, agentID string, c Credentials) func(Tx) error {
	return func(tx Tx) error { return s.trust(ctx, tx, agentID, c) }
}

// enroll registers the operator when it first acts under its own name, so that
// it can be answered. Everybody else registers by themselves.
func (s *Service) enroll(tx Tx, agentID string) error {
	if agentID != nexus.OperatorID {
		return nil
	}
	if exists, err := tx.AgentExists(agentID); err != nil || exists {
		return err
	}
	now := s.now()
	stamp := nexus.Stamp(now)
	made, err := tx.InsertAgent(RegisteredAgent{Agent{ID: agentID, CreatedAt: stamp, LastSeenAt: &stamp}, stamp})
	if err != nil || !made { // another call was faster
		return err
	}
	return s.system(tx, now, "agent.registered", agentID, map[string]any{"agent_id": agentID, "role": nil, "capabilities": nil})
}

// speaksFrom is [Service.trust] for verbs that need no proof: a session that is
// named must be the agent's own.
func (s *Service) speaksFrom(ctx context.Context, tx Tx, agentID, sessionID string) error {
	if err := s.actAs(ctx, agentID); err != nil {
		return err
	}
	if err := s.checkSession(tx, agentID, Credentials{SessionID: sessionID}); err != nil {
		return err
	}
	return s.enroll(tx, agentID)
}

// checkSession holds what is said of a session against what is known of it.
func (s *Service) checkSession(tx Tx, agentID string, c Credentials) error {
	if c.SessionID == "" && c.SessionSecret == "" {
		return nil
	}
	if c.SessionID == "" {
		return nexus.Invalid("session_id", "A session_secret needs the session_id it belongs to.")
	}
	session, found, err := tx.Session(c.SessionID)
	if err != nil {
		return err
	}
	if !found {
		return nexus.Errorf(nexus.NotFound, "There is no session %q. Open one with session_open.", c.SessionID)
	}
	if session.AgentID != agentID {
		return nexus.Errorf(nexus.NotOwner, "Session %q belongs to another agent.", c.SessionID)
	}
	if c.SessionSecret == "" {
		return nil
	}
	if session.Status == SessionClosed ||
		subtle.ConstantTimeCompare([]byte(session.SecretHash), []byte(hash(c.SessionSecret))) != 1 {
		return nexus.Errorf(nexus.NotOwner,
			"The session_secret is not that of an open session %q. Open a new session with session_open.", c.SessionID)
	}
	return nil
}
