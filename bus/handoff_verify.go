package bus

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nexus"
)

// A verifier is who decides whether work is done.
type verifier struct {
	AgentID    string
	Capability string
}

// parseVerifier reads verify_by; creator is who {kind:creator} means.
func parseVerifier(raw nexus.Object, creator string) (verifier, error) {
	if len(raw) == 0 {
		return verifier{}, nil
	}
	var shape struct {
		Kind       string `json:"kind"`
		AgentID    string `json:"agent_id"`
		Capability string `json:"capability"`
	}
	bad := nexus.Invalid("verify_by", "verify_by must be {\"kind\":\"creator\"}, {\"kind\":\"agent\",\"agent_id\":…} or {\"kind\":\"capability\",\"capability\":…}.")
	if json.Unmarshal(raw, &shape) != nil {
		return verifier{}, bad
	}
	switch kind := strings.ToLower(strings.TrimSpace(shape.Kind)); {
	case kind == "creator":
		return verifier{AgentID: creator}, nil
	case kind == "agent" && strings.TrimSpace(shape.AgentID) != "":
		return verifier{AgentID: shape.AgentID}, nil
	case kind == "capability" && strings.TrimSpace(shape.Capability) != "":
		return verifier{Capability: shape.Capability}, nil
	}
	return verifier{}, bad
}

// askToVerify holds finished work until somebody has looked at it.
func (s *Service) askToVerify(tx Tx, h Handoff, by string, now time.Time) (FinishResult, error) {
	h.Status, h.LeaseExpiresAt = HandoffVerifying, nil
	if err := s.change(tx, &h, now); err != nil {
		return FinishResult{}, err
	}
	who, err := parseVerifier(h.VerifyBy, h.FromAgentID)
	if err != nil {
		return FinishResult{}, err
	}
	verifiers := []string{who.AgentID}
	if who.Capability != "" {
		agents, err := tx.AgentsWithCapability([]string{who.Capability})
		if err != nil {
			return FinishResult{}, err
		}
		verifiers = nil
		for _, a := range agents {
			verifiers = append(verifiers, a.ID)
		}
	}
	var notified []string
	for _, to := range verifiers {
		told, err := s.tell(tx, h, to, by, "to be verified, completed", now, map[string]any{
			"kind": "handoff.verify", "result": h.Result, "acceptance_criteria": h.Criteria,
			"next_step": "Check the result, then call handoff_verify with verdict accept or reject.",
		})
		if err != nil {
			return FinishResult{}, err
		}
		notified = append(notified, told...)
	}
	return FinishResult{ID: h.ID, Status: h.Status, Notified: notified},
		s.handoffEvent(tx, h, "handoff.verifying", by, now, map[string]any{"result": h.Result, "claimed_by": h.ClaimedBy})
}

// VerifyParams judge finished work.
type VerifyParams struct {
	WorkParams
	Verdict  string  `json:"verdict" jsonschema:"accept, or reject to send it back"`
	Feedback *string `json:"feedback,omitempty" jsonschema:"what is missing; required to send it back"`
	Credentials
}

// Verify accepts finished work, or sends it back to the one who did it with
// feedback and a new lease.
func (s *Service) Verify(ctx context.Context, p VerifyParams) (FinishResult, error) {
	if err := p.check(); err != nil {
		return FinishResult{}, err
	}
	verdict := strings.ToLower(strings.TrimSpace(p.Verdict))
	switch {
	case verdict != "accept" && verdict != "reject":
		return FinishResult{}, nexus.Invalid("verdict", "verdict must be accept or reject.")
	case verdict == "reject" && strings.TrimSpace(deref(p.Feedback)) == "":
		return FinishResult{}, nexus.Invalid("feedback", "feedback is required to send work back: say what is missing.")
	}
	if err := s.fits("feedback", len(deref(p.Feedback))); err != nil {
		return FinishResult{}, err
	}
	var also []func(place) string
	if verdict == "accept" { // its task may be done with it
		also = append(also, tasksLock)
	}
	now := s.now()
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, anything, now, func(tx Tx, h Handoff) (FinishResult, error) {
		if err := s.mayVerify(tx, h, p.AgentID); err != nil {
			return FinishResult{}, err
		}
		h.Feedback = p.Feedback
		if verdict == "reject" {
			return s.sendBack(tx, h, p.AgentID, now)
		}
		h.Status = HandoffCompleted
		done, err := s.complete(tx, h, p.AgentID, now)
		if err != nil {
			return FinishResult{}, err
		}
		_, err = s.tell(tx, h, deref(h.ClaimedBy), p.AgentID, "accepted", now, map[string]any{
			"kind": "handoff.accepted", "feedback": p.Feedback, "next_step": "Nothing is left to do here.",
		})
		return done, err
	}, also...)
}

func (s *Service) mayVerify(tx Tx, h Handoff, agentID string) error {
	if h.Status != HandoffVerifying {
		return nexus.Errorf(nexus.InvalidTransition, "Hand-off %q is %s: there is nothing to verify.", h.ID, h.Status).With("status", h.Status)
	}
	who, err := parseVerifier(h.VerifyBy, h.FromAgentID)
	if err != nil {
		return err
	}
	if agentID == nexus.OperatorID || who.AgentID == agentID {
		return nil
	}
	if who.Capability != "" && deref(h.ClaimedBy) != agentID {
		a, _, err := tx.Agent(agentID)
		if err != nil {
			return err
		}
		if _, has := slices.BinarySearch(ProfileOf(agentID, a.Agent).Capabilities, who.Capability); has {
			return nil
		}
	}
	return nexus.Errorf(nexus.NotOwner, "Hand-off %q is not for you to verify.", h.ID).With("verify_by", h.VerifyBy)
}

func (s *Service) sendBack(tx Tx, h Handoff, by string, now time.Time) (FinishResult, error) {
	until := nexus.Stamp(now.Add(s.knobs().HandoffLease))
	h.Status, h.LeaseExpiresAt = HandoffClaimed, &until
	if err := s.change(tx, &h, now); err != nil {
		return FinishResult{}, err
	}
	notified, err := s.tell(tx, h, deref(h.ClaimedBy), by, "sent back", now, map[string]any{
		"kind": "handoff.sent_back", "feedback": h.Feedback, "attempt": h.Attempt, "lease_expires_at": until,
		"next_step": "Mend it and call handoff_complete again before the lease ends, or handoff_renew.",
	})
	if err != nil {
		return FinishResult{}, err
	}
	return FinishResult{ID: h.ID, Status: h.Status, Notified: notified}, s.handoffEvent(tx, h, "handoff.sent_back", by, now,
		map[string]any{"claimed_by": h.ClaimedBy, "feedback": h.Feedback, "lease_expires_at": until})
}
