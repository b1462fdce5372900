package bus

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// What may need a person.
const (
	LeaseLapsing   = "lease_lapsing"
	ToVerify       = "verify"
	WorkParked     = "handoff_parked"
	WorkWaiting    = "handoff_waiting"
	MailParked     = "mail_parked"
	MailUnread     = "mail_unread"
	HolderIsSilent = "agent_stale"
)

// AttentionKinds are the kinds of what may need a person.
func AttentionKinds() []string {
	return []string{LeaseLapsing, ToVerify, WorkParked, WorkWaiting, MailParked, MailUnread, HolderIsSilent}
}

const (
	// lapsesSoon is how long before its end a lease needs looking at, and
	// waitsLong from when on work has waited too long.
	lapsesSoon = time.Minute
	waitsLong  = 10 * time.Minute
	// mostAttention is how many things a person is shown, attentionLook of how
	// many of each kind they are chosen.
	mostAttention = 100
	attentionLook = 1_000
	// mostTargets is how many different targets of new work are held against the
	// registry.
	mostTargets = 50
)

type observeAttentionRows interface {
	// OldestHandoffs are those of a state without what they are about, the oldest
	// first; of the open ones only those that wait for no other.
	OldestHandoffs(WorkQuery, Stretch) (Walked[Handoff, string], error)
	// LapsingHandoffs are those whose lease ends before a moment, likewise, the
	// first to end first.
	LapsingHandoffs(workspaceID, before string, limit int) ([]Handoff, error)
	HandoffPayloads(ids []string) (map[string]string, error)
	// LastHeard tells when registered agents last acted or were heard of.
	LastHeard(agentIDs []string) (map[string]string, error)
	// ParkedMail is the parked mail of every inbox that has some, of each the
	// newest look.
	ParkedMail(workspaceID string, look, limit int) ([]MailPile, error)
	// UnreadMail is the newest mail that an inbox has waiting or in flight, newest
	// first, a pile of one for each.
	UnreadMail(agentID, workspaceID string, limit int) ([]MailPile, error)
}

// A MailPile is mail of one agent, or for one, by the newest of it.
type MailPile struct {
	AgentID     string
	WorkspaceID string
	MessageID   string
	DeliveryID  string
	Subject     string
	Count       int
	Since       string // of the oldest
}

// An AttentionItem is something that a person should look at.
type AttentionItem struct {
	Kind        string  `json:"kind"`
	WorkspaceID *string `json:"workspace_id"`
	AgentID     *string `json:"agent_id"`
	HandoffID   *string `json:"handoff_id"`
	MessageID   *string `json:"message_id"`
	DeliveryID  *string `json:"delivery_id"`
	Title       *string `json:"title"`
	Count       *int    `json:"count"`
	Since       *string `json:"since"`
	Until       *string `json:"until"` // when it is too late
}

// Attention is what needs a person, the most urgent first.
type Attention struct {
	GeneratedAt string          `json:"generated_at"`
	Items       []AttentionItem `json:"items"`
	nexus.OnePage
	Total map[string]int `json:"total"`
	// Truncated tells that there is more than is shown or counted.
	Truncated bool `json:"truncated"`
}

// AttentionParams say where to look.
type AttentionParams struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one"`
}

// ObserveAttention tells what needs a person: first what runs out first, then
// what waits longest.
func (s *Service) ObserveAttention(ctx context.Context, p AttentionParams) (Attention, error) {
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return Attention{}, err
	}
	now := s.now()
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (Attention, error) {
		a := Attention{GeneratedAt: nexus.Stamp(now), Items: []AttentionItem{}, Total: map[string]int{}}
		for _, kind := range AttentionKinds() {
			a.Total[kind] = 0
		}
		for _, find := range []func(Tx, string, time.Time) ([]AttentionItem, bool, error){
			s.lapsing, inState(HandoffVerifying, ToVerify), inState(HandoffParked, WorkParked), s.waiting, s.silent, parkedMail, unreadMail,
		} {
			items, more, err := find(tx, workspace, now)
			if err != nil {
				return a, err
			}
			a.Items, a.Truncated = append(a.Items, items...), a.Truncated || more
		}
		a.choose()
		return a, nameWork(tx, a.Items)
	})
}

// choose counts all there is and leaves the most urgent.
func (a *Attention) choose() {
	for _, item := range a.Items {
		a.Total[item.Kind]++
	}
	slices.SortStableFunc(a.Items, func(x, y AttentionItem) int {
		return cmp.Or(strings.Compare(orNever(x.Until), orNever(y.Until)), strings.Compare(orNever(x.Since), orNever(y.Since)))
	})
	if len(a.Items) > mostAttention {
		a.Items, a.Truncated = a.Items[:mostAttention], true
	}
}

// orNever is a moment, or one after all others.
func orNever(at *string) string {
	if at == nil {
		return beyond
	}
	return *at
}

// nameWork gives what is shown of hand-offs its title. What they are about may be
// large, so it is read only of those.
func nameWork(tx Tx, items []AttentionItem) error {
	var ids []string
	for _, item := range items {
		if item.HandoffID != nil {
			ids = append(ids, *item.HandoffID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	payloads, err := tx.HandoffPayloads(ids)
	for i := range items {
		if id := items[i].HandoffID; id != nil {
			items[i].Title = pointer(Title(payloads[*id]))
		}
	}
	return err
}
