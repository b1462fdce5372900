package topic

import (
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// SyncParams are what to send and how to receive.
type SyncParams struct {
	TopicID     string     `json:"topic_id" jsonschema:"the topic, which you have joined"`
	Outbox      nexus.JSON `json:"outbox,omitempty" jsonschema:"messages to send"`
	MaxItems    *int       `json:"max_items,omitempty" jsonschema:"how many to receive at most"`
	IncludeSelf bool       `json:"include_self,omitempty" jsonschema:"also receive what you sent yourself"`
	WaitSeconds *int       `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the first message; 0 does not wait"`
	AutoAdvance *bool      `json:"auto_advance,omitempty" jsonschema:"count what is received as read"`
	AckThrough  *int64     `json:"ack_through,omitempty" jsonschema:"with auto_advance=false: the last message to count as read"`
	Identity
}

// The ways a sync ends.
const (
	Ready   = "ready"   // something was received
	Timeout = "timeout" // nothing came while it waited
	Empty   = "empty"   // there was nothing, and it did not wait
)

// SyncResult is what was sent and received.
type SyncResult struct {
	TopicID   string `json:"topic_id"`
	AgentName string `json:"agent_name"`
	Status    string `json:"status"`
	Cursor    Cursor `json:"cursor"`
	Sent      []Sent `json:"sent"`
	Received  []Post `json:"received"`
	Count     int    `json:"received_count"`
	HasMore   bool   `json:"has_more"`
	Warned

	settings Settings
}

// UsualWait is how many seconds a sync waits that does not say.
const UsualWait = 60

// longestWait is more than anybody means, and far from the end of what a
// duration can hold.
const longestWait = 365 * 24 * time.Hour

// A round is a sync whose arguments are checked.
type round struct {
	SyncParams
	drafts   []draft
	max      int
	wait     time.Duration
	advance  bool
	warnings []Warning
}

// Sync sends what is in the outbox and returns what others wrote, waiting for it
// if there is nothing yet. While it waits it writes nothing.
func (s *Service) Sync(ctx context.Context, p SyncParams) (SyncResult, error) {
	r, err := s.checkSync(p)
	if err != nil {
		return SyncResult{}, err
	}
	now := s.now()
	first, err := nexus.Update(ctx, s.store, func(tx Tx) (outcome, error) { return s.exchange(ctx, tx, r, r.drafts, now) })
	if err != nil {
		return SyncResult{}, err
	}
	last := first
	if len(first.Received) == 0 && (r.wait > 0 || first.repeated() && first.Waits) {
		if last, err = s.await(ctx, r, first); err != nil {
			return SyncResult{}, err
		}
	}
	return s.result(ctx, r, first, last)
}

func (s *Service) checkSync(p SyncParams) (*round, error) {
	set := s.Settings()
	p.TopicID = strings.TrimSpace(p.TopicID)
	r := &round{SyncParams: p, advance: p.AutoAdvance == nil || *p.AutoAdvance, wait: UsualWait * time.Second}
	if err := required("topic_id", p.TopicID); err != nil {
		return nil, err
	}
	if set.MaxSyncItems < 1 {
		return nil, invalid("max_items", "AGENT_BUS_MAX_SYNC_ITEMS must be an int >= 1: correct the setting max_sync_items")
	}
	r.max = min(20, set.MaxSyncItems)
	if p.MaxItems != nil {
		r.max = *p.MaxItems
	}
	switch {
	case r.max < 1:
		return nil, invalid("max_items", "max_items must be > 0")
	case r.max > set.MaxSyncItems:
		return nil, invalid("max_items", "max_items must be <= %d", set.MaxSyncItems)
	case p.WaitSeconds != nil && *p.WaitSeconds < 0:
		return nil, invalid("wait_seconds", "wait_seconds must be an int >= 0")
	case p.AckThrough != nil && r.advance:
		return nil, invalid("ack_through", "ack_through requires auto_advance=false")
	case p.AckThrough != nil && *p.AckThrough < 0:
		return nil, invalid("ack_through", "ack_through must be an int >= 0")
	}
	if p.WaitSeconds != nil {
		r.wait = time.Duration(min(*p.WaitSeconds, int(longestWait/time.Second))) * time.Second
	}
	var err error
	r.drafts, r.warnings, err = readOutbox(p.Outbox, set)
	return r, err
}

// An outcome is what one transaction of a sync did. When the call is repeated
// after a cut only the numbers of the messages are known, and they are read
// again.
type outcome struct {
	AgentName  string    `json:"agent_name"`
	SentSeqs   []int64   `json:"sent"`
	Duplicates []bool    `json:"duplicates"`
	Received   []int64   `json:"received"`
	LastSeq    int64     `json:"last_seq"`
	UpdatedAt  float64   `json:"updated_at"`
	HasMore    bool      `json:"has_more"`
	Waits      bool      `json:"waits"` // it was to wait if nothing was there
	Warnings   []Warning `json:"warnings"`

	posts map[int64]Post // nil where the outcome was kept
}

// repeated tells whether it is the outcome of an earlier call, which was cut.
// What that one received while it waited is then still to be had, however little
// time is left.
func (o *outcome) repeated() bool { return o.posts == nil }

// exchange sends the drafts, and receives.
func (s *Service) exchange(ctx context.Context, tx Tx, r *round, drafts []draft, now time.Time) (outcome, error) {
	lookup := tx.KeepTopic
	if len(drafts) > 0 {
		if err := s.permitted(ctx, tx); err != nil {
			return outcome{}, err
		}
		lookup = tx.LockTopic
	}
	t, err := find(ctx, r.TopicID, lookup)
	if err != nil {
		return outcome{}, err
	}
	name, err := s.member(ctx, tx, t, r.Identity)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{AgentName: name, Waits: r.wait > 0, posts: map[int64]Post{}}
	if len(drafts) > 0 {
		if t.Status == Closed {
			return outcome{}, nexus.Errorf(nexus.TopicClosed, "Topic is closed.")
		}
		sent, warnings, err := s.post(ctx, tx, &t, name, drafts, now)
		if err != nil {
			return outcome{}, err
		}
		for _, one := range sent {
			o.SentSeqs, o.Duplicates = append(o.SentSeqs, one.Message.Seq), append(o.Duplicates, one.Duplicate)
			o.posts[one.Message.Seq] = one.Message
		}
		o.Warnings = warnings
	}
	return o, s.receive(tx, r, t, &o, now)
}

// receive reads what the peer has not read and moves its cursor.
func (s *Service) receive(tx Tx, r *round, t Topic, o *outcome, now time.Time) error {
	c, err := tx.TouchCursor(t.ID, o.AgentName, Seconds(now))
	if err != nil {
		return err
	}
	before := c
	if r.AckThrough != nil {
		if *r.AckThrough > t.LastSeq {
			return invalid("ack_through", "ack_through exceeds latest message seq")
		}
		c.LastSeq = max(c.LastSeq, *r.AckThrough)
	}
	without := o.AgentName
	if r.IncludeSelf {
		without = ""
	}
	posts, err := tx.PostsAfter(t.ID, c.from(r.IncludeSelf), without, r.max+1)
	if err != nil {
		return err
	}
	if o.HasMore = len(posts) > r.max; o.HasMore {
		posts = posts[:r.max]
	}
	for _, p := range posts {
		o.Received = append(o.Received, p.Seq)
		o.posts[p.Seq] = p
	}
	if n := len(posts); n > 0 && r.advance {
		c.LastSeq = posts[n-1].Seq
	}
	if !r.IncludeSelf && !o.HasMore && (len(posts) == 0 || r.advance) {
		c.SkipSeq = max(c.SkipSeq, t.LastSeq)
	}
	o.LastSeq, o.UpdatedAt = c.LastSeq, c.UpdatedAt
	if c == before {
		return nil
	}
	return tx.MoveCursor(t.ID, o.AgentName, c.LastSeq, c.SkipSeq)
}

// result is the answer to a sync: what its first transaction sent and its last
// one received.
func (s *Service) result(ctx context.Context, r *round, first, last outcome) (SyncResult, error) {
	for _, o := range []*outcome{&first, &last} {
		if err := s.recall(ctx, r.TopicID, o); err != nil {
			return SyncResult{}, err
		}
	}
	out := SyncResult{
		TopicID: r.TopicID, AgentName: last.AgentName, Cursor: Cursor{LastSeq: last.LastSeq, UpdatedAt: last.UpdatedAt},
		Sent: []Sent{}, Received: []Post{}, HasMore: last.HasMore, settings: s.Settings(),
	}
	for i, seq := range first.SentSeqs {
		if p, ok := first.posts[seq]; ok {
			out.Sent = append(out.Sent, Sent{p, first.Duplicates[i]})
		}
	}
	for _, seq := range last.Received {
		if p, ok := last.posts[seq]; ok {
			out.Received = append(out.Received, p)
		}
	}
	out.Count = len(out.Received)
	out.Warnings = slices.Concat(r.warnings, first.Warnings)
	switch {
	case out.Count > 0:
		out.Status = Ready
	case first.Waits:
		out.Status = Timeout
	default:
		out.Status = Empty
	}
	return out, nil
}

// recall reads the messages of an outcome that was kept.
func (s *Service) recall(ctx context.Context, topicID string, o *outcome) error {
	if !o.repeated() {
		return nil
	}
	o.posts = map[int64]Post{}
	return s.store.View(context.WithoutCancel(ctx), func(tx Tx) error {
		for _, seq := range slices.Concat(o.SentSeqs, o.Received) {
			p, found, err := tx.PostNumbered(topicID, seq)
			if err != nil {
				return err
			}
			if found {
				o.posts[seq] = p
			}
		}
		return nil
	})
}
