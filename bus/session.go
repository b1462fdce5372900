package bus

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"nexus"
)

// What is stored as, or derived for, the status of a session.
const (
	SessionActive = "active"
	SessionStale  = "stale"
	SessionClosed = "closed"
)

// A Session is an agent's stay in a workspace.
type Session struct {
	ID              string  `json:"session_id"`
	AgentID         string  `json:"agent_id"`
	WorkspaceID     string  `json:"workspace_id"`
	Status          string  `json:"status"`
	StartedAt       string  `json:"started_at"`
	LastHeartbeatAt string  `json:"last_heartbeat_at"`
	ClosedAt        *string `json:"closed_at"`

	SecretHash string     `json:"-"`
	Metadata   nexus.JSON `json:"-"`
}

type sessionRows interface {
	Session(id string) (Session, bool, error)
	InsertSession(Session) error
	// HeartbeatSession advances an active session and tells whether it was one.
	HeartbeatSession(id, at string) (bool, error)
	// CloseSession closes an active session and tells whether it was one.
	CloseSession(id, at string) (bool, error)
	// SilentSessions are the active sessions of a workspace last heard before.
	SilentSessions(workspaceID, before string) ([]Session, error)
	// Heartbeats are the agents with active sessions in a workspace, with the
	// latest heartbeat of each.
	Heartbeats(workspaceID string) ([]Heartbeat, error)
}

// A Heartbeat is when an agent was last heard in a workspace.
type Heartbeat struct {
	AgentID string
	At      string
}

// Present is the one answer to "is it here?": an active session that was heard
// within the window. Broadcasts go to exactly these.
func Present(status, heartbeat string, now time.Time, window time.Duration) bool {
	return status == SessionActive && heartbeat >= nexus.Stamp(now.Add(-window))
}

// derivedStatus is how a stored session reads now.
func (s *Service) derivedStatus(status, heartbeat string, now time.Time) string {
	if status == SessionActive && !Present(status, heartbeat, now, s.knobs().SessionStale) {
		return SessionStale
	}
	return status
}

// OpenParams say who moves in where.
type OpenParams struct {
	AgentID     string     `json:"agent_id" jsonschema:"you, as registered"`
	WorkspaceID string     `json:"workspace_id" jsonschema:"where, as workspace_resolve returned it" required:"WORKSPACE_REQUIRED"`
	Metadata    nexus.JSON `json:"metadata,omitempty" jsonschema:"anything others should know of this stay"`
}

// OpenedSession is a new session with its secret, which is shown only here.
type OpenedSession struct {
	ID              string `json:"session_id"`
	AgentID         string `json:"agent_id"`
	WorkspaceID     string `json:"workspace_id"`
	Status          string `json:"status"`
	StartedAt       string `json:"started_at"`
	LastHeartbeatAt string `json:"last_heartbeat_at"`
	Secret          string `json:"session_secret"`
	Hint
}

// MadeID is what a repeated call is told instead of the secret.
func (o OpenedSession) MadeID() string { return o.ID }

// Open starts an agent's stay in a workspace.
func (s *Service) Open(ctx context.Context, p OpenParams) (OpenedSession, error) {
	if p.WorkspaceID == "" {
		return OpenedSession{}, nexus.Errorf(nexus.WorkspaceRequired,
			"No workspace was given: pass the workspace_id that workspace_resolve returned.").With("field", "workspace_id")
	}
	if err := required("agent_id", p.AgentID); err != nil {
		return OpenedSession{}, err
	}
	if err := cmp.Or(s.actAs(ctx, p.AgentID), nexus.ActorFrom(ctx).MayEnter(p.WorkspaceID)); err != nil {
		return OpenedSession{}, err
	}
	if err := s.fits("metadata", len(p.Metadata)); err != nil {
		return OpenedSession{}, err
	}
	now, secret := s.now(), uuid.NewString()
	session := Session{
		ID: s.newID("ses"), AgentID: p.AgentID, WorkspaceID: p.WorkspaceID, Status: SessionActive,
		StartedAt: nexus.Stamp(now), LastHeartbeatAt: nexus.Stamp(now), SecretHash: hash(secret), Metadata: p.Metadata,
	}
	return nexus.Update(ctx, s.store, func(tx Tx) (OpenedSession, error) {
		if err := s.insertSession(tx, session, now); err != nil {
			return OpenedSession{}, err
		}
		hint, err := s.hint(tx, session.AgentID, now, mostUnread)
		return OpenedSession{
			ID: session.ID, AgentID: session.AgentID, WorkspaceID: session.WorkspaceID, Status: session.Status,
			StartedAt: session.StartedAt, LastHeartbeatAt: session.LastHeartbeatAt, Secret: secret, Hint: hint,
		}, err
	})
}

func (s *Service) insertSession(tx Tx, session Session, now time.Time) error {
	if _, found, err := tx.Workspace(session.WorkspaceID); err != nil || !found {
		return orNotFound(err, "There is no workspace %q. Call workspace_resolve first.", session.WorkspaceID)
	}
	if err := s.enroll(tx, session.AgentID); err != nil {
		return err
	}
	if exists, err := tx.AgentExists(session.AgentID); err != nil || !exists {
		return orNotFound(err, "There is no agent %q. Call agent_register first.", session.AgentID)
	}
	if err := s.reap(tx, session.WorkspaceID, now); err != nil {
		return err
	}
	if err := tx.InsertSession(session); err != nil {
		return err
	}
	if err := touch(tx, session.AgentID, now, 0); err != nil {
		return err
	}
	payload := map[string]any{"session_id": session.ID, "agent_id": session.AgentID}
	if session.Metadata != nil {
		payload["metadata"] = session.Metadata
	}
	return s.sessionEvent(tx, session, "session.opened", payload, now)
}

