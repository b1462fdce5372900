package bus

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"nexus"
)

type observeActivityRows interface {
	// ObservedWorkspaces are the workspaces last used, with how much is in each,
	// counted no further than most.
	ObservedWorkspaces(only string, most, limit int) ([]ObservedWorkspace, error)
	// MailMoments counts the newest deliveries by lane and by the beginning of the
	// time when they were read or, of those parked, last handed out.
	MailMoments(q ActivityQuery, prefix int) ([]MomentCount, error)
	// Busiest are the agents that sent, or received, most.
	Busiest(q ActivityQuery, received bool, limit int) ([]AgentCount, error)
	ReadSpans(ActivityQuery) ([]Span, error)
	CompletionSpans(ActivityQuery) ([]Span, error)
}

// An ObservedWorkspace is a workspace and how much is in it. A number of
// [ObservedWorkspaceList.CountedTo] means that many or more.
type ObservedWorkspace struct {
	Workspace
	Agents          int `json:"agents"`   // with an active session
	Sessions        int `json:"sessions"` // active
	Messages        int `json:"messages"`
	HandoffsOpen    int `json:"handoffs_open"`
	HandoffsClaimed int `json:"handoffs_claimed"`
	TasksOpen       int `json:"tasks_open"` // or in progress, or blocked
}

// ObservedWorkspaceList are the workspaces, those used last first.
type ObservedWorkspaceList struct {
	Items []ObservedWorkspace `json:"items"`
	nexus.OnePage
	CountedTo int  `json:"counted_to"`
	Truncated bool `json:"truncated"`
}

// ObserveWorkspacesParams say how many workspaces to show.
type ObserveWorkspacesParams struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"only this one"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many to show, those used last; default 200, at most 1000"`
}

const (
	usualWorkspaces, mostWorkspaces = 200, 1_000
	countWorkspace                  = 1_000
)

// ObserveWorkspaces lists the workspaces, those used last first.
func (s *Service) ObserveWorkspaces(ctx context.Context, p ObserveWorkspacesParams) (ObservedWorkspaceList, error) {
	only, err := observed(ctx, p.Workspace)
	if err != nil {
		return ObservedWorkspaceList{}, err
	}
	limit, err := pageLimit(p.Limit, usualWorkspaces, mostWorkspaces)
	if err != nil {
		return ObservedWorkspaceList{}, err
	}
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (ObservedWorkspaceList, error) {
		all, err := tx.ObservedWorkspaces(only, countWorkspace, limit+1)
		n := min(len(all), limit)
		return ObservedWorkspaceList{Items: all[:n], CountedTo: countWorkspace, Truncated: len(all) > n}, err
	})
}

// An ActivityQuery selects the mail of a workspace from a moment on: the newest
// so much of it, with the message that it begins after.
type ActivityQuery struct {
	WorkspaceID string
	Since       string
	Above       string
	Recipient   string // whose moments count, "" for everybody's
	Look        int
}

// An AgentCount is a number about an agent.
type AgentCount struct {
	AgentID string `json:"agent_id"`
	Count   int    `json:"count"`
}

// A Span is from when to when something took.
type Span struct{ From, To string }

// AnalyticsParams say of which workspace and how far back.
type AnalyticsParams struct {
	WorkspaceID string `json:"workspace_id" jsonschema:"the workspace"`
	Window      string `json:"window,omitempty" jsonschema:"24h, 7d or 30d; default 24h"`
}

// Analytics is how busy a workspace was.
type Analytics struct {
	WorkspaceID    string       `json:"workspace_id"`
	Window         string       `json:"window"`
	GeneratedAt    string       `json:"generated_at"`
	From           string       `json:"from"`
	BucketSeconds  int          `json:"bucket_seconds"`
	Buckets        []Bucket     `json:"buckets"`
	Totals         Activity     `json:"totals"`
	TopSenders     []AgentCount `json:"top_senders"`
	TopRecipients  []AgentCount `json:"top_recipients"`
	TimeToRead     Quantiles    `json:"time_to_read"`
	TimeToComplete Quantiles    `json:"time_to_complete"`
	// Truncated tells that there was more than was counted: the oldest is missing.
	Truncated bool `json:"truncated"`
}

// A Bucket is what happened in a part of the window.
type Bucket struct {
	At string `json:"at"`
	Activity
}

// Activity is how much happened.
type Activity struct {
	Messages          int `json:"messages"`
	HandoffsCreated   int `json:"handoffs_created"`
	HandoffsCompleted int `json:"handoffs_completed"`
	Sessions          int `json:"sessions"` // opened
	Events            int `json:"events"`
}

func (a *Activity) add(kind string, n int) {
	a.Events += n
	switch kind {
	case "message.created":
		a.Messages += n
	case "handoff.created":
		a.HandoffsCreated += n
	case "handoff.completed":
		a.HandoffsCompleted += n
	case "session.opened":
		a.Sessions += n
	}
}

// Quantiles say how long something took, null where nothing did.
type Quantiles struct {
	Count  int      `json:"count"`
	Median *float64 `json:"median_seconds"`
	P90    *float64 `json:"p90_seconds"`
}

