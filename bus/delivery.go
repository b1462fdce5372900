package bus

import (
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// The lanes of a delivery. It moves from unread to delivered (leased) to read,
// back to unread when the lease lapses, and to parked when it was handed out
// too often without being acknowledged.
const (
	Unread    = "unread"
	Delivered = "delivered"
	ReadLane  = "read"
	Parked    = "parked"
)

// maxAttempts is how often a delivery is handed out; the next claim parks it.
const maxAttempts = 5

// An InboxMessage is a message as it lies in somebody's inbox.
type InboxMessage struct {
	DeliveryID     string       `json:"delivery_id"`
	MessageID      string       `json:"message_id"`
	Status         string       `json:"status"`
	DeliveredAt    *string      `json:"delivered_at"`
	LeaseExpiresAt *string      `json:"lease_expires_at"`
	ReadAt         *string      `json:"read_at"`
	FromAgentID    string       `json:"from_agent_id"`
	WorkspaceID    string       `json:"workspace_id"`
	ChannelID      *string      `json:"channel_id"`
	Subject        string       `json:"subject"`
	Body           string       `json:"body"`
	Target         nexus.Object `json:"target"`
	Artifacts      []string     `json:"artifacts"`
	CreatedAt      string       `json:"created_at"`
}

// A DeliveryState is how one delivery stands.
type DeliveryState struct {
	MessageID      string
	Recipient      string
	Status         string
	Attempts       int
	LeaseExpiresAt string
	ReadAt         *string
}

type deliveryRows interface {
	// ClaimDeliveries leases the oldest claimable deliveries, each to one
	// claimant only, and parks those that were handed out too often.
	ClaimDeliveries(c Claim) (taken []InboxMessage, parked []string, err error)
	// AckDeliveries settles what is unread or in flight and says which that was.
	AckDeliveries(agentID string, messageIDs []string, at string) ([]string, error)
	// ExtendDeliveries renews leases that have not lapsed and counts them.
	ExtendDeliveries(agentID string, messageIDs []string, now, until string) (int, error)
	DeliveryStates(agentID string, messageIDs []string) ([]DeliveryState, error)
	DeliveriesOf(messageID string) ([]DeliveryState, error)
	// PendingDeliveries are those that wait or are in flight, oldest first.
	PendingDeliveries(agentID string, limit int) ([]InboxMessage, error)
	ParkedDeliveries(agentID string, limit int) ([]InboxMessage, error)
	CountDeliveries(agentID, now string) (LaneCounts, error)
	// ReadDeliveries are those read before a place in the archive, newest first.
	ReadDeliveries(agentID, readAt, deliveryID string, limit int) ([]InboxMessage, error)
}

// A Claim is what one pull asks for.
type Claim struct {
	AgentID     string
	Now, Until  string
	Limit       int
	MaxAttempts int
}

// claimable is the one answer to "may it be handed out?": unread, or in flight
// with a lease that has lapsed. A lease that ends now still holds.
func claimable(status, lease, now string) bool {
	return status == Unread || status == Delivered && lease < now
}

// effective is the lane a delivery is in now, whoever may have swept.
func effective(status, lease, now string) string {
	if claimable(status, lease, now) {
		return Unread
	}
	return status
}

// PullParams ask for mail.
type PullParams struct {
	AgentID      string `json:"agent_id" jsonschema:"whose inbox to pull"`
	Limit        *int   `json:"limit,omitempty" jsonschema:"how many to take, 1 to 200; default 50"`
	LeaseSeconds *int   `json:"lease_seconds,omitempty" jsonschema:"how long you need, 10 to 3600; default 300"`
	Credentials
}

// PullResult is the mail that was taken.
type PullResult struct {
	Messages []InboxMessage `json:"messages"`
	Count    int            `json:"count"`
}

const (
	usualMail = 50
	mostMail  = 200
)

// Pull leases the oldest claimable deliveries in the caller's inbox.
//
// A delivery is held by one claimant at a time. If the lease lapses before
// [Service.Ack], it is offered again with its attempt raised.
func (s *Service) Pull(ctx context.Context, p PullParams) (PullResult, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return PullResult{}, err
	}
	limit, err := pageLimit(p.Limit, usualMail, mostMail)
	if err != nil {
		return PullResult{}, err
	}
	lease := s.settings.InboxLease
	if p.LeaseSeconds != nil {
		lease = clampSeconds(*p.LeaseSeconds)
	}
	now := s.now()
	claim := Claim{p.AgentID, nexus.Stamp(now), nexus.Stamp(now.Add(lease)), limit, maxAttempts}
	return nexus.Update(ctx, s.store, func(tx Tx) (PullResult, error) {
		if err := s.trust(ctx, tx, p.AgentID, p.Credentials); err != nil {
			return PullResult{}, err
		}
		return s.pull(tx, claim, now)
	})
}

