package bus

import (
	"context"
	"slices"
	"strings"

	"nexus"
)

// PeekParams ask for a look.
type PeekParams struct {
	AgentID       string `json:"agent_id" jsonschema:"whose inbox to look into"`
	Limit         *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 200; default 50"`
	IncludeParked bool   `json:"include_parked,omitempty" jsonschema:"also show what was parked after too many attempts"`
	IncludeBodies *bool  `json:"include_bodies,omitempty" jsonschema:"false for the beginning of each body only; default true"`
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
			if p.IncludeBodies != nil && !*p.IncludeBodies {
				m.preview()
			}
		}
		return PullResult{Messages: messages, Count: len(messages)}, err
	})
}

// reader checks who looks into an inbox.
func (s *Service) reader(ctx context.Context, agentID string) error {
	if err := required("agent_id", agentID); err != nil {
		return err
	}
	return s.actAs(ctx, agentID)
}

// previewed is how many characters of a body a preview shows.
const previewed = 200

// preview leaves the beginning of a body, and says how long it is.
func (m *InboxMessage) preview() {
	runes := []rune(m.Body)
	m.BodyPreview, m.BodyBytes = string(runes[:min(len(runes), previewed)]), len(m.Body)
	m.Body = ""
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
		workspaceID, _, found, err := tx.MessagePlace(p.MessageID)
		if err != nil || !found {
			return MessageStatus{}, orNotFound(err, "There is no message %q.", p.MessageID)
		}
		if err := nexus.ActorFrom(ctx).MayEnter(workspaceID); err != nil {
			return MessageStatus{}, err
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