// activityLook is how many events, and how many deliveries, are counted.
const activityLook = 50_000

// windows are how far back analytics can look, in parts of which length.
var windows = map[string]struct{ long, part time.Duration }{
	"24h": {24 * time.Hour, time.Hour},
	"7d":  {7 * 24 * time.Hour, 6 * time.Hour},
	"30d": {30 * 24 * time.Hour, 24 * time.Hour},
}

// ObserveAnalytics tells how busy a workspace was, from the log and the mail that
// retention has left.
func (s *Service) ObserveAnalytics(ctx context.Context, p AnalyticsParams) (Analytics, error) {
	workspace, err := observed(ctx, p.WorkspaceID)
	if err != nil {
		return Analytics{}, err
	}
	if p.Window == "" {
		p.Window = "24h"
	}
	window, ok := windows[p.Window]
	if !ok {
		return Analytics{}, nexus.Errorf(nexus.InvalidWindow, "There is no window %q: use 24h, 7d or 30d.", clip(p.Window)).With("field", "window")
	}
	now := s.now()
	from := now.UTC().Truncate(time.Hour).Add(time.Hour - window.long)
	a := Analytics{
		WorkspaceID: workspace, Window: p.Window, GeneratedAt: nexus.Stamp(now), From: nexus.Stamp(from),
		BucketSeconds: int(window.part / time.Second),
	}
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (Analytics, error) {
		if _, found, err := tx.Workspace(workspace); err != nil || !found {
			return Analytics{}, orNotFound(err, "There is no workspace %q. GET /workspaces lists them.", clip(p.WorkspaceID))
		}
		a := a
		q := ActivityQuery{WorkspaceID: workspace, Since: a.From, Look: activityLook}
		var err error
		if q.Above, _, err = tx.MessageBounds(a.From, ""); err != nil {
			return a, err
		}
		return a, a.fill(tx, q, from, window.long, window.part)
	})
}

func (a *Analytics) fill(tx Tx, q ActivityQuery, from time.Time, long, part time.Duration) error {
	log, err := LogQuery{WorkspaceID: q.WorkspaceID, Since: q.Since, Before: math.MaxInt64, Backwards: true}.between(tx)
	if err != nil {
		return err
	}
	hours, more, err := tx.CountEvents(log, hourly, q.Look)
	if err != nil {
		return err
	}
	a.Buckets, a.Totals = buckets(hours, from, long, part)
	a.Truncated = more
	if a.TopSenders, err = tx.Busiest(q, false, usualHits); err != nil {
		return err
	}
	if a.TopRecipients, err = tx.Busiest(q, true, usualHits); err != nil {
		return err
	}
	read, err := tx.ReadSpans(q)
	if err != nil {
		return err
	}
	a.TimeToRead = quantiles(read)
	completed, err := tx.CompletionSpans(q)
	a.TimeToComplete = quantiles(completed)
	return err
}

// buckets sorts hours into parts of the window.
func buckets(hours []MomentCount, from time.Time, long, part time.Duration) (all []Bucket, total Activity) {
	for at := from; at.Before(from.Add(long)); at = at.Add(part) {
		all = append(all, Bucket{At: nexus.Stamp(at)})
	}
	spread(hours, from, part, len(all), func(i int, c MomentCount) {
		all[i].add(c.Type, c.Count)
		total.add(c.Type, c.Count)
	})
	return all, total
}

func quantiles(spans []Span) Quantiles {
	var took []float64
	for _, s := range spans {
		from, err := nexus.ParseStamp(s.From)
		to, err2 := nexus.ParseStamp(s.To)
		if err == nil && err2 == nil {
			took = append(took, max(0, to.Sub(from).Seconds()))
		}
	}
	slices.Sort(took)
	n := len(took)
	if n == 0 {
		return Quantiles{}
	}
	return Quantiles{n, &took[n/2], &took[min(n-1, n*9/10)]}
}

// Log is a page of the log of one workspace, of all its streams and as it is
// stored: the events after one number and up to another.
func (s *Service) Log(ctx context.Context, workspace string, after, upTo int64, limit int) ([]nexus.Event, error) {
	return nexus.ViewLong(ctx, s.store, func(tx Tx) ([]nexus.Event, error) {
		return tx.WorkspaceLog(workspace, after, upTo, limit)
	})
}

// LogEnd is where the log of a workspace that exists ends now.
func (s *Service) LogEnd(ctx context.Context, workspace string) (int64, error) {
	workspace, err := observed(ctx, strings.TrimSpace(workspace))
	if err := cmp.Or(err, nexus.ActorFrom(ctx).MayReadLog(), nexus.ActorFrom(ctx).Needs(nexus.ScopeRead, "an export")); err != nil {
		return 0, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (int64, error) {
		if _, found, err := tx.Workspace(workspace); err != nil || !found {
			return 0, orNotFound(err, "There is no workspace %q. GET /workspaces lists them.", clip(workspace))
		}
		return tx.LastEvent()
	})
}