func (s *Service) pull(tx Tx, claim Claim, now time.Time) (PullResult, error) {
	taken, parked, err := tx.ClaimDeliveries(claim)
	if err != nil {
		return PullResult{}, err
	}
	result := PullResult{taken, len(taken)}
	if len(taken)+len(parked) == 0 {
		return result, touch(tx, claim.AgentID, now, pollGrain)
	}
	if err := touch(tx, claim.AgentID, now, 0); err != nil {
		return result, err
	}
	ids := make([]string, len(taken))
	for i, m := range taken {
		ids[i] = m.MessageID
	}
	return result, s.system(tx, now, "inbox.pulled", claim.AgentID,
		map[string]any{"agent_id": claim.AgentID, "message_ids": ids, "parked_message_ids": notNil(parked)})
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// AckParams say what is done.
type AckParams struct {
	AgentID    string          `json:"agent_id" jsonschema:"you"`
	MessageIDs nexus.OneOrMore `json:"message_ids" jsonschema:"what you have handled"`
	Credentials
}

// AckResult is what moved into history.
type AckResult struct {
	Acknowledged   int      `json:"acknowledged"`
	ReadMessageIDs []string `json:"read_message_ids"`
}

// Ack settles deliveries for good. Doing it again changes nothing.
func (s *Service) Ack(ctx context.Context, p AckParams) (AckResult, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return AckResult{}, err
	}
	if p.MessageIDs == nil {
		return AckResult{}, nexus.Invalid("message_ids", "message_ids is required.")
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (AckResult, error) {
		if err := s.trust(ctx, tx, p.AgentID, p.Credentials); err != nil {
			return AckResult{}, err
		}
		read, err := tx.AckDeliveries(p.AgentID, p.MessageIDs, nexus.Stamp(now))
		if err != nil || len(read) == 0 {
			return AckResult{0, []string{}}, err
		}
		if err := touch(tx, p.AgentID, now, 0); err != nil {
			return AckResult{}, err
		}
		return AckResult{len(read), read}, s.system(tx, now, "inbox.acknowledged", p.AgentID,
			map[string]any{"agent_id": p.AgentID, "message_ids": read})
	})
}

// ExtendParams ask for more time.
type ExtendParams struct {
	AgentID       string          `json:"agent_id" jsonschema:"you"`
	MessageIDs    nexus.OneOrMore `json:"message_ids" jsonschema:"what you are still working on"`
	ExtendSeconds *int            `json:"extend_seconds" jsonschema:"how long you need from now, 10 to 3600"`
	Credentials
}

// ExtendResult is how long the leases last now.
type ExtendResult struct {
	Extended       int    `json:"extended"`
	LeaseExpiresAt string `json:"lease_expires_at"`
}

