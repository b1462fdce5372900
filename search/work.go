package search

import (
	"context"
	"time"

	"nexus"
)

const (
	// leaseTime is how long a node that holds the index may be silent before
	// another one takes over; a remote embedder gets longer.
	leaseTime       = 15 * time.Second
	remoteLeaseTime = 2 * time.Minute
	// gatherTime lets a burst gather, so that it costs few transactions.
	gatherTime = 100 * time.Millisecond
	// While others write, the worker rests as long as its batch took; yieldFactor
	// times as long while they write so much that it could not keep up anyway: more
	// than busyShare of what it can do.
	yieldFactor = 12
	busyShare   = 0.4
	longestRest = time.Second
	storeRest   = 5 * time.Second // after the store did not answer
	stopTime    = 5 * time.Second // for the store to be told
)

// An outcome is what came of trying to do a batch.
type outcome struct {
	idle  bool      // there was nothing to do
	held  bool      // another node is at it
	again time.Time // when to come back although nothing happens; zero for never

	documents int   // that were indexed
	written   int64 // events that others wrote since the batch before
}

// Run keeps the index up to date until ctx ends. It may run on any number of
// nodes that share a database: one of them at a time changes the index. While
// nothing is written it only waits.
func (s *Service) Run(ctx context.Context) error {
	ready, stop := s.store.Watch(nexus.EveryEventKey)
	defer stop()
	defer s.release(context.WithoutCancel(ctx))
	for {
		wake := s.work(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
			continue
		case <-wake:
		case <-ready:
		}
		if !s.rest(ctx, gatherTime) {
			return nil
		}
	}
}

// work does batches until there are none, and returns what tells when there may
// be one although nothing happens.
func (s *Service) work(ctx context.Context) <-chan time.Time {
	for before := time.Now(); ctx.Err() == nil; {
		began := time.Now()
		o, err := s.step(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.log.Warn("the search index waits: the store does not answer", "err", err)
			}
			return time.After(storeRest)
		}
		if o.idle || o.held {
			if o.again.IsZero() {
				return nil
			}
			return time.After(max(gatherTime, o.again.Sub(s.now())))
		}
		pause := o.pause(time.Since(began), time.Since(before))
		if before = began; pause > 0 && !s.rest(ctx, pause) {
			return nil
		}
	}
	return nil
}

// pause is how long to let others go first after a batch that took so long, the
// last one having begun so long ago.
func (o outcome) pause(took, since time.Duration) time.Duration {
	theirs := float64(o.written) / since.Seconds()
	ours := float64(o.documents) / took.Seconds()
	switch {
	case o.written <= 0:
		return 0
	case o.documents > 0 && theirs > ours*busyShare:
		return min(yieldFactor*took, longestRest)
	}
	return min(took, longestRest)
}

// rest waits, unless there is a hurry. It is false when ctx ends.
func (s *Service) rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.kick:
	case <-ctx.Done():
		return false
	}
	return true
}

// step does one batch, if there is one and nobody else is at it.
func (s *Service) step(ctx context.Context) (outcome, error) {
	s.batch.Lock()
	defer s.batch.Unlock()
	j, err := nexus.View(ctx, s.store, s.plan)
	if err != nil {
		return outcome{}, err
	}
	if j == nil {
		return outcome{idle: true, again: s.resting()}, s.letGo(ctx)
	}
	o := outcome{documents: len(j.documents), written: j.head - s.lastHead}
	s.lastHead = j.head
	now := s.now()
	if j.state.HeldBy != s.node {
		if until := moment(j.state.HeldUntil); j.state.HeldBy != "" && !until.Before(now) {
			return outcome{held: true, again: until.Add(time.Millisecond)}, nil
		}
		return o, s.hold(ctx, now)
	}
	if j.model != nil {
		return o, s.makeVectors(ctx, j)
	}
	return o, s.commit(ctx, j, s.prepare(j))
}

// makeVectors makes vectors without keeping others from the words: an embedder
// may take long.
func (s *Service) makeVectors(ctx context.Context, j *job) error {
	s.embedding.Store(true)
	s.batch.Unlock()
	vectors, err := s.vectorsFor(ctx, j)
	s.batch.Lock()
	s.embedding.Store(false)
	if err != nil {
		return nil // it is remembered, and told; the words go on
	}
	return s.commitVectors(ctx, j, vectors)
}

// moment reads what [nexus.Stamp] wrote; the zero time where it wrote nothing.
func moment(stamp string) time.Time {
	t, _ := nexus.ParseStamp(stamp)
	return t
}

// hold makes this node the one that changes the index. If another was faster,
// the next step finds out.
func (s *Service) hold(ctx context.Context, now time.Time) error {
	until := now.Add(s.leaseTime())
	_, err := nexus.Update(ctx, s.store, func(tx Tx) (bool, error) {
		if err := tx.Lock(indexLock); err != nil { // a batch under way ends first
			return false, err
		}
		return tx.HoldSearch(s.node, s.newID("index"), nexus.Stamp(now), nexus.Stamp(until))
	})
	return err
}

func (s *Service) leaseTime() time.Duration {
	if s.remote.Load() != nil {
		return remoteLeaseTime
	}
	return leaseTime
}

// letGo lets others hold the index, if this node does.
func (s *Service) letGo(ctx context.Context) error {
	if s.embedding.Load() {
		return nil
	}
	mine, err := nexus.View(ctx, s.store, func(tx Tx) (bool, error) {
		st, err := tx.SearchState()
		return st.HeldBy == s.node, err
	})
	if err != nil || !mine {
		return err
	}
	_, err = nexus.Update(ctx, s.store, func(tx Tx) (bool, error) {
		if err := tx.Lock(indexLock); err != nil {
			return false, err
		}
		st, err := tx.SearchState()
		if err != nil || st.HeldBy != s.node {
			return false, err
		}
		st.HeldBy, st.HeldUntil = "", ""
		tx.Wake(ChangedKey)
		return tx.SaveSearchState(s.node, st)
	})
	return err
}

// release is letGo of one who stops.
func (s *Service) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	s.batch.Lock()
	defer s.batch.Unlock()
	if err := s.letGo(ctx); err != nil {
		s.log.Warn("the search index is held until its lease lapses", "err", err)
	}
}
