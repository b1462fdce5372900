package topic

import (
	"context"
	"errors"
	"time"

	"nexus"
)

// errNothing says that somebody else was faster.
var errNothing = errors.New("nothing to receive")

// await waits for the first message and receives. The time being up is noted as
// presence and kept for no repeat: one who was cut shall wait for what is left.
func (s *Service) await(ctx context.Context, r *round, first outcome) (outcome, error) {
	later := *r
	later.AgentName = first.AgentName
	// The first look at a call that may be a repeat tries to receive: that is how
	// it gets what it was given before. Others first see whether there is anything.
	_, try := nexus.IdempotencyFrom(ctx)
	got, timedOut, err := nexus.Await(second(ctx), s.store, []string{nexus.TopicKey(r.TopicID)}, r.wait,
		func(ctx context.Context) (o outcome, found bool, due time.Time, err error) {
			if !try {
				try, err = s.waiting(ctx, &later)
			}
			if err != nil || !try {
				return first, false, due, err
			}
			try = false
			now := s.now()
			o, err = nexus.Update(ctx, s.store, func(tx Tx) (outcome, error) {
				o, err := s.exchange(ctx, tx, &later, nil, now)
				if err == nil && len(o.Received) == 0 {
					err = errNothing
				}
				return o, err
			})
			if errors.Is(err, errNothing) {
				return first, false, due, nil
			}
			return o, err == nil, due, err
		})
	if err != nil || !timedOut {
		return got, err
	}
	now := s.now()
	return nexus.Update(nexus.WithoutIdempotency(context.WithoutCancel(ctx)), s.store, func(tx Tx) (outcome, error) {
		o := first
		if _, err := find(ctx, r.TopicID, tx.KeepTopic); err != nil {
			return o, err
		}
		c, err := tx.TouchCursor(r.TopicID, o.AgentName, Seconds(now))
		o.LastSeq, o.UpdatedAt = c.LastSeq, c.UpdatedAt
		return o, err
	})
}

// second names the second half of a call that may be repeated: the first may be
// done when the second is not.
func second(ctx context.Context) context.Context {
	k, ok := nexus.IdempotencyFrom(ctx)
	if !ok {
		return ctx
	}
	k.Op += "/received"
	return nexus.WithIdempotency(ctx, k)
}

// waiting tells whether there is something to receive.
func (s *Service) waiting(ctx context.Context, r *round) (bool, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (bool, error) {
		if _, err := find(ctx, r.TopicID, tx.Topic); err != nil {
			return false, err
		}
		c, err := tx.ReadCursor(r.TopicID, r.AgentName)
		if err != nil {
			return false, err
		}
		without := r.AgentName
		if r.IncludeSelf {
			without = ""
		}
		posts, err := tx.PostsAfter(r.TopicID, c.from(r.IncludeSelf), without, 1)
		return len(posts) > 0, err
	})
}
