package bus

import (
	"context"
	"time"

	"nexus"
)

// A MomentCount is how many things of a type happened at a moment of which only
// the beginning is known, such as 2026-03-01T12.
type MomentCount struct {
	Moment, Type string
	Count        int
}

// How many characters of a time tell its hour, and its minute.
const (
	hourly   = len("2006-01-02T15")
	minutely = len(minuteLayout)

	minuteLayout = "2006-01-02T15:04"
)

// spread gives every count to that of n parts of a window into which it falls.
func spread(counts []MomentCount, from time.Time, part time.Duration, n int, add func(i int, c MomentCount)) {
	for _, c := range counts {
		if c.Moment == "" || len(c.Moment) > minutely {
			continue
		}
		at, err := time.Parse(minuteLayout[:len(c.Moment)], c.Moment)
		if i := int(at.Sub(from) / part); err == nil && !at.Before(from) && i < n {
			add(i, c)
		}
	}
}

// HubActivityParams say of what, how far back and how finely.
type HubActivityParams struct {
	Workspace   string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one and the system stream"`
	WindowHours *int   `json:"window_hours,omitempty" jsonschema:"how far back, 1 to 8760; default 24"`
	Buckets     *int   `json:"buckets,omitempty" jsonschema:"into how many parts, 1 to 500; default 24; a part has at least a minute"`
	Type        string `json:"type,omitempty" jsonschema:"only events of this type, several with commas; mail is then not counted"`
	Agent       string `json:"agent,omitempty" jsonschema:"only what this agent did, and the mail it got"`
}

// HubActivity is how much happened over time.
type HubActivity struct {
	WorkspaceID   *string          `json:"workspace_id"`
	GeneratedAt   string           `json:"generated_at"`
	From          string           `json:"from"`
	BucketSeconds int              `json:"bucket_seconds"`
	Buckets       []ActivityBucket `json:"buckets"`
	Totals        ActivityCounts   `json:"totals"`
	// Truncated tells that there was more than was counted: the oldest is missing.
	Truncated bool `json:"truncated"`
}

// An ActivityBucket is what happened in a part of the window.
type ActivityBucket struct {
	At string `json:"at"`
	ActivityCounts
}

// ActivityCounts are how often things happened that a person follows.
type ActivityCounts struct {
	Events          int `json:"events"`
	Messages        int `json:"messages"`
	Read            int `json:"read"` // deliveries that were acknowledged
	HandoffsCreated int `json:"handoffs_created"`
	Claims          int `json:"claims"`
	Completed       int `json:"completed"`
	Failures        int `json:"failures"` // rejected, expired and parked work, and parked mail
}

func (a *ActivityCounts) addEvents(kind string, n int) {
	a.Events += n
	switch kind {
	case "message.created":
		a.Messages += n
	case "handoff.created":
		a.HandoffsCreated += n
	case "handoff.claimed":
		a.Claims += n
	case "handoff.completed":
		a.Completed += n
	case "handoff.rejected", "handoff.expired", "handoff.parked":
		a.Failures += n
	}
}

func (a *ActivityCounts) addMail(lane string, n int) {
	switch lane {
	case ReadLane:
		a.Read += n
	case Parked:
		a.Failures += n
	}
}

const usualBuckets, mostBuckets = 24, 500

// ObserveActivity tells how much happened over time, from the log and the mail
// that retention has left.
func (s *Service) ObserveActivity(ctx context.Context, p HubActivityParams) (HubActivity, error) {
	q, err := logQuery(ctx, ObserveEventsParams{Workspace: p.Workspace, Type: p.Type, Agent: p.Agent})
	if err != nil {
		return HubActivity{}, err
	}
	w, err := p.window(s.now())
	if err != nil {
		return HubActivity{}, err
	}
	q.Since, q.Backwards = nexus.Stamp(w.from), true
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (HubActivity, error) {
		a := HubActivity{
			WorkspaceID: pointer(q.WorkspaceID), GeneratedAt: nexus.Stamp(s.now()), From: q.Since, BucketSeconds: int(w.part / time.Second),
			Buckets: make([]ActivityBucket, w.parts),
		}
		for i := range a.Buckets {
			a.Buckets[i].At = nexus.Stamp(w.from.Add(time.Duration(i) * w.part))
		}
		return a, a.fill(tx, q, w)
	})
}

// A window is a span of time in parts of equal length.
type window struct {
	from   time.Time
	part   time.Duration
	parts  int
	prefix int // how much of a time tells its part
}

// window is the span that is asked for. Parts are of whole minutes and end with
// the present one; parts of whole hours begin on the hour.
func (p HubActivityParams) window(now time.Time) (w window, err error) {
	hours, count := 24, usualBuckets
	if p.WindowHours != nil {
		hours = *p.WindowHours
	}
	if p.Buckets != nil {
		count = *p.Buckets
	}
	if hours < 1 || hours > longestHours {
		return w, nexus.Invalid("window_hours", "window_hours must be between 1 and %d.", longestHours)
	}
	if count < 1 || count > mostBuckets {
		return w, nexus.Invalid("buckets", "buckets must be between 1 and %d.", mostBuckets)
	}
	minutes := hours * 60
	each := (minutes + count - 1) / count
	w = window{part: time.Duration(each) * time.Minute, parts: (minutes + each - 1) / each, prefix: minutely}
	grain := time.Minute
	if each%60 == 0 {
		grain, w.prefix = time.Hour, hourly
	}
	w.from = now.UTC().Truncate(grain).Add(grain).Add(-time.Duration(w.parts) * w.part)
	return w, nil
}

func (a *HubActivity) fill(tx Tx, q LogQuery, w window) error {
	log, err := q.between(tx)
	if err != nil {
		return err
	}
	events, more, err := tx.CountEvents(log, w.prefix, activityLook)
	if err != nil {
		return err
	}
	spread(events, w.from, w.part, w.parts, func(i int, c MomentCount) {
		a.Buckets[i].addEvents(c.Type, c.Count)
		a.Totals.addEvents(c.Type, c.Count)
	})
	a.Truncated = more
	if len(q.Types) > 0 {
		return nil
	}
	return a.fillMail(tx, q, w)
}

// fillMail adds what became of mail. It may be read long after it was sent, so
// that of another window before is looked at too.
func (a *HubActivity) fillMail(tx Tx, q LogQuery, w window) error {
	mail := ActivityQuery{
		WorkspaceID: q.WorkspaceID, Since: nexus.Stamp(w.from.Add(-time.Duration(w.parts) * w.part)), Recipient: q.Actor, Look: activityLook,
	}
	var err error
	if mail.Above, _, err = tx.MessageBounds(mail.Since, ""); err != nil {
		return err
	}
	moments, err := tx.MailMoments(mail, w.prefix)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range moments {
		n += c.Count
	}
	a.Truncated = a.Truncated || n >= activityLook
	spread(moments, w.from, w.part, w.parts, func(i int, c MomentCount) {
		a.Buckets[i].addMail(c.Type, c.Count)
		a.Totals.addMail(c.Type, c.Count)
	})
	return nil
}
