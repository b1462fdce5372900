package nexus

import "context"

// A Membership is a name that a connection goes by in a topic, and the token
// that proves it.
type Membership struct {
	TopicID string `json:"topic_id"`
	Name    string `json:"agent_name"`
	Token   string `json:"reclaim_token"`
}

// Memberships are what a connection knows of the topics it joined. The store has
// only hashes of the tokens, so the face that has the connection keeps them and
// shows them with each call.
type Memberships struct {
	Held []Membership `json:"held,omitempty"` // the latest last
	// Fresh is the token of the next name that is joined. It is made by the one
	// who keeps it, so that joining again after a cut is the same joining.
	Fresh string `json:"fresh,omitempty"`
}

type membershipsKey struct{}

// WithMemberships puts the memberships of the caller's connection into the
// context.
func WithMemberships(ctx context.Context, m Memberships) context.Context {
	return context.WithValue(ctx, membershipsKey{}, m)
}

// MembershipsFrom are the memberships of the context.
func MembershipsFrom(ctx context.Context) Memberships {
	m, _ := ctx.Value(membershipsKey{}).(Memberships)
	return m
}

// In is the latest name that the connection joined a topic by.
func (m Memberships) In(topicID string) (Membership, bool) { return m.find(topicID, "") }

// As is the membership of a topic under one name.
func (m Memberships) As(topicID, name string) (Membership, bool) { return m.find(topicID, name) }

func (m Memberships) find(topicID, name string) (Membership, bool) {
	for i := len(m.Held) - 1; i >= 0; i-- {
		if h := m.Held[i]; h.TopicID == topicID && (name == "" || h.Name == name) {
			return h, true
		}
	}
	return Membership{}, false
}
