package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nexus"
)

// onHandoff runs fn on a hand-off of the workspace, as it stands now: a lease or
// a deadline that has passed has passed, whoever may have swept. Two calls for
// one hand-off run one after another, and so do those that name the same also.
func onHandoff[R any](ctx context.Context, s *Service, p WorkParams, c Credentials, permission string, now time.Time,
	fn func(Tx, Handoff) (R, error), also ...func(place) string,
) (R, error) {
	var zero R
	if err := p.check(); err != nil {
		return zero, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return zero, err
	}
	locks := []string{handoffLock(p.HandoffID)}
	for _, name := range also {
		locks = append(locks, name(at))
	}
	return trusted(ctx, s, s.proof(ctx, p.AgentID, c), func(tx Tx) (R, error) {
		if err := tx.Lock(locks...); err != nil {
			return zero, err
		}
		if _, err := s.permitted(ctx, tx, p.AgentID, permission, now); err != nil {
			return zero, err
		}
		if err := s.sweep(tx, at.id, now); err != nil {
			return zero, err
		}
		answer, err := onFresh(tx, s, at.id, p.HandoffID, now, fn)
		if err != nil {
			return zero, err
		}
		if hinted, ok := any(&answer).(interface{ setHint(Hint) }); ok {
			hint, err := s.hint(tx, p.AgentID, now, mostUnread)
			if err != nil {
				return zero, err
			}
			hinted.setHint(hint)
		}
		return answer, nil
	})
}

// handoffLock and tasksLock keep out who wants the same hand-off, or any task of
// the same workspace.
func handoffLock(id string) string { return "handoff/" + id }
func tasksLock(at place) string    { return "tasks/" + at.id }

// errChanged says that somebody else changed a hand-off after it was read.
var errChanged = errors.New("the hand-off was changed meanwhile")

// onFresh runs fn on a hand-off, and once more if somebody else was faster.
func onFresh[R any](tx Tx, s *Service, workspaceID, id string, now time.Time, fn func(Tx, Handoff) (R, error)) (answer R, err error) {
	for range 3 {
		h, err := s.handoffNow(tx, workspaceID, id, now)
		if err != nil {
			return answer, err
		}
		answer, err = fn(tx, h)
		if !errors.Is(err, errChanged) {
			return answer, err
		}
	}
	return answer, nexus.Errorf(nexus.Conflict, "Hand-off %q is being changed by others. Look at it and try again.", id)
}

// handoffNow is a hand-off as it stands: what is overdue is given up first, also
// where a sweep did not come that far.
func (s *Service) handoffNow(tx Tx, workspaceID, id string, now time.Time) (Handoff, error) {
	h, err := handoffIn(tx, workspaceID, id)
	if err != nil || !h.overdue(nexus.Stamp(now)) {
		return h, err
	}
	if err := s.giveUp(tx, h, now); err != nil {
		return h, err
	}
	return handoffIn(tx, workspaceID, id)
}

func handoffIn(tx Tx, workspaceID, id string) (Handoff, error) {
	h, found, err := tx.Handoff(id)
	switch {
	case err != nil || !found:
		return h, orNotFound(err, "There is no hand-off %q.", id)
	case h.WorkspaceID != workspaceID:
		return Handoff{}, nexus.Errorf(nexus.WorkspaceMismatch, "Hand-off %q is in another workspace.", id)
	}
	return h, nil
}

// change stores a hand-off if nobody else changed it since it was read. What is
// open is offered, and nothing else.
func (s *Service) change(tx Tx, h *Handoff, now time.Time) error {
	h.UpdatedAt = nexus.Stamp(now)
	changed, err := tx.UpdateHandoff(*h)
	switch was := h.Read.Status; {
	case err != nil:
		return err
	case !changed:
		return errChanged
	case h.Status == HandoffOpen && was != HandoffOpen:
		return s.offerAnew(tx, *h)
	case h.Status != HandoffOpen && was == HandoffOpen:
		return tx.DropOffers(h.ID)
	}
	return nil
}

// finish stores a hand-off that is done with.
func (s *Service) finish(tx Tx, h *Handoff, now time.Time) error {
	h.LeaseExpiresAt = nil
	return s.change(tx, h, now)
}

// tell puts a notice about a hand-off into somebody's inbox, unless it is the
// one who did it or nobody who is registered.
func (s *Service) tell(tx Tx, h Handoff, to, by, what string, now time.Time, body map[string]any) ([]string, error) {
	if to == by || to == "" {
		return nil, nil
	}
	exists, err := tx.AgentExists(to)
	if err != nil || !exists {
		return nil, err
	}
	subject := fmt.Sprintf("handoff %s %s", h.ID, what)
	from := by
	if by != "" {
		subject += " by " + by
		body["by_agent_id"] = by
	} else {
		from = h.FromAgentID
	}
	body["status"] = h.Status
	return []string{to}, s.notice(tx, h, to, from, subject, now, body)
}

