package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nexus"
)

// AvailableParams ask for work.
type AvailableParams struct {
	ProjectRoot    string     `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	AgentID        string     `json:"agent_id" jsonschema:"you"`
	Cursor         nexus.JSON `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
	Limit          *int       `json:"limit,omitempty" jsonschema:"how many to show, 1 to 500; default 100"`
	TimeoutSeconds *float64   `json:"timeout_seconds,omitempty" jsonschema:"how long to wait for the first one; default 0, do not wait"`
}

// An AvailableHandoff is work that the caller could claim now.
type AvailableHandoff struct {
	ID          string       `json:"handoff_id"`
	Status      string       `json:"status"`
	Target      nexus.Object `json:"target"`
	Visibility  string       `json:"visibility"`
	FromAgentID string       `json:"from_agent_id"`
	Payload     *string      `json:"payload"`
	CreatedAt   string       `json:"created_at"`
	Priority    int          `json:"priority,omitempty"`
	ExpiresAt   *string      `json:"expires_at,omitempty"`
	TaskID      *string      `json:"task_id,omitempty"`
	Criteria    []string     `json:"acceptance_criteria,omitempty"`
	Feedback    *string      `json:"feedback,omitempty"`
}

// AvailablePage is a page of work for the caller, the most urgent first.
type AvailablePage struct {
	Handoffs   []AvailableHandoff `json:"handoffs"`
	NextCursor *string            `json:"next_cursor"`
	HasMore    bool               `json:"has_more"`
	TimedOut   bool               `json:"timed_out"`
}

const (
	usualWork = 100
	mostWork  = 500
)

// Available lists the open hand-offs that the caller may take. Asked to wait, it
// returns as soon as there is one: when it is created, when a lease lapses, when
// a fallback opens.
func (s *Service) Available(ctx context.Context, p AvailableParams) (AvailablePage, error) {
	look, keys, err := s.availableLook(ctx, p)
	if err != nil {
		return AvailablePage{}, err
	}
	if p.TimeoutSeconds == nil || *p.TimeoutSeconds == 0 {
		page, _, _, err := look(ctx)
		return page, err
	}
	page, timedOut, err := nexus.Await(ctx, s.store, keys, s.waitFor(*p.TimeoutSeconds), look)
	page.TimedOut = timedOut
	return page, err
}

type availableLook func(ctx context.Context) (page AvailablePage, found bool, due time.Time, err error)

// availableLook checks the arguments and returns how to look, and what to wait
// for. An agent whose capabilities change while it waits looks with the old ones
// until it asks again.
func (s *Service) availableLook(ctx context.Context, p AvailableParams) (availableLook, []string, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return nil, nil, err
	}
	if err := s.reader(ctx, p.AgentID); err != nil {
		return nil, nil, err
	}
	limit, err := pageLimit(p.Limit, usualWork, mostWork)
	if err != nil {
		return nil, nil, err
	}
	rank, id, err := workCursor(cursorText(p.Cursor))
	if err != nil {
		return nil, nil, err
	}
	if p.TimeoutSeconds != nil && *p.TimeoutSeconds < 0 {
		return nil, nil, nexus.Invalid("timeout_seconds", "timeout_seconds must be 0 or more.")
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return nil, nil, err
	}
	me, err := nexus.View(ctx, s.store, func(tx Tx) (Agent, error) {
		a, _, err := tx.Agent(p.AgentID)
		return a.Agent, err
	})
	if err != nil {
		return nil, nil, err
	}
	s.seen(ctx, me, s.now())
	who := ProfileOf(p.AgentID, me)
	keys := offeredTo(who)
	wake := make([]string, len(keys))
	for i, key := range keys {
		wake[i] = offerWake(at.id, key)
	}
	query := OfferQuery{WorkspaceID: at.id, AfterRank: rank, AfterID: id, Limit: limit + 1}
	return func(ctx context.Context) (AvailablePage, bool, time.Time, error) {
		return s.lookForWork(ctx, query, who, keys)
	}, wake, nil
}

// lookForWork first returns to the pool what was abandoned, if anything was.
func (s *Service) lookForWork(ctx context.Context, q OfferQuery, who Profile, keys []string) (page AvailablePage, found bool, due time.Time, err error) {
	now := s.now()
	q.Now = nexus.Stamp(now)
	if err := s.sweepIfDue(ctx, q.WorkspaceID, now); err != nil {
		return page, false, due, err
	}
	var next string
	page, err = nexus.View(ctx, s.store, func(tx Tx) (AvailablePage, error) {
		all, err := offered(tx, q, who, keys, now)
		if err != nil {
			return AvailablePage{}, err
		}
		if len(all) == 0 {
			next, err = tx.NextOffer(q.WorkspaceID, keys, q.Now)
		}
		return workPage(all, q.Limit-1), err
	})
	if next != "" {
		// A lease that ends at a moment holds until just after it.
		if at, parse := nexus.ParseStamp(next); parse == nil {
			due = at.Add(time.Microsecond)
		}
	}
	return page, len(page.Handoffs) > 0, due, err
}

