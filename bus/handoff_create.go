package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nexus"
)

// CreateHandoffParams describe a piece of work and who may take it.
type CreateHandoffParams struct {
	ProjectRoot string       `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	FromAgentID string       `json:"from_agent_id" jsonschema:"you"`
	Target      nexus.Object `json:"target" jsonschema:"who may take it, such as {strategy:capability,capability:…}"`
	Visibility  string       `json:"visibility" jsonschema:"who may see it: public, eligible or private"`
	Payload     nexus.JSON   `json:"payload,omitempty" jsonschema:"the work itself: text, or JSON"`
	SessionID   string       `json:"session_id,omitempty" jsonschema:"your session"`
	TaskID      string       `json:"task_id,omitempty" jsonschema:"the task it belongs to"`
	Priority    *int         `json:"priority,omitempty" jsonschema:"higher is offered first, -100 to 100; default 0"`
	ExpiresAt   string       `json:"expires_at,omitempty" jsonschema:"when it is no longer wanted if nobody took it, such as 2026-03-01T12:00:00Z"`
	DependsOn   []string     `json:"depends_on,omitempty" jsonschema:"hand-offs that must be completed first, up to 20"`
	Criteria    []string     `json:"acceptance_criteria,omitempty" jsonschema:"what must hold when it is done, up to 20; somebody then verifies it"`
	VerifyBy    nexus.Object `json:"verify_by,omitempty" jsonschema:"who verifies: {kind:creator}, {kind:agent,agent_id:…} or {kind:capability,capability:…}"`
	MaxAttempts *int         `json:"max_attempts,omitempty" jsonschema:"how many may try before it is parked for a person"`
}

// CreatedHandoff is what became of a new hand-off.
type CreatedHandoff struct {
	ID            string   `json:"handoff_id"`
	WorkspaceID   string   `json:"workspace_id"`
	Status        string   `json:"status"`
	CreatedAt     string   `json:"created_at"`
	Notified      []string `json:"notified,omitempty"`
	EligibleCount *int     `json:"eligible_count,omitempty"`
	Warning       string   `json:"warning,omitempty"`
	Hint
}

// CreateHandoff offers a piece of work to those who may take it.
func (s *Service) CreateHandoff(ctx context.Context, p CreateHandoffParams) (CreatedHandoff, error) {
	now := s.now()
	h, target, err := s.newHandoff(p, now)
	if err != nil {
		return CreatedHandoff{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return CreatedHandoff{}, err
	}
	h.WorkspaceID = at.id
	prove := func(tx Tx) error { return s.speaksFrom(ctx, tx, p.FromAgentID, p.SessionID) }
	return trusted(ctx, s, prove, func(tx Tx) (CreatedHandoff, error) {
		if locks := h.needs(at); len(locks) > 0 {
			if err := tx.Lock(locks...); err != nil {
				return CreatedHandoff{}, err
			}
		}
		if _, err := s.permitted(ctx, tx, p.FromAgentID, createWork, now); err != nil {
			return CreatedHandoff{}, err
		}
		if _, _, err := s.enterWorkspace(tx, at, now); err != nil {
			return CreatedHandoff{}, err
		}
		return s.offer(tx, h, target, now)
	})
}

// needs are the locks without which what a new hand-off depends on could change
// while it is looked at.
func (h Handoff) needs(at place) []string {
	var locks []string
	for _, id := range h.DependsOn {
		locks = append(locks, handoffLock(id))
	}
	if h.TaskID != nil {
		locks = append(locks, tasksLock(at))
	}
	return locks
}

// newHandoff checks a description and makes a hand-off of it.
func (s *Service) newHandoff(p CreateHandoffParams, now time.Time) (Handoff, *Target, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return Handoff{}, nil, err
	}
	if err := required("from_agent_id", p.FromAgentID); err != nil {
		return Handoff{}, nil, err
	}
	target, err := ParseTarget(p.Target)
	if err == nil && target == nil {
		err = badTarget("target is required: say who may take the work.")
	}
	if err != nil {
		return Handoff{}, nil, err
	}
	if err := cmp.Or(brief("from_agent_id", p.FromAgentID), s.fits("target", len(p.Target))); err != nil {
		return Handoff{}, nil, err
	}
	if !slices.Contains([]string{nexus.VisibilityPublic, nexus.VisibilityEligible, nexus.VisibilityPrivate}, p.Visibility) {
		return Handoff{}, nil, nexus.Invalid("visibility", "visibility must be public, eligible or private.")
	}
	payload, err := s.content("payload", p.Payload)
	if err != nil {
		return Handoff{}, nil, err
	}
	h := Handoff{
		ID: s.newID("hof"), Status: HandoffOpen, FromAgentID: p.FromAgentID, FromSessionID: pointer(p.SessionID),
		Target: p.Target, Visibility: p.Visibility, Payload: payload, TaskID: pointer(p.TaskID),
		CreatedAt: nexus.Stamp(now), UpdatedAt: nexus.Stamp(now),
	}
	return h, target, h.setTerms(p, now)
}

// content is a value of any shape as it is kept: text as it is, anything else as
// its JSON.
func (s *Service) content(field string, raw nexus.JSON) (*string, error) {
	if raw == nil {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return &text, s.fits(field, len(text))
}

// setTerms reads what a client of the plain kind leaves out.
func (h *Handoff) setTerms(p CreateHandoffParams, now time.Time) error {
	if p.Priority != nil {
		h.Priority = *p.Priority
		if h.Priority < -100 || h.Priority > 100 {
			return nexus.Invalid("priority", "priority must be between -100 and 100.")
		}
	}
	if p.MaxAttempts != nil {
		h.MaxAttempts = *p.MaxAttempts
		if h.MaxAttempts < 1 || h.MaxAttempts > 1000 {
			return nexus.Invalid("max_attempts", "max_attempts must be between 1 and 1000.")
		}
	}
	var err error
	if h.ExpiresAt, err = deadline(p.ExpiresAt, now); err != nil {
		return err
	}
	if h.DependsOn, err = wordList("depends_on", p.DependsOn, 128); err != nil {
		return err
	}
	if h.Criteria, err = wordList("acceptance_criteria", p.Criteria, 500); err != nil {
		return err
	}
	if _, err := parseVerifier(p.VerifyBy, ""); err != nil {
		return err
	}
	h.VerifyBy = p.VerifyBy
	if h.VerifyBy == nil && len(h.Criteria) > 0 {
		h.VerifyBy = nexus.Object(`{"kind":"creator"}`)
	}
	return nil
}

// deadline reads a moment in the future.
func deadline(text string, now time.Time) (*string, error) {
	if text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, nexus.Invalid("expires_at", "expires_at must be a moment such as %s.", nexus.Stamp(now.Add(time.Hour)))
	}
	if !at.After(now) {
		return nil, nexus.Invalid("expires_at", "expires_at %s is in the past.", text)
	}
	return pointer(nexus.Stamp(at)), nil
}

// wordList checks a list of up to 20 different texts.
func wordList(field string, words []string, longest int) ([]string, error) {
	if len(words) > 20 {
		return nil, nexus.Invalid(field, "%s has %d entries; at most 20 are allowed.", field, len(words))
	}
	for i, w := range words {
		switch {
		case strings.TrimSpace(w) == "":
			return nil, nexus.Invalid(field, "%s has a blank entry.", field)
		case len([]rune(w)) > longest:
			return nil, nexus.Invalid(field, "An entry of %s has more than %d characters.", field, longest)
		case slices.Contains(words[:i], w):
			return nil, nexus.Invalid(field, "%s names %q twice.", field, w)
		}
	}
	return words, nil
}

// offer stores a new hand-off and tells the one it is directed to.
func (s *Service) offer(tx Tx, h Handoff, target *Target, now time.Time) (CreatedHandoff, error) {
	created := CreatedHandoff{ID: h.ID, WorkspaceID: h.WorkspaceID, Status: h.Status, CreatedAt: h.CreatedAt}
	if err := s.checkTask(tx, h); err != nil {
		return created, err
	}
	var err error
	if h.WaitsFor, err = s.dependencies(tx, h); err != nil {
		return created, err
	}
	if err := s.countEligible(tx, target, &created); err != nil {
		return created, err
	}
	if err := tx.InsertHandoff(h); err != nil {
		return created, err
	}
	if err := s.offerAnew(tx, h); err != nil {
		return created, err
	}
	if created.Notified, err = s.direct(tx, h, now); err != nil {
		return created, err
	}
	if created.Hint, err = s.hint(tx, h.FromAgentID, now, fewUnread); err != nil {
		return created, err
	}
	return created, s.handoffEvent(tx, h, "handoff.created", h.FromAgentID, now, map[string]any{
		"from_agent_id": h.FromAgentID, "target": h.Target, "visibility": h.Visibility, "created_at": h.CreatedAt,
		"payload": h.Payload, "session_id": h.FromSessionID,
	})
}

// direct tells the one a hand-off is directed to, if that one is registered.
func (s *Service) direct(tx Tx, h Handoff, now time.Time) (notified []string, err error) {
	target, err := ParseTarget(h.Target)
	if err != nil || target.AgentID == "" {
		return nil, err
	}
	if registered, err := tx.AgentExists(target.AgentID); err != nil || !registered {
		return nil, err
	}
	return []string{target.AgentID}, s.notice(tx, h, target.AgentID, h.FromAgentID, fmt.Sprintf("handoff %s directed to you", h.ID), now, map[string]any{
		"kind": "handoff.directed", "from_agent_id": h.FromAgentID, "payload": h.Payload,
		"next_step": "Take it with handoff_claim, or decline it with handoff_reject.",
	})
}

// countEligible tells how many could take the work. Work directed to nobody is
// refused.
func (s *Service) countEligible(tx Tx, target *Target, created *CreatedHandoff) error {
	if target.Strategy == Direct {
		registered, err := tx.AgentExists(target.AgentID)
		if err == nil && !registered {
			err = noAgent(target.AgentID)
		}
		return err
	}
	count, err := s.eligibleCount(tx, target)
	created.EligibleCount = &count
	if count == 0 {
		created.Warning = "No registered agent can take this now. It stays open for one who registers later; handoff_cancel takes it back."
	}
	return err
}

// eligibleCount is how many registered agents could take the work now.
func (s *Service) eligibleCount(tx Tx, target *Target) (int, error) {
	now := s.now()
	if target.Eligible(Profile{}, now, now) { // one of whom nothing is known may: so may all
		return tx.CountAgents()
	}
	found := map[string]Agent{}
	if err := candidates(tx, *target, found); err != nil {
		return 0, err
	}
	n := 0
	for id, a := range found {
		if target.Eligible(ProfileOf(id, a), now, now) {
			n++
		}
	}
	return n, nil
}

// dependencies counts how many of the named hand-offs are not completed yet.
func (s *Service) dependencies(tx Tx, h Handoff) (int, error) {
	waits := 0
	for _, id := range h.DependsOn {
		other, found, err := tx.Handoff(id)
		switch {
		case err != nil || !found:
			return 0, orNotFound(err, "There is no hand-off %q to depend on.", id)
		case other.WorkspaceID != h.WorkspaceID:
			return 0, nexus.Errorf(nexus.WorkspaceMismatch, "Hand-off %q is in another workspace.", id)
		case other.Status != HandoffCompleted:
			waits++
		}
	}
	return waits, nil
}
