package bus

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nexus"
)

// The states of a hand-off; docs/states.md draws how they follow each other.
const (
	HandoffOpen      = "OPEN"
	HandoffClaimed   = "CLAIMED"
	HandoffVerifying = "VERIFYING"
	HandoffCompleted = "COMPLETED"
	HandoffRejected  = "REJECTED"
	HandoffCancelled = "CANCELLED"
	HandoffExpired   = "EXPIRED"
	HandoffParked    = "PARKED"
)

// A Handoff is a piece of work that exactly one agent takes.
type Handoff struct {
	ID             string       `json:"handoff_id"`
	WorkspaceID    string       `json:"workspace_id"`
	Status         string       `json:"status"`
	FromAgentID    string       `json:"from_agent_id"`
	Target         nexus.Object `json:"target"`
	Visibility     string       `json:"visibility"`
	ClaimedBy      *string      `json:"claimed_by"`
	LeaseExpiresAt *string      `json:"lease_expires_at"`
	Payload        *string      `json:"payload"`
	Result         *string      `json:"result"`
	RejectedReason *string      `json:"rejected_reason"`
	CreatedAt      string       `json:"created_at"`
	UpdatedAt      string       `json:"updated_at"`

	TaskID      *string      `json:"task_id,omitempty"`
	Attempt     int          `json:"attempt,omitempty"`
	Priority    int          `json:"priority,omitempty"`
	ExpiresAt   *string      `json:"expires_at,omitempty"`
	MaxAttempts int          `json:"max_attempts,omitempty"`
	DependsOn   []string     `json:"depends_on,omitempty"`
	Blocked     bool         `json:"blocked,omitempty"` // whether it waits for other work
	Criteria    []string     `json:"acceptance_criteria,omitempty"`
	VerifyBy    nexus.Object `json:"verify_by,omitzero"`
	Feedback    *string      `json:"feedback,omitempty"`

	FromSessionID    *string `json:"-"`
	ClaimedSessionID *string `json:"-"`
	AttemptsBefore   int     `json:"-"`
	WaitsFor         int     `json:"-"` // how many dependencies are not completed
	CompletesTask    bool    `json:"-"` // whether, with it, its task is done
	// Read is the version that was read, by which a change is guarded.
	Read HandoffVersion `json:"-"`
}

// A HandoffVersion tells whether somebody else changed a hand-off meanwhile.
type HandoffVersion struct {
	Status  string
	Attempt int
	Lease   *string
}

// An Offer is one of the ways a hand-off is found by those who may take it.
type Offer struct {
	To      string // see [offerKeys]
	OpensAt string // "" for at once
}

type handoffRows interface {
	InsertHandoff(Handoff) error
	Handoff(id string) (Handoff, bool, error)
	// UpdateHandoff stores a hand-off if it still is in the version that was read,
	// and tells whether it was.
	UpdateHandoff(Handoff) (bool, error)
	InsertOffers(h Handoff, offers []Offer) error
	DropOffers(handoffID string) error
	// OfferedHandoffs are the open ones offered to a key after a place in the
	// list, the most urgent first.
	OfferedHandoffs(q OfferQuery) ([]Handoff, error)
	// NextOffer is when something becomes available by itself, "" for never: an
	// offer to one of the keys that opens then, or work whose lease ends.
	NextOffer(workspaceID string, keys []string, now string) (string, error)
	// OverdueHandoffs are those whose lease or time is over.
	OverdueHandoffs(workspaceID, now string, limit int) ([]Handoff, error)
	// WorkDues tells of each workspace when the first lease or offer ends.
	WorkDues() ([]WorkDue, error)
	// Dependents are the hand-offs that wait for another one.
	Dependents(handoffID string) ([]string, error)
	// Unblock notes that one dependency of a hand-off is completed and tells how
	// many are left.
	Unblock(handoffID string) (left int, err error)
	CountAgents() (int, error)
}

// An OfferQuery selects open hand-offs that are offered to one key.
type OfferQuery struct {
	WorkspaceID, To, Now string
	AfterRank            int
	AfterID              string
	Limit                int
}