// offered merges what is offered under each of the caller's keys.
func offered(tx Tx, q OfferQuery, who Profile, keys []string, now time.Time) ([]Handoff, error) {
	var all []Handoff
	for _, q.To = range keys {
		some, err := tx.OfferedHandoffs(q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b Handoff) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.ID, b.ID))
	})
	all = slices.CompactFunc(all, func(a, b Handoff) bool { return a.ID == b.ID })
	return slices.DeleteFunc(all, func(h Handoff) bool { return !h.eligible(who, now) }), nil
}

// eligible is [Target.Eligible] for a stored hand-off; what cannot be read is
// for nobody.
func (h Handoff) eligible(who Profile, now time.Time) bool {
	t, err := ParseTarget(h.Target)
	created, parse := nexus.ParseStamp(h.CreatedAt)
	return err == nil && parse == nil && t.Eligible(who, created, now)
}

func workPage(all []Handoff, limit int) AvailablePage {
	page := AvailablePage{Handoffs: []AvailableHandoff{}}
	for i, h := range all {
		if i == limit {
			last := all[i-1]
			page.NextCursor, page.HasMore = pointer(workPlace(last.Priority, last.ID)), true
			break
		}
		page.Handoffs = append(page.Handoffs, AvailableHandoff{
			ID: h.ID, Status: HandoffOpen, Target: h.Target, Visibility: h.Visibility, FromAgentID: h.FromAgentID,
			Payload: h.Payload, CreatedAt: h.CreatedAt, Priority: h.Priority, ExpiresAt: h.ExpiresAt, TaskID: h.TaskID,
			Criteria: h.Criteria, Feedback: h.Feedback,
		})
	}
	return page
}

// workPlace is a place in a list that is sorted by priority, then age.
func workPlace(priority int, id string) string { return fmt.Sprintf("%d~%s", -priority, id) }

// cursorText is a cursor as text: clients that think of it as an offset begin
// with the number 0.
func cursorText(raw nexus.JSON) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return text
}

// workCursor reads "<rank>~<handoff_id>"; nothing, "" and "0" start at the top.
func workCursor(cursor string) (rank int, id string, err error) {
	if cursor == "" || cursor == "0" {
		return -1 << 30, "", nil
	}
	digits, id, ok := strings.Cut(cursor, "~")
	if rank, err = strconv.Atoi(digits); !ok || err != nil || id == "" {
		return 0, "", nexus.Invalid("cursor", "cursor is not one of ours. Pass back next_cursor as it was, or leave it out to start at the top.")
	}
	return rank, id, nil
}

// ClaimParams take a hand-off.
type ClaimParams struct {
	WorkParams
	LeaseSeconds *int `json:"lease_seconds,omitempty" jsonschema:"how long you need, 10 to 3600; default 300"`
	Credentials
}

// ClaimResult is a hand-off that is now the caller's.
type ClaimResult struct {
	ID             string   `json:"handoff_id"`
	WorkspaceID    string   `json:"workspace_id"`
	Status         string   `json:"status"`
	ClaimedBy      string   `json:"claimed_by"`
	LeaseExpiresAt string   `json:"lease_expires_at"`
	Payload        *string  `json:"payload"`
	Attempt        int      `json:"attempt"`
	Criteria       []string `json:"acceptance_criteria,omitempty"`
	Feedback       *string  `json:"feedback,omitempty"`
	Hint
}

