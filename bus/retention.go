package bus

import (
	"context"
	"time"

	"nexus"
)

// Windows say how long what is over and done with is kept.
type Windows struct {
	Events         time.Duration // of the log
	ReadDeliveries time.Duration // after they were acknowledged
	ClosedSessions time.Duration // after they were closed
}

// Retention knows no other rows than these. What is unread, in flight, parked or
// active, and all work, messages and names, it has no way to reach.
type retentionRows interface {
	// SurveyEvents looks at the next events after a number, at most look of them.
	SurveyEvents(after int64, before string, look int) (EventSurvey, error)
	// CountFinished counts the deliveries read and the sessions closed before.
	CountFinished(deliveriesBefore, sessionsBefore string) (deliveries, sessions int, err error)
	// The three delete at most limit rows and tell how many.
	DeleteEvents(upTo int64, before string, limit int) (int, error)
	DeleteReadDeliveries(before string, limit int) (int, error)
	DeleteClosedSessions(before string, limit int) (int, error)
}

// An EventSurvey is what a look at a part of the log found.
type EventSurvey struct {
	Looked  int   // how many events there were to look at
	Last    int64 // the number of the last one
	Old     int   // how many are old
	LastOld int64 // the number of the last old one, 0 for none
}

const (
	pruneBatch = 500
	// surveySlice bounds how long one look at the log takes.
	surveySlice = 5000
)

// PruneParams ask for the windows of the settings to be enforced.
type PruneParams struct {
	DryRun *bool `json:"dry_run,omitempty" jsonschema:"only count what would go; default true"`
}

// Pruning is a prune in all its variety.
type Pruning struct {
	DryRun bool
	Keep   Windows
	// Batches bounds how many batches are deleted of each table; 0 for no bound.
	Batches int
	// Progress is told now and then how far it is; nil if nobody watches.
	Progress func(table string, deleted, of int)
}

// PruneReport is what a prune deleted or, when dry, would delete.
type PruneReport struct {
	DryRun bool         `json:"dry_run"`
	Tables PrunedTables `json:"tables"`
	Total  int          `json:"total_deleted"`
	Vacuum VacuumReport `json:"vacuum"`
}

// PrunedTables count by table.
type PrunedTables struct {
	Events     Pruned `json:"events"`
	Deliveries Pruned `json:"message_deliveries"`
	Sessions   Pruned `json:"sessions"`
}

// Pruned counts the rows of one table.
type Pruned struct {
	Deleted int `json:"deleted"`
}

// VacuumReport tells whether the space was given back as well.
type VacuumReport struct {
	Ran bool `json:"ran"`
}

func (r *PruneReport) sum() {
	r.Total = r.Tables.Events.Deleted + r.Tables.Deliveries.Deleted + r.Tables.Sessions.Deleted
}

// Prune enforces the windows of the settings, or counts what that would delete.
func (s *Service) Prune(ctx context.Context, p PruneParams) (PruneReport, error) {
	return s.PruneBy(ctx, Pruning{DryRun: p.DryRun == nil || *p.DryRun, Keep: s.knobs().Keep})
}

// PruneBy deletes what is older than the windows, a batch and a transaction at a
// time, so that others get their turn in between. If it fails half-way, the
// report says what is gone. However many batches it took, the log gets one event.
func (s *Service) PruneBy(ctx context.Context, p Pruning) (PruneReport, error) {
	report := PruneReport{DryRun: p.DryRun}
	if err := operatorOnly(ctx); err != nil {
		return report, err
	}
	now := s.now()
	old := older{
		events:     nexus.Stamp(now.Add(-p.Keep.Events)),
		deliveries: nexus.Stamp(now.Add(-p.Keep.ReadDeliveries)),
		sessions:   nexus.Stamp(now.Add(-p.Keep.ClosedSessions)),
	}
	unkeyed := withoutKey{ctx}
	found, horizon, err := s.survey(unkeyed, old, p.Batches > 0)
	if err != nil {
		return report, err
	}
	if p.DryRun {
		report.Tables = found
		report.sum()
		return report, nil
	}
	report.Tables, err = s.deleteOld(unkeyed, p, old, horizon, found)
	report.sum()
	if report.Total == 0 {
		return report, err
	}
	if err != nil { // what is gone is noted, but a failure is no answer to keep
		_, _ = s.notePrune(context.WithoutCancel(unkeyed), report, now)
		return report, err
	}
	kept, err := s.notePrune(context.WithoutCancel(ctx), report, now)
	if err != nil {
		return report, err
	}
	return kept, nil
}

