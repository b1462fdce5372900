package bus

import (
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
	Attempts       int          `json:"-"` // how often it was handed out before
	FromAgentID    string       `json:"from_agent_id"`
	WorkspaceID    string       `json:"workspace_id"`
	ChannelID      *string      `json:"channel_id"`
	Subject        string       `json:"subject"`
	Body           string       `json:"body,omitempty"` // never empty, but for a preview
	BodyPreview    string       `json:"body_preview,omitempty"`
	BodyBytes      int          `json:"body_bytes,omitempty"`
	Target         nexus.Object `json:"target"`
	Artifacts      []string     `json:"artifacts"`
	CreatedAt      string       `json:"created_at"`
	Provenance     Provenance   `json:"provenance"`
}

// A Hint tells an agent of mail that waits, with the answer to something else, so
// that nobody needs to poll. It counts no further than it costs next to nothing.
type Hint struct {
	Unread *int `json:"unread,omitempty"`
}

func (h *Hint) setHint(known Hint) { *h = known }

// As far as a [Hint] counts, and as far as the one does that goes with sending and
// offering, which must stay as cheap as they are.
const (
	mostUnread = 100
	fewUnread  = 10
)

func (s *Service) hint(tx Tx, agentID string, now time.Time, most int) (Hint, error) {
	n, err := tx.CountUnread(agentID, nexus.Stamp(now), most)
	return Hint{&n}, err
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
	// Senders are messages without their content: whose they are, and from where.
	Senders(messageIDs []string) ([]Message, error)
	// PendingDeliveries are those that wait or are in flight, oldest first.
	PendingDeliveries(agentID string, limit int) ([]InboxMessage, error)
	ParkedDeliveries(agentID string, limit int) ([]InboxMessage, error)
	CountDeliveries(agentID, now string) (LaneCounts, error)
	// CountUnread counts what is claimable, and stops counting at most.
	CountUnread(agentID, now string, most int) (int, error)
	// NextLapse is when the first lease of an inbox ends, "" for never.
	NextLapse(agentID string) (string, error)
	// RequeueDeliveries offers parked deliveries again, as if they were new.
	RequeueDeliveries(agentID string, messageIDs []string) ([]string, error)
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

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
