package bus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nexus"
)

// RequeueMailParams name parked mail.
type RequeueMailParams struct {
	AgentID    string          `json:"agent_id" jsonschema:"you"`
	MessageIDs nexus.OneOrMore `json:"message_ids" jsonschema:"parked messages to be offered again"`
	Credentials
}

// RequeuedMail is what is offered again.
type RequeuedMail struct {
	Requeued   int      `json:"requeued"`
	MessageIDs []string `json:"message_ids"`
	Hint
}

// RequeueMail offers parked mail again, as if it were new. The operator may do it
// for any inbox; that its agent did nothing by that stays visible.
func (s *Service) RequeueMail(ctx context.Context, p RequeueMailParams) (RequeuedMail, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return RequeuedMail{}, err
	}
	if len(p.MessageIDs) == 0 {
		return RequeuedMail{}, nexus.Invalid("message_ids", "message_ids must name at least one message.")
	}
	now := s.now()
	var by string
	prove := func(tx Tx) (err error) { by, err = s.mayRequeue(ctx, tx, p); return err }
	return trusted(ctx, s, prove, func(tx Tx) (RequeuedMail, error) {
		ids, err := tx.RequeueDeliveries(p.AgentID, p.MessageIDs)
		if err != nil {
			return RequeuedMail{}, err
		}
		if len(ids) == 0 {
			return RequeuedMail{}, nexus.Errorf(nexus.NotFound, "None of these messages is parked in this inbox. inbox_peek with include_parked shows those that are.")
		}
		tx.Wake(nexus.InboxKey(p.AgentID))
		if by == p.AgentID {
			if err := s.acted(tx, by, now); err != nil {
				return RequeuedMail{}, err
			}
		}
		hint, err := s.hint(tx, p.AgentID, now, mostUnread)
		if err != nil {
			return RequeuedMail{}, err
		}
		return RequeuedMail{len(ids), ids, hint}, s.system(tx, now, "inbox.requeued", by,
			map[string]any{"agent_id": p.AgentID, "message_ids": ids})
	})
}

// mayRequeue is who puts mail back into an inbox: its owner, or the operator.
func (s *Service) mayRequeue(ctx context.Context, tx Tx, p RequeueMailParams) (by string, err error) {
	if nexus.ActorFrom(ctx).Kind == nexus.KindOperator {
		return administrator(ctx), s.enroll(tx, p.AgentID)
	}
	return p.AgentID, s.trust(ctx, tx, p.AgentID, p.Credentials)
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
	Hint
}

// Ack settles deliveries for good. Doing it again changes nothing.
func (s *Service) Ack(ctx context.Context, p AckParams) (AckResult, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return AckResult{}, err
	}
	if p.MessageIDs == nil {
		return AckResult{}, nexus.Invalid("message_ids", "message_ids is required.")
	}
	if err := noBlanks(p.MessageIDs); err != nil {
		return AckResult{}, err
	}
	now := s.now()
	return trusted(ctx, s, s.proof(ctx, p.AgentID, p.Credentials), func(tx Tx) (AckResult, error) {
		read, err := tx.AckDeliveries(p.AgentID, p.MessageIDs, nexus.Stamp(now))
		if err != nil {
			return AckResult{}, err
		}
		if err := s.acted(tx, p.AgentID, now); err != nil {
			return AckResult{}, err
		}
		hint, err := s.hint(tx, p.AgentID, now, mostUnread)
		if err != nil || len(read) == 0 {
			return AckResult{0, []string{}, hint}, err
		}
		if err := s.receipts(tx, p.AgentID, read, now); err != nil {
			return AckResult{}, err
		}
		return AckResult{len(read), read, hint}, s.system(tx, now, "inbox.acknowledged", p.AgentID,
			map[string]any{"agent_id": p.AgentID, "message_ids": read})
	})
}

// receipts tells the senders of messages that they were read, where that is
// wanted. A notice of the bus, which a receipt is, is not receipted.
func (s *Service) receipts(tx Tx, reader string, messageIDs []string, now time.Time) error {
	if !s.knobs().ReadReceipts {
		return nil
	}
	senders, err := tx.Senders(messageIDs)
	if err != nil {
		return err
	}
	for _, m := range senders {
		if m.Provenance.Sender == SenderBus || m.FromAgentID == reader {
			continue
		}
		exists, err := tx.AgentExists(m.FromAgentID)
		if err != nil {
			return err
		}
		if !exists {
			continue
		}
		err = s.notify(tx, m.WorkspaceID, m.FromAgentID, reader, fmt.Sprintf("message %s read by %s", m.ID, reader), now, map[string]any{
			"kind": "message.read", "message_id": m.ID, "recipient_agent_id": reader, "at": nexus.Stamp(now),
		})
		if err != nil {
			return err
		}
	}
	return nil
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
	Hint
}

// Extend renews the leases of deliveries in flight, all of them or none.
func (s *Service) Extend(ctx context.Context, p ExtendParams) (ExtendResult, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return ExtendResult{}, err
	}
	if len(p.MessageIDs) == 0 {
		return ExtendResult{}, nexus.Invalid("message_ids", "message_ids must name at least one message.")
	}
	if err := noBlanks(p.MessageIDs); err != nil {
		return ExtendResult{}, err
	}
	if p.ExtendSeconds == nil {
		return ExtendResult{}, nexus.Invalid("extend_seconds", "extend_seconds is required.")
	}
	now := s.now()
	until := nexus.Stamp(now.Add(clampSeconds(*p.ExtendSeconds)))
	ids := slices.Compact(slices.Sorted(slices.Values(p.MessageIDs)))
	return trusted(ctx, s, s.proof(ctx, p.AgentID, p.Credentials), func(tx Tx) (ExtendResult, error) {
		n, err := tx.ExtendDeliveries(p.AgentID, ids, nexus.Stamp(now), until)
		if err != nil {
			return ExtendResult{}, err
		}
		if n != len(ids) {
			return ExtendResult{}, whyNotInFlight(tx, p.AgentID, ids, nexus.Stamp(now))
		}
		if err := s.acted(tx, p.AgentID, now); err != nil {
			return ExtendResult{}, err
		}
		hint, err := s.hint(tx, p.AgentID, now, mostUnread)
		if err != nil {
			return ExtendResult{}, err
		}
		return ExtendResult{n, until, hint}, s.system(tx, now, "inbox.extended", p.AgentID,
			map[string]any{"agent_id": p.AgentID, "message_ids": ids, "lease_expires_at": until})
	})
}

// noBlanks refuses ids that name nothing.
func noBlanks(ids []string) error {
	for _, id := range ids {
		if err := required("message_ids", id); err != nil {
			return nexus.Invalid("message_ids", "message_ids holds a blank id.")
		}
	}
	return nil
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
