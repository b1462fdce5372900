package bus

import (
	"context"
	"time"

	"nexus"
)

// How somebody is there, by when it was last heard of.
const (
	IsPresent = "present"
	IsStale   = "stale"
	IsOffline = "offline"
)

// presence is how one is there whose latest heartbeat this was, "" for none.
func (s *Service) presence(heartbeat string, now time.Time) string {
	switch {
	case heartbeat > nexus.Stamp(now.Add(-s.knobs().SessionStale)):
		return IsPresent
	case heartbeat > nexus.Stamp(now.Add(-s.knobs().Presence)):
		return IsStale
	}
	return IsOffline
}

// A SessionQuery selects sessions. Blank fields match everything.
type SessionQuery struct {
	WorkspaceID, Agent, Status string
	SilentSince                string // last heard then, or before
	Below                      string // ids below this one
}

// ObserveSessionsParams select sessions.
type ObserveSessionsParams struct {
	ObserveParams
	Status string `json:"status,omitempty" jsonschema:"only active, closed, or stale: active but not heard of lately"`
	Agent  string `json:"agent,omitempty" jsonschema:"only this agent's"`
}

// An ObservedSession is a session and whether anybody is in it.
type ObservedSession struct {
	Session
	Presence string     `json:"presence"`
	Metadata nexus.JSON `json:"metadata"`
}

const mostSessions = 2_000

// ObserveSessions lists sessions, newest first.
func (s *Service) ObserveSessions(ctx context.Context, p ObserveSessionsParams) (Listed[ObservedSession], error) {
	status, err := oneOf("status", p.Status, []string{SessionActive, SessionStale, SessionClosed})
	if err != nil {
		return Listed[ObservedSession]{}, err
	}
	now := s.now()
	q := SessionQuery{Agent: p.Agent}
	if len(status) > 0 {
		q.Status = status[0]
	}
	if q.Status == SessionStale {
		q.Status, q.SilentSince = SessionActive, nexus.Stamp(now.Add(-s.knobs().SessionStale))
	}
	return observe(ctx, s, p.ObserveParams, mostSessions, mostSessions, func(tx Tx, workspaceID, below string, st Stretch) (Walked[ObservedSession, string], error) {
		q := q
		q.WorkspaceID, q.Below = workspaceID, below
		page, err := tx.ObservedSessions(q, st)
		shown := Walked[ObservedSession, string]{Rows: make([]ObservedSession, len(page.Rows)), Last: page.Last, More: page.More}
		for i, session := range page.Rows {
			shown.Rows[i] = ObservedSession{session, IsOffline, session.Metadata}
			if session.Status == SessionActive {
				shown.Rows[i].Presence = s.presence(session.LastHeartbeatAt, now)
			}
		}
		return shown, err
	})
}
