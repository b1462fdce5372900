package search

import (
	"context"
	"time"

	"nexus"
)

// behind tells whether something up to an event is not indexed yet.
func behind(st State, slice LogSlice, head int64) bool {
	if st.Rebuild == nil && slice.First > st.Position+1 || st.Rebuild != nil && st.Rebuild.Gap {
		return true
	}
	return len(slice.Mentions) > 0 && slice.Mentions[0].EventID <= head || slice.End < head && slice.End < slice.Last
}

// lateness reads whether the index lacks something up to an event, up to the
// newest one for 0, and returns that event.
func (s *Service) lateness(ctx context.Context, head int64) (st State, upTo int64, late bool, err error) {
	err = s.store.View(ctx, func(tx Tx) (err error) {
		if st, err = tx.SearchState(); err != nil {
			return err
		}
		slice, err := lookAhead(tx, st.Position)
		if upTo = head; upTo == 0 {
			upTo = slice.Last
		}
		late = behind(st, slice, upTo)
		return err
	})
	return st, upTo, late, err
}

// catchUp waits until the index has what was written before now. Where nobody is
// at it, it does the work itself. It does not wait for ever.
func (s *Service) catchUp(ctx context.Context) ([]Warning, error) {
	ready, stop := s.store.Watch(ChangedKey)
	defer stop()
	end := time.NewTimer(s.patience)
	defer end.Stop()
	deadline := time.Now().Add(s.patience)
	for head := int64(0); ; {
		st, upTo, late, err := s.lateness(ctx, head)
		switch {
		case err != nil:
			return nil, err
		case !late:
			return rebuildWarning(st), nil
		case time.Now().After(deadline):
			return append(rebuildWarning(st), Warning{"INDEX_BEHIND", "What was written last is not indexed yet, so it may be missing here. Try again in a moment."}), nil
		}
		head = upTo
		o, err := s.step(ctx)
		if err != nil {
			return nil, err
		}
		if !o.held {
			continue
		}
		select {
		case <-ready:
		case <-end.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func rebuildWarning(st State) []Warning {
	if st.Rebuild == nil {
		return nil
	}
	return []Warning{{"INDEX_REBUILDING", nexus.Errorf("", "The index is being made anew (%d of %d), so something may be missing here.",
		st.Rebuild.Done, max(st.Rebuild.Done, st.Rebuild.Total)).Msg}}
}

// Finish works on the index until nothing is left to do, or waits for the node
// that is at it. It tells now and then how far that is.
func (s *Service) Finish(ctx context.Context, progress func(Status)) error {
	ready, stop := s.store.Watch(ChangedKey)
	defer stop()
	told := time.Now()
	for ctx.Err() == nil {
		o, err := s.step(ctx)
		if err != nil {
			return err
		}
		if o.idle {
			return nil
		}
		if o.held {
			select {
			case <-ready:
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		if progress == nil || time.Since(told) < 200*time.Millisecond {
			continue
		}
		told = time.Now()
		status, err := s.status(ctx)
		if err != nil {
			return err
		}
		progress(status)
	}
	return context.Cause(ctx)
}