// WorkParams are where a hand-off is, which it is, and who acts.
type WorkParams struct {
	ProjectRoot string `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	HandoffID   string `json:"handoff_id" jsonschema:"the hand-off"`
	AgentID     string `json:"agent_id" jsonschema:"you"`
}

// check refuses arguments without which nothing can be done.
func (p WorkParams) check() error {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return err
	}
	return cmp.Or(required("handoff_id", p.HandoffID), required("agent_id", p.AgentID))
}

// offerKeys are the names under which a hand-off is found, and from when on: those
// of its target at once, those of its fallback from that moment. They say the
// same as [Target.Eligible], which has the last word.
func offerKeys(t *Target, created time.Time) []Offer {
	return distinct(offersFrom(t, created, ""))
}

// offersFrom is [offerKeys] of a part of a target that counts from a moment on.
func offersFrom(t *Target, created time.Time, from string) []Offer {
	if t == nil || t.Strategy == Broadcast {
		return []Offer{{"all", from}}
	}
	var offers []Offer
	switch t.Strategy {
	case Direct, DirectWithFallback:
		offers = append(offers, Offer{"agent/" + t.AgentID, from})
	case ByRole:
		offers = append(offers, Offer{"role/" + t.Role, from})
	}
	for _, c := range t.Capabilities {
		offers = append(offers, Offer{"capability/" + c, from})
	}
	for _, rule := range t.Rules {
		offers = append(offers, offersFrom(&rule, created, from)...)
	}
	if t.Strategy == DirectWithFallback {
		moment := max(from, nexus.Stamp(created.Add(t.FallbackAfter)))
		offers = append(offers, offersFrom(t.Fallback, created, moment)...)
	}
	return offers
}

// distinct keeps the earliest offer for each key.
func distinct(offers []Offer) []Offer {
	slices.SortFunc(offers, func(a, b Offer) int {
		return cmp.Or(strings.Compare(a.To, b.To), strings.Compare(a.OpensAt, b.OpensAt))
	})
	return slices.CompactFunc(offers, func(a, b Offer) bool { return a.To == b.To })
}

// offeredTo are the keys under which an agent finds work.
func offeredTo(p Profile) []string {
	keys := []string{"all", "agent/" + p.AgentID}
	if p.Role != "" {
		keys = append(keys, "role/"+p.Role)
	}
	for _, c := range p.Capabilities {
		keys = append(keys, "capability/"+c)
	}
	return keys
}

// offerWake is the wake-up key of those who wait for work under an offer key.
func offerWake(workspaceID, key string) string { return "work/" + workspaceID + "/" + key }

// dueWake wakes who looks after what is overdue: something may be, earlier.
const dueWake = "work/due"

// A WorkDue is when something in a workspace will be overdue.
type WorkDue struct{ WorkspaceID, At string }

// handoffEvent notes a change of a hand-off in the log. Blank extras stay out.
func (s *Service) handoffEvent(tx Tx, h Handoff, kind, actor string, now time.Time, more map[string]any) error {
	if h.LeaseExpiresAt != nil || h.ExpiresAt != nil {
		tx.Wake(dueWake)
	}
	payload := map[string]any{"handoff_id": h.ID, "workspace_id": h.WorkspaceID, "status": h.Status}
	for key, value := range more {
		if text, isText := value.(*string); !isText || text != nil {
			payload[key] = value
		}
	}
	task := ""
	if h.TaskID != nil {
		task = *h.TaskID
	}
	return tx.AppendEvent(&nexus.Event{
		WorkspaceID: h.WorkspaceID, Stream: nexus.StreamHandoff, Type: kind, Actor: actor, TaskID: task, HandoffID: h.ID,
		Visibility: h.Visibility, Target: nexus.JSON(h.Target), Payload: mustJSON(payload), CreatedAt: nexus.Stamp(now),
	})
}

// notice tells an agent of a hand-off.
func (s *Service) notice(tx Tx, h Handoff, to, from, subject string, now time.Time, body map[string]any) error {
	body["handoff_id"] = h.ID
	return s.notify(tx, h.WorkspaceID, to, from, subject, now, body)
}

// notify puts a message of the bus itself into an agent's inbox. It is no event
// of its own: the change it tells of is one.
func (s *Service) notify(tx Tx, workspaceID, to, from, subject string, now time.Time, body map[string]any) error {
	for key, value := range body {
		if text, isText := value.(*string); isText && text == nil {
			delete(body, key)
		}
	}
	m := Message{
		ID: s.newID("msg"), WorkspaceID: workspaceID, FromAgentID: from, Subject: subject,
		Body: string(mustJSON(body)), CreatedAt: nexus.Stamp(now),
		Target:     nexus.Object(mustJSON(map[string]string{"strategy": Direct, "agent_id": to})),
		Provenance: Provenance{Sender: SenderBus, Proof: ProofClaimed},
	}
	if err := tx.InsertMessage(m); err != nil {
		return err
	}
	tx.Wake(nexus.InboxKey(to))
	return tx.InsertDeliveries(m.ID, []string{to}, []string{s.newID("dlv")}, m.CreatedAt)
}