// Claim takes an open hand-off. Whoever is first has it; everybody else is told
// so. The attempt it returns fences the claim: pass it when finishing, and a
// claim that was lost meanwhile is noticed.
func (s *Service) Claim(ctx context.Context, p ClaimParams) (ClaimResult, error) {
	now := s.now()
	until := nexus.Stamp(now.Add(s.handoffLease(p.LeaseSeconds)))
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, doWork, now, func(tx Tx, h Handoff) (ClaimResult, error) {
		a, _, err := tx.Agent(p.AgentID)
		if err != nil {
			return ClaimResult{}, err
		}
		if !h.eligible(ProfileOf(p.AgentID, a.Agent), now) {
			return ClaimResult{}, nexus.Errorf(nexus.NotEligible,
				"Hand-off %q is not for you: neither your name, role nor capabilities match its target.", h.ID).With("target", h.Target)
		}
		switch {
		case h.Status != HandoffOpen:
			return ClaimResult{}, alreadyClaimed(h)
		case h.WaitsFor > 0:
			return ClaimResult{}, nexus.Errorf(nexus.InvalidTransition,
				"Hand-off %q waits for %d others to be completed first.", h.ID, h.WaitsFor).With("depends_on", h.DependsOn)
		}
		h.Status, h.ClaimedBy, h.ClaimedSessionID = HandoffClaimed, &p.AgentID, pointer(p.SessionID)
		h.LeaseExpiresAt, h.Attempt = &until, h.Attempt+1
		if err := s.change(tx, &h, now); err != nil {
			return ClaimResult{}, err
		}
		err = s.handoffEvent(tx, h, "handoff.claimed", p.AgentID, now, map[string]any{
			"claimed_by": p.AgentID, "lease_expires_at": until, "claimed_session_id": h.ClaimedSessionID, "attempt": h.Attempt,
		})
		return ClaimResult{
			ID: h.ID, WorkspaceID: h.WorkspaceID, Status: h.Status, ClaimedBy: p.AgentID, LeaseExpiresAt: until,
			Payload: h.Payload, Attempt: h.Attempt, Criteria: h.Criteria, Feedback: h.Feedback,
		}, err
	})
}

func (s *Service) handoffLease(asked *int) time.Duration {
	if asked == nil {
		return s.knobs().HandoffLease
	}
	return clampSeconds(*asked)
}

func alreadyClaimed(h Handoff) error {
	if h.Status == HandoffClaimed {
		return nexus.Errorf(nexus.AlreadyClaimed, "Hand-off %q is taken by %q. Look for another one.", h.ID, deref(h.ClaimedBy)).
			With("claimed_by", h.ClaimedBy).With("status", h.Status)
	}
	return nexus.Errorf(nexus.AlreadyClaimed, "Hand-off %q is %s: there is nothing left to take.", h.ID, h.Status).With("status", h.Status)
}

// RenewParams ask for more time.
type RenewParams struct {
	WorkParams
	Attempt      *int `json:"attempt,omitempty" jsonschema:"as handoff_claim returned it; a claim that was lost is then told apart"`
	LeaseSeconds *int `json:"lease_seconds,omitempty" jsonschema:"how long you need from now, 10 to 3600; default 300"`
	Credentials
}

// RenewResult is how long the claim lasts now.
type RenewResult struct {
	ID             string `json:"handoff_id"`
	Status         string `json:"status"`
	LeaseExpiresAt string `json:"lease_expires_at"`
	Attempt        int    `json:"attempt"`
	Hint
}

// Renew prolongs the caller's claim.
func (s *Service) Renew(ctx context.Context, p RenewParams) (RenewResult, error) {
	now := s.now()
	until := nexus.Stamp(now.Add(s.handoffLease(p.LeaseSeconds)))
	return onHandoff(ctx, s, p.WorkParams, p.Credentials, doWork, now, func(tx Tx, h Handoff) (RenewResult, error) {
		if err := h.ownedBy(p.AgentID, p.Attempt); err != nil {
			return RenewResult{}, err
		}
		h.LeaseExpiresAt = &until
		if err := s.change(tx, &h, now); err != nil {
			return RenewResult{}, err
		}
		return RenewResult{ID: h.ID, Status: h.Status, LeaseExpiresAt: until, Attempt: h.Attempt},
			s.handoffEvent(tx, h, "handoff.renewed", p.AgentID, now, map[string]any{"claimed_by": p.AgentID, "lease_expires_at": until})
	})
}

// lost tells whether an attempt was somebody's and is over without its doing:
// there was a later one, or its lease lapsed.
func (h Handoff) lost(attempt int, mine bool) bool {
	lapsed := h.Status == HandoffOpen || h.Status == HandoffParked || h.Status == HandoffExpired
	return attempt < h.Attempt || mine && attempt != h.Attempt || lapsed && attempt == h.Attempt && attempt > 0
}

// ownedBy checks that a claim is still the caller's.
func (h Handoff) ownedBy(agentID string, attempt *int) error {
	mine := h.Status == HandoffClaimed && deref(h.ClaimedBy) == agentID
	switch {
	case attempt != nil && h.lost(*attempt, mine):
		return nexus.Errorf(nexus.LeaseLost, "Your claim on hand-off %q (attempt %d) is lost: it is %s. Drop the work.", h.ID, *attempt, h.Status).
			With("status", h.Status).With("attempt", h.Attempt)
	case mine:
		return nil
	case h.Status == HandoffClaimed:
		return nexus.Errorf(nexus.NotOwner, "Hand-off %q is claimed by another agent.", h.ID).With("claimed_by", h.ClaimedBy)
	}
	return nexus.Errorf(nexus.InvalidTransition, "Hand-off %q is %s, not CLAIMED. If your lease lapsed, claim it again.", h.ID, h.Status).
		With("status", h.Status)
}