// Extend renews the leases of deliveries in flight, all of them or none.
func (s *Service) Extend(ctx context.Context, p ExtendParams) (ExtendResult, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return ExtendResult{}, err
	}
	if len(p.MessageIDs) == 0 {
		return ExtendResult{}, nexus.Invalid("message_ids", "message_ids must name at least one message.")
	}
	if p.ExtendSeconds == nil {
		return ExtendResult{}, nexus.Invalid("extend_seconds", "extend_seconds is required.")
	}
	now := s.now()
	until := nexus.Stamp(now.Add(clampSeconds(*p.ExtendSeconds)))
	ids := slices.Compact(slices.Sorted(slices.Values(p.MessageIDs)))
	return nexus.Update(ctx, s.store, func(tx Tx) (ExtendResult, error) {
		if err := s.trust(ctx, tx, p.AgentID, p.Credentials); err != nil {
			return ExtendResult{}, err
		}
		n, err := tx.ExtendDeliveries(p.AgentID, ids, nexus.Stamp(now), until)
		if err != nil {
			return ExtendResult{}, err
		}
		if n != len(ids) {
			return ExtendResult{}, whyNotInFlight(tx, p.AgentID, ids, nexus.Stamp(now))
		}
		if err := touch(tx, p.AgentID, now, 0); err != nil {
			return ExtendResult{}, err
		}
		return ExtendResult{n, until}, s.system(tx, now, "inbox.extended", p.AgentID,
			map[string]any{"agent_id": p.AgentID, "message_ids": ids, "lease_expires_at": until})
	})
}

// notInFlight says why one message's lease cannot be renewed.
type notInFlight struct {
	MessageID string  `json:"message_id"`
	Status    *string `json:"status"`
	Reason    string  `json:"reason"`
}

// whyNotInFlight explains, message by message, what kept leases from being
// renewed.
func whyNotInFlight(tx Tx, agentID string, ids []string, now string) error {
	states, err := tx.DeliveryStates(agentID, ids)
	if err != nil {
		return err
	}
	known := map[string]DeliveryState{}
	for _, st := range states {
		known[st.MessageID] = st
	}
	code := nexus.NotFound
	var reasons []notInFlight
	for _, id := range ids {
		st, found := known[id]
		switch {
		case !found:
			reasons = append(reasons, notInFlight{id, nil, "there is no such message in your inbox"})
		case st.Status == Delivered && st.LeaseExpiresAt >= now:
		default:
			code = nexus.InvalidTransition
			reasons = append(reasons, notInFlight{id, &st.Status, lostReason(st.Status)})
		}
	}
	return nexus.Errorf(code, "Nothing was extended: some messages are not in flight for you. Pull them again.").
		With("agent_id", agentID).With("not_in_flight", reasons).With("now", now)
}

func lostReason(status string) string {
	switch status {
	case Unread:
		return "it was never pulled"
	case ReadLane:
		return "it is acknowledged already"
	case Parked:
		return "it is parked after too many attempts"
	default:
		return "its lease has lapsed"
	}
}

// PeekParams ask for a look.
type PeekParams struct {
	AgentID       string `json:"agent_id" jsonschema:"whose inbox to look into"`
	Limit         *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 200; default 50"`
	IncludeParked bool   `json:"include_parked,omitempty" jsonschema:"also show what was parked after too many attempts"`
}

