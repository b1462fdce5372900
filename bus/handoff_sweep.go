package bus

import (
	"context"
	"errors"
	"time"

	"nexus"
)

// sweepBatch bounds how much abandoned work one transaction returns to the pool.
const sweepBatch = 100

// sweepIfDue sweeps a workspace if there is something to sweep: looking must not
// mean writing.
func (s *Service) sweepIfDue(ctx context.Context, workspaceID string, now time.Time) error {
	for {
		due, err := nexus.View(ctx, s.store, func(tx Tx) (bool, error) {
			overdue, err := tx.OverdueHandoffs(workspaceID, nexus.Stamp(now), 1)
			return len(overdue) > 0, err
		})
		if err != nil || !due {
			return err
		}
		if _, err := nexus.Update(ctx, s.store, func(tx Tx) (None, error) {
			return None{}, s.sweep(tx, workspaceID, now)
		}); err != nil {
			return err
		}
	}
}

// sweepPause is how long at least lies between two looks at what is overdue,
// however much happens meanwhile; mostPause is for how long the clock is trusted.
const (
	sweepPause = time.Second
	mostPause  = time.Minute
)

// RunSweeps gives up what is overdue in any workspace when it is, until ctx ends:
// who waits to hear of it need not wait until somebody asks. Several may run at
// once.
func (s *Service) RunSweeps(ctx context.Context) {
	changed, stop := s.store.Watch(dueWake)
	defer stop()
	for pause := true; ctx.Err() == nil; {
		if pause { // also at first: whoever makes a single call looks at nothing
			select {
			case <-ctx.Done():
				return
			case <-time.After(sweepPause):
			}
		}
		next := s.sweepAll(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(next.Sub(s.now())):
			pause = false
		case <-changed:
			pause = true
		}
	}
}

// sweepAll sweeps the workspaces in which something is overdue, and tells when to
// look again. What fails is tried again then.
func (s *Service) sweepAll(ctx context.Context) (next time.Time) {
	now := s.now()
	next = now.Add(mostPause)
	dues, err := nexus.View(ctx, s.store, func(tx Tx) ([]WorkDue, error) { return tx.WorkDues() })
	if err != nil {
		return next
	}
	for _, w := range dues {
		at, err := nexus.ParseStamp(w.At)
		if err != nil {
			continue
		}
		if !at.After(now) {
			_ = s.sweepIfDue(ctx, w.WorkspaceID, now)
			at = now.Add(sweepPause)
		}
		if at.Before(next) {
			next = at.Add(time.Microsecond) // a lease holds to its very end
		}
	}
	return next
}

// sweep returns to the pool what was abandoned, and ends what is overdue. Work
// that was given up too often is parked for a person.
func (s *Service) sweep(tx Tx, workspaceID string, now time.Time) error {
	overdue, err := tx.OverdueHandoffs(workspaceID, nexus.Stamp(now), sweepBatch)
	if err != nil {
		return err
	}
	for _, h := range overdue {
		if err := s.giveUp(tx, h, now); err != nil {
			return err
		}
	}
	return nil
}

// giveUp ends a lapsed claim, or the offer of work that is no longer wanted.
func (s *Service) giveUp(tx Tx, h Handoff, now time.Time) error {
	previous := h.ClaimedBy
	h.Status, h.ClaimedBy, h.ClaimedSessionID, h.LeaseExpiresAt = h.afterLapse(nexus.Stamp(now)), nil, nil, nil
	if err := s.change(tx, &h, now); err != nil {
		if errors.Is(err, errChanged) { // another process was faster
			return nil
		}
		return err
	}
	kind := "handoff.expired"
	if h.Status != HandoffOpen {
		what, next := "expired", "Offer it again with handoff_requeue, or let it be."
		if h.Status == HandoffParked {
			kind, what = "handoff.parked", "parked"
			next = "Too many gave it up. Find out why, then offer it again with handoff_requeue or cancel it."
		}
		if _, err := s.tell(tx, h, h.FromAgentID, "", what, now, map[string]any{"kind": kind, "next_step": next}); err != nil {
			return err
		}
	}
	return s.handoffEvent(tx, h, kind, "", now, map[string]any{"previous_claimed_by": previous})
}

// overdue tells whether a claim has lapsed, or an offer is no longer wanted. A
// lease that ends now still holds; a deadline that is reached is over.
func (h Handoff) overdue(now string) bool {
	return h.Status == HandoffClaimed && deref(h.LeaseExpiresAt) < now ||
		h.Status == HandoffOpen && h.ExpiresAt != nil && *h.ExpiresAt <= now
}

// afterLapse is the state a hand-off falls into when its lease or its time is
// over.
func (h Handoff) afterLapse(now string) string {
	switch {
	case h.ExpiresAt != nil && *h.ExpiresAt <= now:
		return HandoffExpired
	case h.MaxAttempts > 0 && h.Attempt-h.AttemptsBefore >= h.MaxAttempts:
		return HandoffParked
	}
	return HandoffOpen
}

// offerAnew offers an open hand-off to those it is for. What waits for other work
// is offered when that is done.
func (s *Service) offerAnew(tx Tx, h Handoff) error {
	if h.WaitsFor > 0 {
		return nil
	}
	t, err := ParseTarget(h.Target)
	if err != nil {
		return err
	}
	created, err := nexus.ParseStamp(h.CreatedAt)
	if err != nil {
		return err
	}
	offers := offerKeys(t, created)
	for _, o := range offers {
		tx.Wake(offerWake(h.WorkspaceID, o.To))
	}
	return tx.InsertOffers(h, offers)
}