func orNotFound(err error, format string, a ...any) error {
	if err != nil {
		return err
	}
	return nexus.Errorf(nexus.NotFound, format, a...)
}

// SessionParams name a session, and the workspace it must be in when given.
type SessionParams struct {
	SessionID   string `json:"session_id" jsonschema:"your session"`
	WorkspaceID string `json:"workspace_id,omitempty" jsonschema:"checked when given"`
}

// HeartbeatResult is how a session stands.
type HeartbeatResult struct {
	ID              string `json:"session_id"`
	Status          string `json:"status"`
	LastHeartbeatAt string `json:"last_heartbeat_at"`
	Hint
}

// Heartbeat tells that a session is alive. A closed one stays closed.
func (s *Service) Heartbeat(ctx context.Context, p SessionParams) (HeartbeatResult, error) {
	now := s.now()
	return onSession(ctx, s, p, func(tx Tx, session Session) (HeartbeatResult, error) {
		alive, err := tx.HeartbeatSession(session.ID, nexus.Stamp(now)) // before the dead are reaped, of whom it is not one
		if err != nil {
			return HeartbeatResult{}, err
		}
		if err := s.reap(tx, session.WorkspaceID, now); err != nil {
			return HeartbeatResult{}, err
		}
		if !alive {
			return HeartbeatResult{ID: session.ID, Status: SessionClosed, LastHeartbeatAt: session.LastHeartbeatAt}, nil
		}
		if err := touch(tx, session.AgentID, now, 0); err != nil {
			return HeartbeatResult{}, err
		}
		hint, err := s.hint(tx, session.AgentID, now, mostUnread)
		if err != nil {
			return HeartbeatResult{}, err
		}
		result := HeartbeatResult{session.ID, SessionActive, nexus.Stamp(now), hint}
		if s.derivedStatus(session.Status, session.LastHeartbeatAt, now) != SessionStale {
			return result, nil
		}
		return result, s.sessionEvent(tx, session, "session.heartbeat",
			map[string]any{"session_id": session.ID, "status": SessionActive}, now)
	})
}

// CloseSession ends a session. Doing it again changes nothing.
func (s *Service) CloseSession(ctx context.Context, p SessionParams) (Session, error) {
	now := s.now()
	return onSession(ctx, s, p, func(tx Tx, session Session) (Session, error) {
		closed, err := tx.CloseSession(session.ID, nexus.Stamp(now))
		if err != nil || !closed {
			return session, err
		}
		session.Status, session.ClosedAt = SessionClosed, pointer(nexus.Stamp(now))
		if err := touch(tx, session.AgentID, now, 0); err != nil {
			return session, err
		}
		return session, s.sessionEvent(tx, session, "session.closed",
			map[string]any{"session_id": session.ID, "status": SessionClosed}, now)
	})
}

// onSession runs fn on a session that exists and is where the caller thinks.
func onSession[R any](ctx context.Context, s *Service, p SessionParams, fn func(Tx, Session) (R, error)) (R, error) {
	var zero R
	if err := required("session_id", p.SessionID); err != nil {
		return zero, err
	}
	var session Session
	prove := func(tx Tx) (err error) {
		var found bool
		if session, found, err = tx.Session(p.SessionID); err != nil || !found {
			return orNotFound(err, "There is no session %q. Open one with session_open.", p.SessionID)
		}
		if p.WorkspaceID != "" && p.WorkspaceID != session.WorkspaceID {
			return nexus.Errorf(nexus.WorkspaceMismatch, "Session %q is in another workspace.", p.SessionID)
		}
		return cmp.Or(s.actAs(ctx, session.AgentID), nexus.ActorFrom(ctx).MayEnter(session.WorkspaceID))
	}
	return trusted(ctx, s, prove, func(tx Tx) (R, error) { return fn(tx, session) })
}

// reap closes the sessions of a workspace that have been silent for so long
// that nobody will come back to them.
func (s *Service) reap(tx Tx, workspaceID string, now time.Time) error {
	silent, err := tx.SilentSessions(workspaceID, nexus.Stamp(now.Add(-s.knobs().SessionReap)))
	if err != nil {
		return err
	}
	for _, session := range silent {
		closed, err := tx.CloseSession(session.ID, nexus.Stamp(now))
		if err != nil {
			return err
		}
		if !closed { // another process reaped it
			continue
		}
		payload := map[string]any{"session_id": session.ID, "status": SessionClosed, "reason": SessionStale}
		if err := s.sessionEvent(tx, session, "session.closed", payload, now); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sessionEvent(tx Tx, session Session, kind string, payload map[string]any, now time.Time) error {
	return tx.AppendEvent(&nexus.Event{
		WorkspaceID: session.WorkspaceID, Stream: nexus.StreamWorkspace, Type: kind, Actor: session.AgentID,
		Visibility: nexus.VisibilityPublic, Payload: mustJSON(payload), CreatedAt: nexus.Stamp(now),
	})
}
