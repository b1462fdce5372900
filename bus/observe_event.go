package bus

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

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
	// EventSince is a number from which on all events from a moment on are, and
	// EventUntil one below which all before a moment are.
	EventSince(moment string) (int64, error)
	EventUntil(moment string) (int64, error)
	// CountEvents counts the newest events that match by type and by the beginning
	// of their time, so many characters of it, and tells whether there may be more.
	CountEvents(q LogQuery, prefix, look int) (counts []MomentCount, more bool, err error)
	// WorkspaceLog is the log of one workspace, of all its streams: the events
	// after one number and up to another.
	WorkspaceLog(workspaceID string, after, upTo int64, limit int) ([]nexus.Event, error)
}

// A LogQuery selects events between two numbers. Blank fields match everything.
type LogQuery struct {
	WorkspaceID, Stream, Actor, TraceID string
	Types                               []string
	After, Before                       int64
	Backwards                           bool
	Since, Until                        string // from a moment on, and before another
	// NoSystem leaves out what only those may see who run the hub.
	NoSystem bool
}

// ObserveEventsParams select events.
type ObserveEventsParams struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one and the system stream"`
	Stream    string `json:"stream,omitempty" jsonschema:"only workspace, handoff, agent or system"`
	Type      string `json:"type,omitempty" jsonschema:"only this type, such as message.created; several with commas"`
	Agent     string `json:"agent,omitempty" jsonschema:"only what this agent did"`
	Trace     string `json:"trace,omitempty" jsonschema:"only what the requests of this trace caused"`
	After     *int64 `json:"after,omitempty" jsonschema:"next_cursor of the page before; default 0, the beginning"`
	Before    *int64 `json:"before,omitempty" jsonschema:"read backwards instead, newest first, from below this number; next_cursor is then the next before"`
	Since     string `json:"since,omitempty" jsonschema:"only what happened at or after this moment"`
	Until     string `json:"until,omitempty" jsonschema:"only what happened before this moment; with nothing else that says where to begin, read backwards from it"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many to show; default 100"`
}

// EventList is a page of the log. NextCursor has passed everything that was
// looked at.
type EventList struct {
	Items      []ObservedEvent `json:"items"`
	NextCursor int64           `json:"next_cursor"`
	HasMore    bool            `json:"has_more"`
}

// ObserveEvents is a page of the log as it is: upwards from a number or a moment,
// or downwards.
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
		q, err := q.between(tx)
		if err != nil {
			return EventList{}, err
		}
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

// between narrows the numbers of a query to its span of time.
func (q LogQuery) between(tx Tx) (LogQuery, error) {
	if q.Since != "" {
		from, err := tx.EventSince(q.Since)
		if err != nil {
			return q, err
		}
		q.After = max(q.After, from-1)
	}
	if q.Until != "" {
		end, err := tx.EventUntil(q.Until)
		if err != nil {
			return q, err
		}
		q.Before = min(q.Before, end)
	}
	return q, nil
}

// mostTypes is how many types may be asked for at once.
const mostTypes = 20

func logQuery(ctx context.Context, p ObserveEventsParams) (q LogQuery, err error) {
	q = LogQuery{Stream: p.Stream, Types: parts(p.Type), Actor: p.Agent, TraceID: p.Trace, Before: math.MaxInt64}
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
	if len(q.Types) > mostTypes {
		return q, nexus.Invalid("type", "type names %d types; at most %d may be asked for at once.", len(q.Types), mostTypes)
	}
	return q, q.begin(p)
}

// begin sets where a page begins and in which direction it is read.
func (q *LogQuery) begin(p ObserveEventsParams) (err error) {
	if q.Since, err = moment("since", p.Since); err != nil {
		return err
	}
	if q.Until, err = moment("until", p.Until); err != nil {
		return err
	}
	q.Backwards = p.Before != nil || q.Until != "" && q.Since == "" && p.After == nil
	if p.After != nil {
		q.After = *p.After
	}
	if p.Before != nil {
		q.Before = *p.Before
	}
	if q.After < 0 || q.Before < 0 {
		return nexus.Invalid("after", "after and before must be 0 or more.")
	}
	return nil
}

// parts are the words of a list with commas, each once.
func parts(list string) []string {
	var all []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	return all
}

// An EventType is a type that is in the log. A count of [EventTypeList.CountedTo]
// means that many or more.
type EventType struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// EventTypeList is every type that is in the log, sorted.
type EventTypeList struct {
	Items []EventType `json:"items"`
	nexus.OnePage
	CountedTo int `json:"counted_to"`
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
		return EventTypeList{Items: types, CountedTo: countEvents}, err
	})
}
