package bus

import (
	"context"
	"time"

	"nexus"
)

// leastWait keeps a follower from spinning where long polls are switched off.
const leastWait = time.Second

// FollowEvents is [Service.WaitEvents] for one who only watches: it leaves no
// mark, so a monitor that runs for days does not make its agent look alive.
// Unless told otherwise it waits as long as a call may.
func (s *Service) FollowEvents(ctx context.Context, p WaitParams) (EventPage, error) {
	q, err := s.eventQuery(ctx, p.ReadParams)
	if err != nil {
		return EventPage{}, err
	}
	wait := max(s.knobs().MaxWait, leastWait)
	if p.TimeoutSeconds != nil {
		wait = min(wait, time.Duration(max(0, min(*p.TimeoutSeconds, 1<<30)))*time.Second)
	}
	keys := []string{nexus.LogKey(q.WorkspaceID, q.Stream)}
	page, timedOut, err := nexus.Await(ctx, s.store, keys, wait,
		func(ctx context.Context) (EventPage, bool, time.Time, error) {
			page, err := s.lookAgain(ctx, q, p.AgentID)
			if err == nil {
				q.After = page.NextCursor
			}
			return page, len(page.Events) > 0, time.Time{}, err
		})
	page.TimedOut = timedOut && wait > 0
	return page, err
}

// LastEvent is the number of the newest event of a stream in a project, 0 for
// none: the cursor of one who wants what comes from now on.
func (s *Service) LastEvent(ctx context.Context, projectRoot, stream string) (int64, error) {
	p := ReadParams{ProjectRoot: projectRoot, Stream: stream}
	if err := p.Precede(); err != nil {
		return 0, err
	}
	at, err := s.locate(ctx, projectRoot)
	if err != nil {
		return 0, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (int64, error) { return tx.LastEventIn(at.id, stream) })
}
