package bus

import (
	"cmp"
	"context"
	"math"
	"slices"

	"nexus"
)

// An ObservedEvent is an entry of the log as the operator sees it.
type ObservedEvent struct {
	ID          int64      `json:"event_id"`
	WorkspaceID *string    `json:"workspace_id"`
	Stream      string     `json:"stream"`
	Type        string     `json:"type"`
	CreatedAt   string     `json:"created_at"`
	Actor       *string    `json:"actor_agent_id"`
	Payload     nexus.JSON `json:"payload"`
	TraceID     *string    `json:"trace_id"`
}

type observeLogRows interface {
	ObservedEvents(LogQuery, Stretch) (Walked[ObservedEvent, int64], error)
	// EventTypes lists the types in the log, each counted no further than most.
	EventTypes(most int) ([]EventType, error)
	// LastEvent is the number of the newest event of all.
	LastEvent() (int64, error)
	// EventSince is a number from which on all events from a moment on are.
	EventSince(moment string) (int64, error)
	// WorkspaceLog is the log of one workspace, of all its streams: the events
	// after one number and up to another.
	WorkspaceLog(workspaceID string, after, upTo int64, limit int) ([]nexus.Event, error)
}

// A LogQuery selects events between two numbers. Blank fields match everything.
type LogQuery struct {
	WorkspaceID, Stream, Type, Actor, TraceID string
	After, Before                             int64
	Backwards                                 bool
	// NoSystem leaves out what only those may see who run the hub.
	NoSystem bool
}

// ObserveEventsParams select events.
type ObserveEventsParams struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one and the system stream"`
	Stream    string `json:"stream,omitempty" jsonschema:"only workspace, handoff, agent or system"`
	Type      string `json:"type,omitempty" jsonschema:"only this type, such as message.created"`
	Agent     string `json:"agent,omitempty" jsonschema:"only what this agent did"`
	Trace     string `json:"trace,omitempty" jsonschema:"only what the requests of this trace caused"`
	After     *int64 `json:"after,omitempty" jsonschema:"next_cursor of the page before; default 0, the beginning"`
	Before    *int64 `json:"before,omitempty" jsonschema:"read backwards instead, newest first, from below this number; next_cursor is then the next before"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many to show; default 100"`
}

// EventList is a page of the log. NextCursor has passed everything that was
// looked at.
type EventList struct {
	Items      []ObservedEvent `json:"items"`
	NextCursor int64           `json:"next_cursor"`
	HasMore    bool            `json:"has_more"`
}

// ObserveEvents is a page of the log as it is: upwards from a number, or
// downwards.
func (s *Service) ObserveEvents(ctx context.Context, p ObserveEventsParams) (EventList, error) {
	q, err := logQuery(ctx, p)
	if err != nil {
		return EventList{}, err
	}
	limit, err := pageLimit(p.Limit, usualEvents, s.knobs().MaxEvents)
	if err != nil {
		return EventList{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (EventList, error) {
		page, err := tx.ObservedEvents(q, Stretch{Limit: limit, Look: lookAt})
		list := EventList{page.Rows, q.After, page.More}
		if q.Backwards {
			list.NextCursor = q.Before
		}
		switch n := len(page.Rows); {
		case page.More:
			list.NextCursor = page.Last
		case n > 0:
			list.NextCursor = page.Rows[n-1].ID
		}
		return list, err
	})
}

func logQuery(ctx context.Context, p ObserveEventsParams) (q LogQuery, err error) {
	q = LogQuery{Stream: p.Stream, Type: p.Type, Actor: p.Agent, TraceID: p.Trace, Before: math.MaxInt64}
	if q.WorkspaceID, err = observed(ctx, p.Workspace); err != nil {
		return q, err
	}
	streams := []string{nexus.StreamWorkspace, nexus.StreamHandoff, nexus.StreamAgent, nexus.StreamSystem}
	if p.Stream != "" && !slices.Contains(streams, p.Stream) {
		return q, nexus.Errorf(nexus.InvalidStream, "There is no stream %q: use workspace, handoff, agent or system.", clip(p.Stream)).With("field", "stream")
	}
	actor := nexus.ActorFrom(ctx)
	if err := actor.MayReadLog(); err != nil {
		return q, err
	}
	if q.NoSystem = !actor.MayAdminister(); q.NoSystem && p.Stream == nexus.StreamSystem {
		return q, actor.Administers()
	}
	if p.After != nil {
		q.After = *p.After
	}
	if p.Before != nil {
		q.Before, q.Backwards = *p.Before, true
	}
	if q.After < 0 || q.Before < 0 {
		return q, nexus.Invalid("after", "after and before must be 0 or more.")
	}
	return q, nil
}

// An EventType is a type that is in the log. A count of [EventTypeList.CountedTo]
// means that many or more.
type EventType struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// EventTypeList is every type that is in the log, sorted.
type EventTypeList struct {
	Items     []EventType `json:"items"`
	CountedTo int         `json:"counted_to"`
}

// countEvents is how far the events of one type are counted.
const countEvents = 10_000

// ObserveEventTypes lists the types in the log. It never reads the log itself.
func (s *Service) ObserveEventTypes(ctx context.Context, _ None) (EventTypeList, error) {
	actor := nexus.ActorFrom(ctx)
	if err := cmp.Or(actor.MayReadLog(), actor.MayEnter("")); err != nil {
		return EventTypeList{}, err
	}
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (EventTypeList, error) {
		types, err := tx.EventTypes(countEvents)
		return EventTypeList{types, countEvents}, err
	})
}