// CompleteParams finish a hand-off.
type CompleteParams struct {
	WorkParams
	Result  nexus.JSON `json:"result,omitempty" jsonschema:"what came of it: text, or JSON"`
	Attempt *int       `json:"attempt,omitempty" jsonschema:"as handoff_claim returned it; a claim that was lost is then told apart"`
	// CompleteTask also ends the task, if this was the last of its hand-offs.
	CompleteTask bool `json:"complete_task,omitempty" jsonschema:"also complete its task, if this was the task's last open hand-off"`
	Credentials
}

// FinishResult is how a hand-off ended.
type FinishResult struct {
	ID       string   `json:"handoff_id"`
	Status   string   `json:"status"`
	Notified []string `json:"notified,omitempty"`
	Hint
}

// Complete ends the caller's claim with a result. Where somebody must verify it,
// it is not completed before that.
func (s *Service) Complete(ctx context.Context, p CompleteParams) (FinishResult, error) {
	if err := p.check(); err != nil {
		return FinishResult{}, err
	}
	result, err := s.content("result", p.Result)
	if err != nil {
		return FinishResult{}, err
	}
	var also []func(place) string
	if p.CompleteTask { // who else completes the last but one must be done first
		also = append(also, tasksLock)
	}
	now := s.now()
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, doWork, now, func(tx Tx, h Handoff) (FinishResult, error) {
		if err := h.ownedBy(p.AgentID, p.Attempt); err != nil {
			return FinishResult{}, err
		}
		h.Result, h.Status, h.CompletesTask = result, HandoffCompleted, p.CompleteTask
		if len(h.VerifyBy) > 0 {
			return s.askToVerify(tx, h, p.AgentID, now)
		}
		return s.complete(tx, h, p.AgentID, now)
	}, also...)
}

// complete ends a hand-off for good and lets go those that waited for it.
func (s *Service) complete(tx Tx, h Handoff, by string, now time.Time) (FinishResult, error) {
	if err := s.finish(tx, &h, now); err != nil {
		return FinishResult{}, err
	}
	if err := s.release(tx, h); err != nil {
		return FinishResult{}, err
	}
	notified, err := s.tell(tx, h, h.FromAgentID, by, "completed", now, map[string]any{
		"kind": "handoff.completed", "result": h.Result, "next_step": "Read it with handoff_get, and acknowledge this message.",
	})
	if err != nil {
		return FinishResult{}, err
	}
	if err := s.handoffEvent(tx, h, "handoff.completed", by, now, map[string]any{"result": h.Result}); err != nil {
		return FinishResult{}, err
	}
	if h.CompletesTask {
		err = s.completeTaskOf(tx, h, by, now)
	}
	return FinishResult{ID: h.ID, Status: h.Status, Notified: notified}, err
}

