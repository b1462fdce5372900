package bus

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nexus"
)

// PeersParams name an agent.
type PeersParams struct {
	Agent     string `json:"agent" jsonschema:"whose conversations"`
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one"`
}

// A PeerQuery selects the newest messages of an agent, so many in each direction.
type PeerQuery struct {
	AgentID, WorkspaceID, Now string
	Look                      int
}

// A Peer is somebody an agent exchanged messages with.
type Peer struct {
	Peer        string       `json:"peer"`
	Count       int          `json:"count"`
	LastAt      string       `json:"last_at"`
	Unread      int          `json:"unread"` // of the peer's messages, in the agent's inbox
	LastMessage *PeerMessage `json:"last_message"`

	LastDelivery string `json:"-"`
}

// A PeerMessage is the last message between two, and how it stands with the one
// who got it.
type PeerMessage struct {
	ID          string `json:"message_id"`
	FromAgentID string `json:"from_agent_id"`
	Preview     string `json:"preview"`
	CreatedAt   string `json:"created_at"`
	Status      string `json:"status"`

	Lease string `json:"-"`
}

// PeerCounts are an agent's peers by what it sent to and got from each, and how
// much of what it sent reached nobody.
type PeerCounts struct {
	Sent, Received []Peer
	Failed         int
}

// PeerList is with whom an agent talks, the latest first.
type PeerList struct {
	Items []Peer `json:"items"`
	nexus.OnePage
	FailedCount int `json:"failed_count"`
	// LookedAt is of how many messages at most, sent and received, this was made.
	LookedAt int `json:"looked_at"`
}

// peersLook is how many of an agent's newest messages, in each direction, its
// peers are found by.
const peersLook = 10_000

// ObservePeers tells with whom an agent exchanged messages.
func (s *Service) ObservePeers(ctx context.Context, p PeersParams) (PeerList, error) {
	if err := required("agent", p.Agent); err != nil {
		return PeerList{}, err
	}
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return PeerList{}, err
	}
	now := nexus.Stamp(s.now())
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (PeerList, error) {
		found, err := tx.Peers(PeerQuery{p.Agent, workspace, now, peersLook})
		if err != nil {
			return PeerList{}, err
		}
		list := PeerList{Items: found.merge(), FailedCount: found.Failed, LookedAt: peersLook}
		return list, addLastMessages(tx, list.Items, now)
	})
}

// merge makes one list of what went to and came from each, the latest first.
func (c PeerCounts) merge() []Peer {
	peers := map[string]Peer{}
	for _, part := range slices.Concat(c.Sent, c.Received) {
		sum := peers[part.Peer]
		peers[part.Peer] = Peer{
			Peer: part.Peer, Count: sum.Count + part.Count, LastAt: max(sum.LastAt, part.LastAt),
			Unread: sum.Unread + part.Unread, LastDelivery: max(sum.LastDelivery, part.LastDelivery),
		}
	}
	all := []Peer{}
	for _, peer := range peers {
		all = append(all, peer)
	}
	slices.SortFunc(all, func(a, b Peer) int {
		return cmp.Or(strings.Compare(b.LastAt, a.LastAt), strings.Compare(a.Peer, b.Peer))
	})
	return all
}

// addLastMessages fills in the last message of every conversation, in one read.
func addLastMessages(tx Tx, peers []Peer, now string) error {
	if len(peers) == 0 {
		return nil
	}
	ids := make([]string, len(peers))
	for i, p := range peers {
		ids[i] = p.LastDelivery
	}
	messages, err := tx.PeerMessages(ids)
	for i := range peers {
		if m, found := messages[peers[i].LastDelivery]; found {
			m.Status = effective(m.Status, m.Lease, now)
			peers[i].LastMessage = &m
		}
	}
	return err
}
