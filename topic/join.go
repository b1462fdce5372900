package topic

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"nexus"
)

// A Reservation is whose a name in a topic is, for as long as the topic lives.
// The token itself is kept by nobody but its holder.
type Reservation struct {
	TopicID, Name string
	TokenHash     string
	CreatedAt     float64
	ClaimedAt     float64
}

type reservationRows interface {
	Reservation(topicID, name string) (Reservation, bool, error)
	// InsertReservation reserves a name, unless somebody was faster.
	InsertReservation(Reservation) (bool, error)
	ClaimReservation(topicID, name string, at float64) error
}

// An Identity is who speaks in a topic, for callers whose connection does not
// remember what it joined.
type Identity struct {
	AgentName    string `json:"agent_name,omitempty" jsonschema:"who you are there, if your connection did not join" beyond:"topics"`
	ReclaimToken string `json:"reclaim_token,omitempty" jsonschema:"what topic_join returned" secret:"true" beyond:"topics"`
}

// JoinParams ask for a name in a topic.
type JoinParams struct {
	AgentName    string  `json:"agent_name" jsonschema:"your name in the topic, 1 to 64 characters"`
	TopicID      string  `json:"topic_id,omitempty" jsonschema:"the topic; or its name"`
	Name         *string `json:"name,omitempty" jsonschema:"name of the topic, instead of topic_id"`
	AllowClosed  bool    `json:"allow_closed,omitempty" jsonschema:"with name: take the newest closed one if none is open"`
	ReclaimToken *string `json:"reclaim_token,omitempty" jsonschema:"to go on under a name that you had before" secret:"true"`
}

// JoinResult is a name in a topic and the token that proves it.
type JoinResult struct {
	Brief
	AgentName    string `json:"agent_name"`
	ReclaimToken string `json:"reclaim_token"`
}

// Join reserves a name in a topic. Whoever has the token of a name that is
// reserved takes it up again.
func (s *Service) Join(ctx context.Context, p JoinParams) (JoinResult, error) {
	name, err := checkJoin(ctx, p)
	if err != nil {
		return JoinResult{}, err
	}
	fresh := cmp.Or(nexus.MembershipsFrom(ctx).Fresh, NewToken())
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (JoinResult, error) {
		t, err := joined(ctx, tx, p)
		if err != nil {
			return JoinResult{}, err
		}
		token, err := s.reserve(ctx, tx, t, name, p.ReclaimToken, fresh, now)
		return JoinResult{t.brief(), name, token}, err
	})
}

func checkJoin(ctx context.Context, p JoinParams) (name string, err error) {
	if name, err = checkName(p.AgentName); err != nil {
		return "", err
	}
	switch {
	case p.TopicID == "" && p.Name == nil:
		return "", invalid("topic_id", "Provide topic_id or name")
	case p.TopicID != "" && p.Name != nil:
		return "", invalid("topic_id", "Provide exactly one of topic_id or name")
	case p.Name != nil && strings.TrimSpace(*p.Name) == "":
		return "", required("name", *p.Name)
	case p.ReclaimToken != nil && strings.TrimSpace(*p.ReclaimToken) == "":
		return "", invalid("reclaim_token", "reclaim_token must be a non-empty string")
	}
	if nexus.IsOperatorName(name) && nexus.ActorFrom(ctx).Kind != nexus.KindOperator {
		return "", inUse(name)
	}
	return name, nil
}

// checkName is a name without the blanks around it, if it can be one.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if err := cmp.Or(required("agent_name", name), brief("agent_name", name, 64)); err != nil {
		return "", err
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return "", invalid("agent_name", "agent_name must not contain control characters")
	}
	return name, nil
}

func joined(ctx context.Context, tx Tx, p JoinParams) (Topic, error) {
	if p.TopicID != "" {
		return find(ctx, p.TopicID, tx.KeepTopic)
	}
	t, err := resolve(ctx, tx, *p.Name, p.AllowClosed)
	if err != nil {
		return t, err
	}
	return find(ctx, t.ID, tx.KeepTopic)
}

// reserve gives the caller the name, if it is free or the caller's, and returns
// its token.
func (s *Service) reserve(ctx context.Context, tx Tx, t Topic, name string, given *string, fresh string, now time.Time) (string, error) {
	r := Reservation{TopicID: t.ID, Name: name, TokenHash: HashToken(fresh), CreatedAt: Seconds(now), ClaimedAt: Seconds(now)}
	created, err := tx.InsertReservation(r)
	if err != nil {
		return "", err
	}
	if created {
		return fresh, s.log(tx, t, "topic.joined", name, map[string]any{"agent_name": name}, now)
	}
	old, found, err := tx.Reservation(t.ID, name)
	if err != nil {
		return "", err
	}
	known := []string{fresh}
	if given != nil {
		known = append(known, strings.TrimSpace(*given))
	}
	if held, ok := nexus.MembershipsFrom(ctx).As(t.ID, name); ok {
		known = append(known, held.Token)
	}
	for _, token := range known {
		if found && old.proves(token) {
			return token, tx.ClaimReservation(t.ID, name, Seconds(now))
		}
	}
	return "", inUse(name)
}

// proves tells whether a token is the one of the reservation.
func (r Reservation) proves(token string) bool {
	return subtle.ConstantTimeCompare([]byte(r.TokenHash), []byte(HashToken(token))) == 1
}

// inUse refuses a name that is somebody else's and proposes others.
func inUse(name string) error {
	var others []string
	for _, role := range []string{"reviewer", "frontend", "architect", "implementer", "researcher"} {
		others = append(others, name+" "+role)
	}
	for _, mood := range []string{"blue", "curious", "steady", "swift"} {
		others = append(others, mood+" "+name)
	}
	return nexus.Errorf(nexus.AgentNameInUse,
		"agent_name %q is already reserved for this topic. Provide the original reclaim_token to reuse it, or choose a different agent_name.", name).
		With("requested_agent_name", name).With("suggested_agent_names", others)
}

// member is the name under which the caller speaks in a topic: the one it says,
// or the one its connection joined by. Either must be proved.
func (s *Service) member(ctx context.Context, tx Tx, t Topic, as Identity) (string, error) {
	held := nexus.MembershipsFrom(ctx)
	name, token := strings.TrimSpace(as.AgentName), strings.TrimSpace(as.ReclaimToken)
	m, ok := held.In(t.ID)
	if name != "" {
		m, ok = held.As(t.ID, name)
	}
	switch {
	case token == "" && name == nexus.OperatorID && nexus.ActorFrom(ctx).Kind == nexus.KindOperator:
		return name, nil
	case token == "" && ok:
		name, token = m.Name, m.Token
	case token == "" || name == "":
		return "", notJoined()
	}
	r, found, err := tx.Reservation(t.ID, name)
	if err == nil && !found { // or the topic was deleted a moment ago, and the name with it
		_, err = find(ctx, t.ID, tx.Topic)
	}
	if err == nil && (!found || !r.proves(token)) {
		err = notJoined()
	}
	return name, err
}

func notJoined() error {
	return nexus.Errorf(nexus.AgentNotJoined, "Not joined to topic. Call topic_join() first.")
}

// NewToken makes a token that nobody can guess.
func NewToken() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	return hex.EncodeToString(random[:])
}

// HashToken is how a token is kept: good for comparing, useless for joining.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