// release lets go the hand-offs that waited for this one alone, in the order of
// their ids.
func (s *Service) release(tx Tx, h Handoff) error {
	waiting, err := tx.Dependents(h.ID)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		left, err := tx.Unblock(id)
		if err != nil {
			return err
		}
		if left > 0 {
			continue
		}
		next, _, err := tx.Handoff(id)
		if err == nil && next.Status == HandoffOpen {
			err = s.offerAnew(tx, next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RejectParams decline a hand-off.
type RejectParams struct {
	WorkParams
	Reason  *string `json:"reason,omitempty" jsonschema:"why"`
	Attempt *int    `json:"attempt,omitempty" jsonschema:"as handoff_claim returned it; a claim that was lost is then told apart"`
	Credentials
}

// Reject declines a hand-off: one's own claim, or work directed to oneself that
// nobody has taken yet.
func (s *Service) Reject(ctx context.Context, p RejectParams) (FinishResult, error) {
	if err := s.fits("reason", len(deref(p.Reason))); err != nil {
		return FinishResult{}, err
	}
	now := s.now()
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, doWork, now, func(tx Tx, h Handoff) (FinishResult, error) {
		if err := h.rejectableBy(p.AgentID, p.Attempt); err != nil {
			return FinishResult{}, err
		}
		h.Status, h.RejectedReason = HandoffRejected, p.Reason
		if err := s.finish(tx, &h, now); err != nil {
			return FinishResult{}, err
		}
		notified, err := s.tell(tx, h, h.FromAgentID, p.AgentID, "rejected", now, map[string]any{
			"kind": "handoff.rejected", "reason": p.Reason, "next_step": "Offer it to somebody else with handoff_requeue or a new handoff_create.",
		})
		if err != nil {
			return FinishResult{}, err
		}
		return FinishResult{ID: h.ID, Status: h.Status, Notified: notified},
			s.handoffEvent(tx, h, "handoff.rejected", p.AgentID, now, map[string]any{"reason": p.Reason})
	})
}

func (h Handoff) rejectableBy(agentID string, attempt *int) error {
	if h.Status != HandoffOpen || attempt != nil && h.lost(*attempt, false) {
		return h.ownedBy(agentID, attempt)
	}
	t, err := ParseTarget(h.Target)
	if err == nil && t != nil && t.AgentID == agentID {
		return nil
	}
	return nexus.Errorf(nexus.NotOwner, "Hand-off %q is open and not directed to you; only its claimant or the one it is directed to may reject it.", h.ID)
}

// CancelParams take a hand-off back.
type CancelParams struct {
	WorkParams
	Reason *string `json:"reason,omitempty" jsonschema:"why"`
	Credentials
}

// Cancel takes back a hand-off that nobody has taken. Only its creator may.
func (s *Service) Cancel(ctx context.Context, p CancelParams) (FinishResult, error) {
	if err := s.fits("reason", len(deref(p.Reason))); err != nil {
		return FinishResult{}, err
	}
	now := s.now()
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, cancelWork, now, func(tx Tx, h Handoff) (FinishResult, error) {
		if err := h.createdBy(p.AgentID); err != nil {
			return FinishResult{}, err
		}
		was := h.Status
		if was != HandoffOpen && was != HandoffParked {
			return FinishResult{}, nexus.Errorf(nexus.InvalidTransition,
				"Hand-off %q is %s: only open work can be cancelled. A claimed one is resolved by its claimant, or cancelled after its lease has lapsed.", h.ID, h.Status).
				With("status", h.Status)
		}
		h.Status = HandoffCancelled
		if err := s.finish(tx, &h, now); err != nil {
			return FinishResult{}, err
		}
		return FinishResult{ID: h.ID, Status: h.Status},
			s.handoffEvent(tx, h, "handoff.cancelled", p.AgentID, now, map[string]any{"reason": p.Reason})
	})
}

func (h Handoff) createdBy(agentID string) error {
	if h.FromAgentID == agentID {
		return nil
	}
	return nexus.Errorf(nexus.NotOwner, "Hand-off %q was created by %q; only the creator may do this.", h.ID, h.FromAgentID)
}

// RequeueParams offer a hand-off again.
type RequeueParams struct {
	WorkParams
	ExpiresAt string `json:"expires_at,omitempty" jsonschema:"a new deadline; without one it has none"`
	Credentials
}

// Requeue offers work again that was parked, rejected or overdue. Only its
// creator and the operator may. Earlier claims stay fenced off: the attempt goes on counting.
func (s *Service) Requeue(ctx context.Context, p RequeueParams) (FinishResult, error) {
	now := s.now()
	until, err := deadline(p.ExpiresAt, now)
	if err != nil {
		return FinishResult{}, err
	}
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, createWork, now, func(tx Tx, h Handoff) (FinishResult, error) {
		if err := h.createdBy(p.AgentID); err != nil && p.AgentID != nexus.OperatorID {
			return FinishResult{}, err
		}
		was := h.Status
		if !slices.Contains([]string{HandoffParked, HandoffRejected, HandoffExpired}, was) {
			return FinishResult{}, nexus.Errorf(nexus.InvalidTransition,
				"Hand-off %q is %s: only parked, rejected or expired work can be offered again.", h.ID, h.Status).With("status", h.Status)
		}
		h.Status, h.ExpiresAt, h.RejectedReason, h.AttemptsBefore = HandoffOpen, until, nil, h.Attempt
		h.ClaimedBy, h.ClaimedSessionID = nil, nil
		if err := s.change(tx, &h, now); err != nil {
			return FinishResult{}, err
		}
		notified, err := s.direct(tx, h, now)
		if err != nil {
			return FinishResult{}, err
		}
		return FinishResult{ID: h.ID, Status: h.Status, Notified: notified}, s.handoffEvent(tx, h, "handoff.requeued", p.AgentID, now, nil)
	})
}

// ReadHandoff is one hand-off as it stands. Its creator, its claimant
// and the operator may always see it, others as its visibility says.
func (s *Service) ReadHandoff(ctx context.Context, p WorkParams) (Handoff, error) {
	if err := p.check(); err != nil {
		return Handoff{}, err
	}
	if err := s.actAs(ctx, p.AgentID); err != nil {
		return Handoff{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return Handoff{}, err
	}
	now := s.now()
	if err := s.sweepIfDue(ctx, at.id, now); err != nil {
		return Handoff{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Handoff, error) {
		h, err := handoffIn(tx, at.id, p.HandoffID)
		if err != nil {
			return h, err
		}
		a, _, err := tx.Agent(p.AgentID)
		if err != nil {
			return h, err
		}
		h.Blocked = h.WaitsFor > 0 && h.Status == HandoffOpen
		if p.AgentID == nexus.OperatorID || p.AgentID == h.FromAgentID || p.AgentID == deref(h.ClaimedBy) ||
			h.Visibility == nexus.VisibilityPublic || h.eligible(ProfileOf(p.AgentID, a.Agent), now) ||
			s.mayVerify(tx, h, p.AgentID) == nil {
			return h, nil
		}
		return Handoff{}, nexus.Errorf(nexus.NotOwner, "Hand-off %q is not visible to you.", p.HandoffID)
	})
}
