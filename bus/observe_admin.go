package bus

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// AdminSessionParams name a session.
type AdminSessionParams struct {
	SessionID string `json:"session_id" jsonschema:"the session"`
}

// ClosedSession is a session that was closed.
type ClosedSession struct {
	ID       string  `json:"session_id"`
	Status   string  `json:"status"`
	ClosedAt *string `json:"closed_at"`
}

// AdminCloseSession ends anybody's session. Doing it again changes nothing. Its
// agent did nothing by that: it is not stamped as seen.
func (s *Service) AdminCloseSession(ctx context.Context, p AdminSessionParams) (ClosedSession, error) {
	if err := operatorOnly(ctx); err != nil {
		return ClosedSession{}, err
	}
	now := s.now()
	return onSession(ctx, s, SessionParams{SessionID: p.SessionID}, func(tx Tx, session Session) (ClosedSession, error) {
		if _, err := observed(ctx, session.WorkspaceID); err != nil {
			return ClosedSession{}, err
		}
		closed, err := tx.CloseSession(session.ID, nexus.Stamp(now))
		if err != nil || !closed {
			return ClosedSession{session.ID, session.Status, session.ClosedAt}, err
		}
		return ClosedSession{session.ID, SessionClosed, pointer(nexus.Stamp(now))}, tx.AppendEvent(&nexus.Event{
			WorkspaceID: session.WorkspaceID, Stream: nexus.StreamWorkspace, Type: "session.closed", Actor: administrator(ctx),
			Visibility: nexus.VisibilityPublic, CreatedAt: nexus.Stamp(now),
			Payload: mustJSON(map[string]any{"session_id": session.ID, "status": SessionClosed, "reason": nexus.OperatorID}),
		})
	})
}

// AdminCancelParams say which work to end, and where it must be.
type AdminCancelParams struct {
	HandoffID string  `json:"handoff_id" jsonschema:"the hand-off"`
	Workspace string  `json:"workspace" jsonschema:"the workspace it is in" required:"WORKSPACE_REQUIRED"`
	Reason    *string `json:"reason,omitempty" jsonschema:"why; claimant and creator are told"`
}

// CancelledHandoff is a hand-off that was cancelled, and who was told.
type CancelledHandoff struct {
	ID       string   `json:"handoff_id"`
	Status   string   `json:"status"`
	Notified []string `json:"notified,omitempty"`
}

// AdminCancelHandoff ends work that is not finished, claimed or not, and tells
// whoever has it and whoever wanted it.
func (s *Service) AdminCancelHandoff(ctx context.Context, p AdminCancelParams) (CancelledHandoff, error) {
	var none CancelledHandoff
	if err := operatorOnly(ctx); err != nil {
		return none, err
	}
	if strings.TrimSpace(p.Workspace) == "" {
		return none, nexus.Errorf(nexus.WorkspaceRequired, "No workspace was given: pass workspace, where the hand-off is.").With("field", "workspace")
	}
	if err := required("handoff_id", p.HandoffID); err != nil {
		return none, err
	}
	if err := s.fits("reason", len(deref(p.Reason))); err != nil {
		return none, err
	}
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return none, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (CancelledHandoff, error) {
		if err := tx.Lock(handoffLock(p.HandoffID)); err != nil {
			return none, err
		}
		return onFresh(tx, s, workspace, p.HandoffID, now, func(tx Tx, h Handoff) (CancelledHandoff, error) {
			unfinished := []string{HandoffOpen, HandoffClaimed, HandoffVerifying, HandoffParked}
			if !slices.Contains(unfinished, h.Status) {
				return none, nexus.Errorf(nexus.InvalidTransition, "Hand-off %q is %s: there is nothing left to cancel.", h.ID, h.Status).
					With("status", h.Status)
			}
			h.Status = HandoffCancelled
			if err := s.finish(tx, &h, now); err != nil {
				return none, err
			}
			told, err := s.tellCancelled(tx, h, administrator(ctx), p.Reason, now)
			if err != nil {
				return none, err
			}
			return CancelledHandoff{h.ID, h.Status, told}, s.handoffEvent(tx, h, "handoff.cancelled", administrator(ctx), now,
				map[string]any{"reason": p.Reason, "claimed_by": h.ClaimedBy})
		})
	})
}

// tellCancelled tells the claimant and the creator of a hand-off that it is
// cancelled, once if they are the same.
func (s *Service) tellCancelled(tx Tx, h Handoff, by string, reason *string, now time.Time) ([]string, error) {
	steps := map[string]string{
		h.FromAgentID:      "It will not be done. Offer it anew with handoff_create if it is still wanted.",
		deref(h.ClaimedBy): "Drop the work; its result is not wanted any more.",
	}
	var told []string
	for _, to := range slices.Compact([]string{deref(h.ClaimedBy), h.FromAgentID}) {
		one, err := s.tell(tx, h, to, by, "cancelled", now, map[string]any{
			"kind": "handoff.cancelled", "reason": reason, "next_step": steps[to],
		})
		if err != nil {
			return nil, err
		}
		told = append(told, one...)
	}
	return told, nil
}

// administrator is who does what only those may do who run the hub.
func administrator(ctx context.Context) string {
	return cmp.Or(nexus.ActorFrom(ctx).Name(), nexus.OperatorID)
}
