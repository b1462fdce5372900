package bus

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nexus"
)

// An Event is an entry of the log as an agent sees it.
type Event struct {
	ID          int64      `json:"event_id"`
	WorkspaceID string     `json:"workspace_id"`
	Stream      string     `json:"stream"`
	Type        string     `json:"type"`
	Payload     nexus.JSON `json:"payload"`
	Actor       *string    `json:"actor_agent_id"`
	TaskID      *string    `json:"task_id"`
	HandoffID   *string    `json:"handoff_id"`
	CreatedAt   string     `json:"created_at"`
}

type eventRows interface {
	AppendEvent(*nexus.Event) error
	// Events are those after a cursor that match, in the order of their numbers.
	Events(EventQuery) ([]nexus.Event, error)
	// LastEventIn is the number of a stream's newest event, 0 for none.
	LastEventIn(workspaceID, stream string) (int64, error)
}

// An EventQuery selects events of one stream. Blank fields match everything.
type EventQuery struct {
	WorkspaceID, Stream            string
	After                          int64
	Type, Actor, TaskID, HandoffID string
	Limit                          int
}

// ReadParams ask for a page of the log.
type ReadParams struct {
	ProjectRoot string       `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	AgentID     string       `json:"agent_id" jsonschema:"you"`
	Stream      string       `json:"stream" jsonschema:"workspace, handoff or agent"`
	Cursor      *int64       `json:"cursor,omitempty" jsonschema:"next_cursor of the page before; default 0, the beginning"`
	Limit       *int         `json:"limit,omitempty" jsonschema:"how many to show, 1 to 1000; default 100"`
	Filters     nexus.Object `json:"filters,omitempty" jsonschema:"only events with this type, agent_id, task_id or handoff_id"`
}

// Precede lets a missing workspace and a wrong stream outrank other mistakes.
func (p ReadParams) Precede() error {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return err
	}
	streams := []string{nexus.StreamWorkspace, nexus.StreamAgent, nexus.StreamHandoff}
	if !slices.Contains(streams, p.Stream) {
		return nexus.Errorf(nexus.InvalidStream, "There is no stream %q: use workspace, agent or handoff.", p.Stream).With("field", "stream")
	}
	return nil
}

// EventPage is a page of the log.
type EventPage struct {
	Events     []Event `json:"events"`
	NextCursor int64   `json:"next_cursor"`
	HasMore    bool    `json:"has_more"`
	TimedOut   bool    `json:"timed_out"`
}

const usualEvents = 100

// ReadEvents is a page of what happened in a workspace, as far as the caller may
// see it. It does not wait.
func (s *Service) ReadEvents(ctx context.Context, p ReadParams) (EventPage, error) {
	q, err := s.eventQuery(ctx, p)
	if err != nil {
		return EventPage{}, err
	}
	return s.firstLook(ctx, q, p.AgentID)
}

// firstLook reads a page and notes that the agent looked.
func (s *Service) firstLook(ctx context.Context, q EventQuery, agentID string) (EventPage, error) {
	var me RegisteredAgent
	page, err := nexus.View(ctx, s.store, func(tx Tx) (page EventPage, err error) {
		if err := mayLook(ctx, tx, agentID, readLog); err != nil {
			return page, err
		}
		if me, _, err = tx.Agent(agentID); err != nil {
			return page, err
		}
		full := ProfileOf(agentID, me.Agent)
		return readPage(tx, q, &viewer{tx: tx, id: agentID, full: &full}, s.now())
	})
	if err == nil {
		s.seen(ctx, me.Agent, s.now())
	}
	return page, err
}

// WaitParams are [ReadParams] and how long to wait.
type WaitParams struct {
	ReadParams
	TimeoutSeconds *int `json:"timeout_seconds,omitempty" jsonschema:"how long to wait for the first event; default 0, do not wait"`
}

// WaitEvents is [Service.ReadEvents] that waits, if asked to, until there is
// something to see.
func (s *Service) WaitEvents(ctx context.Context, p WaitParams) (EventPage, error) {
	if p.TimeoutSeconds == nil || *p.TimeoutSeconds <= 0 {
		return s.ReadEvents(ctx, p.ReadParams)
	}
	q, err := s.eventQuery(ctx, p.ReadParams)
	if err != nil {
		return EventPage{}, err
	}
	look := s.firstLook
	keys := []string{nexus.LogKey(q.WorkspaceID, q.Stream)}
	page, timedOut, err := nexus.Await(ctx, s.store, keys, s.waitLimit(*p.TimeoutSeconds),
		func(ctx context.Context) (EventPage, bool, time.Time, error) {
			page, err := look(ctx, q, p.AgentID)
			look = s.lookAgain
			q.After = page.NextCursor // what was passed over need not be looked at again
			return page, len(page.Events) > 0, time.Time{}, err
		})
	page.TimedOut = timedOut
	return page, err
}

// waitLimit is how long a call may wait: what it asks for, up to the ceiling.
func (s *Service) waitLimit(seconds int) time.Duration { return s.waitFor(float64(seconds)) }

func (s *Service) waitFor(seconds float64) time.Duration {
	return min(time.Duration(min(seconds, 1<<30)*float64(time.Second)), s.knobs().MaxWait)
}

// eventQuery checks the arguments in the order in which their errors rank.
func (s *Service) eventQuery(ctx context.Context, p ReadParams) (EventQuery, error) {
	q := EventQuery{Stream: p.Stream}
	if err := p.Precede(); err != nil {
		return q, err
	}
	if err := s.reader(ctx, p.AgentID); err != nil {
		return q, err
	}
	if p.Cursor != nil {
		q.After = *p.Cursor
	}
	if q.After < 0 {
		return q, nexus.Invalid("cursor", "cursor must be 0 or more.")
	}
	var err error
	if q.Limit, err = pageLimit(p.Limit, usualEvents, s.knobs().MaxEvents); err != nil {
		return q, err
	}
	if err := q.filter(p.Filters); err != nil {
		return q, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	q.WorkspaceID = at.id
	return q, err
}

func (q *EventQuery) filter(raw nexus.Object) error {
	if len(raw) == 0 {
		return nil
	}
	var filters map[string]*string
	if err := json.Unmarshal(raw, &filters); err != nil {
		return nexus.Invalid("filters", "filters must be an object of text, such as {\"type\":\"message.created\"}.")
	}
	fields := map[string]*string{"type": &q.Type, "agent_id": &q.Actor, "task_id": &q.TaskID, "handoff_id": &q.HandoffID}
	for name, value := range filters {
		field := fields[name]
		if field == nil {
			return nexus.Invalid("filters", "There is no filter %q: use type, agent_id, task_id or handoff_id.", name)
		}
		if value != nil {
			*field = *value
		}
	}
	return nil
}

// lookAgain reads a page for one who waits, with as few questions to the store
// as can be: this is what stands between a commit and those it wakes.
func (s *Service) lookAgain(ctx context.Context, q EventQuery, agentID string) (EventPage, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (EventPage, error) {
		return readPage(tx, q, &viewer{tx: tx, id: agentID}, s.now())
	})
}

// A viewer is an agent that looks at events. Its role and capabilities are only
// asked for when they can matter: they never make visible less than the name
// alone does.
type viewer struct {
	tx   Tx
	id   string
	full *Profile
}

func (v *viewer) sees(e nexus.Event, now time.Time) (bool, error) {
	if v.full == nil {
		if CanSee(e, Profile{AgentID: v.id}, now) {
			return true, nil
		}
		a, _, err := v.tx.Agent(v.id)
		if err != nil {
			return false, err
		}
		full := ProfileOf(v.id, a.Agent)
		v.full = &full
	}
	return CanSee(e, *v.full, now), nil
}

// readPage reads one page. The cursor it returns has passed everything that was
// looked at, seen or not.
func readPage(tx Tx, q EventQuery, me *viewer, now time.Time) (EventPage, error) {
	page := EventPage{Events: []Event{}}
	limit := q.Limit
	for q.Limit = limit + 1; ; q.Limit = 512 {
		batch, err := tx.Events(q)
		if err != nil {
			return page, err
		}
		for _, e := range batch {
			q.After = e.ID
			visible, err := me.sees(e, now)
			if err != nil {
				return page, err
			}
			if !visible {
				continue
			}
			if len(page.Events) == limit {
				page.NextCursor, page.HasMore = page.Events[limit-1].ID, true
				return page, nil
			}
			page.Events = append(page.Events, shown(e))
		}
		if len(batch) < q.Limit {
			page.NextCursor, err = q.end(tx)
			return page, err
		}
	}
}

// end is the cursor of one who has read everything there is. Without filters
// that is the last event looked at; with filters the database has passed over
// some that nobody looked at.
func (q EventQuery) end(tx Tx) (int64, error) {
	if q.Type == "" && q.Actor == "" && q.TaskID == "" && q.HandoffID == "" {
		return q.After, nil
	}
	last, err := tx.LastEventIn(q.WorkspaceID, q.Stream)
	return max(q.After, last), err
}

func shown(e nexus.Event) Event {
	return Event{
		ID: e.ID, WorkspaceID: e.WorkspaceID, Stream: e.Stream, Type: e.Type, Payload: e.Payload,
		Actor: pointer(e.Actor), TaskID: pointer(e.TaskID), HandoffID: pointer(e.HandoffID), CreatedAt: e.CreatedAt,
	}
}
