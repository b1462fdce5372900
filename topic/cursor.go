package topic

import (
	"context"

	"nexus"
)

// A Cursor is how far a peer has read.
type Cursor struct {
	LastSeq   int64   `json:"last_seq"`
	UpdatedAt float64 `json:"updated_at"`

	// SkipSeq is up to where there is nothing but what the peer wrote itself.
	SkipSeq int64 `json:"-"`
}

// from is where to look for messages: what a peer wrote itself is looked at only
// where it wants to see it.
func (c Cursor) from(includeSelf bool) int64 {
	if includeSelf {
		return c.LastSeq
	}
	return max(c.LastSeq, c.SkipSeq)
}

type cursorRows interface {
	// TouchCursor notes that a peer is there and returns how far it has read.
	// Another call of the same peer waits until this transaction is done.
	TouchCursor(topicID, name string, at float64) (Cursor, error)
	MoveCursor(topicID, name string, lastSeq, skipSeq int64) error
	// ReadCursor is the cursor as it is, at the beginning where there is none.
	ReadCursor(topicID, name string) (Cursor, error)
	// TopicPeers are those who were there since, the latest first.
	TopicPeers(topicID string, since float64, limit int) ([]Peer, error)
}

// ResetParams say where to go on reading.
type ResetParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
	LastSeq int64  `json:"last_seq,omitempty" jsonschema:"the last message to count as read; 0 for none, to read all again"`
	Identity
}

// ResetResult is a cursor after it was set.
type ResetResult struct {
	TopicID   string `json:"topic_id"`
	AgentName string `json:"agent_name"`
	Cursor    Cursor `json:"cursor"`
}

// Reset moves the caller's cursor to where it wants to go on, backwards too.
func (s *Service) Reset(ctx context.Context, p ResetParams) (ResetResult, error) {
	if p.LastSeq < 0 {
		return ResetResult{}, invalid("last_seq", "last_seq must be an int >= 0")
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (ResetResult, error) {
		t, err := find(ctx, p.TopicID, tx.KeepTopic)
		if err != nil {
			return ResetResult{}, err
		}
		name, err := s.member(ctx, tx, t, p.Identity)
		if err != nil {
			return ResetResult{}, err
		}
		if p.LastSeq > t.LastSeq {
			return ResetResult{}, invalid("last_seq", "last_seq exceeds latest message seq")
		}
		c, err := tx.TouchCursor(t.ID, name, Seconds(now))
		if err != nil {
			return ResetResult{}, err
		}
		c.LastSeq = p.LastSeq
		return ResetResult{t.ID, name, c}, tx.MoveCursor(t.ID, name, p.LastSeq, 0)
	})
}

// PresenceParams ask who is in a topic.
type PresenceParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
	Window  *int   `json:"window_seconds,omitempty" jsonschema:"how long ago counts as present"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"how many to show"`
}

// A Peer is somebody who was in a topic lately.
type Peer struct {
	AgentName string  `json:"agent_name"`
	LastSeq   int64   `json:"last_seq"`
	UpdatedAt float64 `json:"updated_at"`
	Age       float64 `json:"age_seconds"`
}

// Presence is who was in a topic lately, the latest first.
type Presence struct {
	TopicID string  `json:"topic_id"`
	Window  int     `json:"window_seconds"`
	Limit   int     `json:"limit"`
	Now     float64 `json:"now"`
	Peers   []Peer  `json:"peers"`
	Count   int     `json:"count"`
}

// Presence tells who synced in a topic within a window of time.
func (s *Service) Presence(ctx context.Context, p PresenceParams) (Presence, error) {
	window, err := positive("window_seconds", p.Window, 300)
	if err != nil {
		return Presence{}, err
	}
	limit, err := positive("limit", p.Limit, 200)
	if err != nil {
		return Presence{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Presence, error) {
		t, err := find(ctx, p.TopicID, tx.Topic)
		if err != nil {
			return Presence{}, err
		}
		now := Seconds(s.now())
		peers, err := tx.TopicPeers(t.ID, now-float64(window), limit)
		for i := range peers {
			peers[i].Age = max(0, now-peers[i].UpdatedAt)
		}
		return Presence{t.ID, window, limit, now, peers, len(peers)}, err
	})
}