// older holds, for each table, the moment before which rows are old.
type older struct{ events, deliveries, sessions string }

// survey counts what is old. The log has no index by time, so it is walked in
// slices, outside of any writing transaction; the horizon is the last old event,
// beyond which no batch needs to look. A bounded survey stops after one slice:
// the oldest events come first.
func (s *Service) survey(ctx context.Context, old older, bounded bool) (found PrunedTables, horizon int64, err error) {
	err = s.store.View(ctx, func(tx Tx) (err error) {
		found.Deliveries.Deleted, found.Sessions.Deleted, err = tx.CountFinished(old.deliveries, old.sessions)
		return err
	})
	for after := int64(0); err == nil; {
		var slice EventSurvey
		slice, err = nexus.View(ctx, s.store, func(tx Tx) (EventSurvey, error) {
			return tx.SurveyEvents(after, old.events, surveySlice)
		})
		found.Events.Deleted += slice.Old
		horizon, after = max(horizon, slice.LastOld), slice.Last
		if bounded || slice.Looked < surveySlice {
			break
		}
	}
	return found, horizon, err
}

func (s *Service) deleteOld(ctx context.Context, p Pruning, old older, horizon int64, found PrunedTables) (gone PrunedTables, err error) {
	tables := []struct {
		name   string
		found  int
		gone   *int
		delete func(Tx) (int, error)
	}{
		{"events", found.Events.Deleted, &gone.Events.Deleted, func(tx Tx) (int, error) {
			return tx.DeleteEvents(horizon, old.events, pruneBatch)
		}},
		{"message_deliveries", found.Deliveries.Deleted, &gone.Deliveries.Deleted, func(tx Tx) (int, error) {
			return tx.DeleteReadDeliveries(old.deliveries, pruneBatch)
		}},
		{"sessions", found.Sessions.Deleted, &gone.Sessions.Deleted, func(tx Tx) (int, error) {
			return tx.DeleteClosedSessions(old.sessions, pruneBatch)
		}},
	}
	for _, t := range tables {
		if t.found == 0 {
			continue
		}
		for batch := 1; ; batch++ {
			n, err := s.deleteBatch(ctx, t.delete)
			if err != nil {
				return gone, err
			}
			*t.gone += n
			if p.Progress != nil {
				p.Progress(t.name, *t.gone, max(t.found, *t.gone))
			}
			if n < pruneBatch || batch == p.Batches {
				break
			}
		}
	}
	return gone, nil
}

// deleteBatch deletes one batch. Two prunes at once take turns, or the second
// would find the rows of the first locked and think that nothing is left.
func (s *Service) deleteBatch(ctx context.Context, del func(Tx) (int, error)) (int, error) {
	return nexus.Update(ctx, s.store, func(tx Tx) (int, error) {
		if err := tx.Lock("retention"); err != nil {
			return 0, err
		}
		return del(tx)
	})
}

func (s *Service) notePrune(ctx context.Context, report PruneReport, now time.Time) (PruneReport, error) {
	kind, actor := nexus.ActorFrom(ctx).Kind, nexus.ActorFrom(ctx).Name()
	return nexus.Update(ctx, s.store, func(tx Tx) (PruneReport, error) {
		return report, s.system(tx, now, "admin.pruned", actor, map[string]any{
			"actor": kind, "tables": report.Tables, "total_deleted": report.Total,
		})
	})
}

// operatorOnly refuses the keys of agents: what it guards concerns everybody.
func operatorOnly(ctx context.Context) error {
	return nexus.ActorFrom(ctx).Administers()
}

// withoutKey is a context that hides its idempotency key: one key cannot stand
// for many transactions. The last one, which appends the event, gets it.
type withoutKey struct{ context.Context }

func (c withoutKey) Value(key any) any {
	v := c.Context.Value(key)
	if _, hidden := v.(nexus.Idempotency); hidden {
		return nil
	}
	return v
}

// CheckRoot refuses a project that does not exist. Operators name one to make
// sure that they are where they think.
func CheckRoot(projectRoot string) error {
	_, err := locatePath(context.Background(), projectRoot)
	return err
}