// Peek shows what waits or is in flight. Nothing is taken, moved or stamped.
func (s *Service) Peek(ctx context.Context, p PeekParams) (PullResult, error) {
	if err := s.reader(ctx, p.AgentID); err != nil {
		return PullResult{}, err
	}
	limit, err := pageLimit(p.Limit, usualMail, mostMail)
	if err != nil {
		return PullResult{}, err
	}
	now := nexus.Stamp(s.now())
	return nexus.View(ctx, s.store, func(tx Tx) (PullResult, error) {
		messages, err := tx.PendingDeliveries(p.AgentID, limit)
		if err == nil && p.IncludeParked {
			var parked []InboxMessage
			parked, err = tx.ParkedDeliveries(p.AgentID, limit)
			messages = append(messages, parked...)
			slices.SortFunc(messages, func(a, b InboxMessage) int { return strings.Compare(a.DeliveryID, b.DeliveryID) })
			messages = messages[:min(len(messages), limit)]
		}
		for i := range messages {
			m := &messages[i]
			m.Status = effective(m.Status, deref(m.LeaseExpiresAt), now)
		}
		return PullResult{messages, len(messages)}, err
	})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// reader checks who looks into an inbox.
func (s *Service) reader(ctx context.Context, agentID string) error {
	if err := required("agent_id", agentID); err != nil {
		return err
	}
	return s.actAs(ctx, agentID)
}

// InboxParams name an inbox.
type InboxParams struct {
	AgentID string `json:"agent_id" jsonschema:"whose inbox"`
}

// LaneCounts is how many deliveries each lane holds.
type LaneCounts struct {
	Unread   int `json:"unread"`
	InFlight int `json:"in_flight"`
	Read     int `json:"read"`
}

// Count is the cheap look between two turns.
func (s *Service) Count(ctx context.Context, p InboxParams) (LaneCounts, error) {
	if err := s.reader(ctx, p.AgentID); err != nil {
		return LaneCounts{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (LaneCounts, error) {
		return tx.CountDeliveries(p.AgentID, nexus.Stamp(s.now()))
	})
}

// HistoryParams ask for a page of what was read.
type HistoryParams struct {
	AgentID string `json:"agent_id" jsonschema:"whose archive"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 200; default 50"`
}

// HistoryPage is a page of what was read, newest first.
type HistoryPage struct {
	Messages   []InboxMessage `json:"messages"`
	NextCursor *string        `json:"next_cursor"`
	HasMore    bool           `json:"has_more"`
}

// History pages through what was acknowledged. The cursor names the last row
// seen, so what is acknowledged meanwhile neither doubles nor hides anything.
func (s *Service) History(ctx context.Context, p HistoryParams) (HistoryPage, error) {
	if err := s.reader(ctx, p.AgentID); err != nil {
		return HistoryPage{}, err
	}
	limit, err := pageLimit(p.Limit, usualMail, mostMail)
	if err != nil {
		return HistoryPage{}, err
	}
	readAt, deliveryID, err := historyCursor(p.Cursor)
	if err != nil {
		return HistoryPage{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (HistoryPage, error) {
		messages, err := tx.ReadDeliveries(p.AgentID, readAt, deliveryID, limit+1)
		if err != nil || len(messages) <= limit {
			return HistoryPage{Messages: messages}, err
		}
		last := messages[limit-1]
		next := deref(last.ReadAt) + "~" + last.DeliveryID
		return HistoryPage{messages[:limit], &next, true}, nil
	})
}

// historyCursor reads "<read_at>~<delivery_id>"; "" starts at the newest.
func historyCursor(cursor string) (readAt, deliveryID string, err error) {
	if cursor == "" {
		return "~", "~", nil // after every time and id
	}
	readAt, deliveryID, ok := strings.Cut(cursor, "~")
	if _, badTime := nexus.ParseStamp(readAt); !ok || badTime != nil || deliveryID == "" {
		return "", "", nexus.Invalid("cursor",
			"cursor is not one of ours. Pass back next_cursor as it was, or leave it out to start at the newest.")
	}
	return readAt, deliveryID, nil
}

// StatusParams name a message.
type StatusParams struct {
	MessageID string `json:"message_id" jsonschema:"as message_create returned it"`
}

// DeliveryStatus is how a message stands with one recipient.
type DeliveryStatus struct {
	Recipient string  `json:"recipient"`
	Status    string  `json:"status"`
	Attempts  int     `json:"attempts"`
	ReadAt    *string `json:"read_at"`
}

// MessageStatus is how a message stands with everybody it was for.
type MessageStatus struct {
	MessageID  string           `json:"message_id"`
	Deliveries []DeliveryStatus `json:"deliveries"`
	Count      int              `json:"count"`
}

// Status tells a sender what became of a message.
func (s *Service) Status(ctx context.Context, p StatusParams) (MessageStatus, error) {
	if err := required("message_id", p.MessageID); err != nil {
		return MessageStatus{}, err
	}
	now := nexus.Stamp(s.now())
	return nexus.View(ctx, s.store, func(tx Tx) (MessageStatus, error) {
		_, _, found, err := tx.MessagePlace(p.MessageID)
		if err != nil || !found {
			return MessageStatus{}, orNotFound(err, "There is no message %q.", p.MessageID)
		}
		states, err := tx.DeliveriesOf(p.MessageID)
		result := MessageStatus{p.MessageID, []DeliveryStatus{}, len(states)}
		for _, st := range states {
			result.Deliveries = append(result.Deliveries,
				DeliveryStatus{st.Recipient, effective(st.Status, st.LeaseExpiresAt, now), st.Attempts, st.ReadAt})
		}
		return result, err
	})
}
