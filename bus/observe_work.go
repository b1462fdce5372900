package bus

import (
	"context"

	"nexus"
)

type observeWorkRows interface {
	ObservedHandoffs(WorkQuery, Stretch) (Walked[Handoff, string], error)
	ObservedTasks(WorkQuery, Stretch) (Walked[Task, string], error)
	ObservedArtifacts(WorkQuery, Stretch) (Walked[ObservedArtifact, string], error)
	// HandoffHistory is what the log says of a hand-off, oldest first.
	HandoffHistory(handoffID string, limit int) ([]ObservedEvent, error)
}

// A WorkQuery selects hand-offs, tasks or artifacts. Blank fields match
// everything.
type WorkQuery struct {
	WorkspaceID string
	States      []string // or types, of artifacts
	Agent       string   // who has to do with it
	Below       string   // ids below this one
}

// HandoffStates are the states of a hand-off.
func HandoffStates() []string {
	return []string{
		HandoffOpen, HandoffClaimed, HandoffVerifying, HandoffCompleted, HandoffRejected, HandoffCancelled, HandoffExpired, HandoffParked,
	}
}

// TaskStates are the states of a task.
func TaskStates() []string {
	return []string{TaskOpen, TaskInProgress, TaskBlocked, TaskDone, TaskCancelled}
}

// ArtifactTypes are what an artifact may be.
func ArtifactTypes() []string {
	return []string{ArtifactFile, ArtifactText, ArtifactJSON, ArtifactMarkdown}
}

const mostListed = 1_000

// ObserveHandoffsParams select hand-offs.
type ObserveHandoffsParams struct {
	ObserveParams
	Status string `json:"status,omitempty" jsonschema:"only those that are OPEN, CLAIMED, VERIFYING, COMPLETED, REJECTED, CANCELLED, EXPIRED or PARKED"`
	Agent  string `json:"agent,omitempty" jsonschema:"only those that this agent created or claimed"`
}

// An ObservedHandoff is a hand-off with everything that is known of it.
type ObservedHandoff struct {
	ID               string          `json:"handoff_id"`
	WorkspaceID      string          `json:"workspace_id"`
	Status           string          `json:"status"`
	CreatedAt        string          `json:"created_at"`
	UpdatedAt        string          `json:"updated_at"`
	FromAgentID      string          `json:"from_agent_id"`
	FromSessionID    *string         `json:"from_session_id"`
	Target           nexus.Object    `json:"target"`
	Visibility       string          `json:"visibility"`
	ClaimedBy        *string         `json:"claimed_by"`
	ClaimedSessionID *string         `json:"claimed_session_id"`
	LeaseExpiresAt   *string         `json:"lease_expires_at"`
	Attempt          int             `json:"attempt"`
	MaxAttempts      int             `json:"max_attempts"`
	Priority         int             `json:"priority"`
	ExpiresAt        *string         `json:"expires_at"`
	TaskID           *string         `json:"task_id"`
	DependsOn        []string        `json:"depends_on"`
	Blocked          bool            `json:"blocked"`
	Payload          *string         `json:"payload"`
	Result           *string         `json:"result"`
	RejectedReason   *string         `json:"rejected_reason"`
	Criteria         []string        `json:"acceptance_criteria"`
	VerifyBy         nexus.Object    `json:"verify_by"`
	Feedback         *string         `json:"feedback"`
	Events           []ObservedEvent `json:"events,omitempty"` // where there is only one
}

func observedHandoff(h Handoff) ObservedHandoff {
	return ObservedHandoff{
		ID: h.ID, WorkspaceID: h.WorkspaceID, Status: h.Status, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt,
		FromAgentID: h.FromAgentID, FromSessionID: h.FromSessionID, Target: h.Target, Visibility: h.Visibility,
		ClaimedBy: h.ClaimedBy, ClaimedSessionID: h.ClaimedSessionID, LeaseExpiresAt: h.LeaseExpiresAt,
		Attempt: h.Attempt, MaxAttempts: h.MaxAttempts, Priority: h.Priority, ExpiresAt: h.ExpiresAt, TaskID: h.TaskID,
		DependsOn: notNil(h.DependsOn), Blocked: h.WaitsFor > 0 && h.Status == HandoffOpen,
		Payload: h.Payload, Result: h.Result, RejectedReason: h.RejectedReason,
		Criteria: notNil(h.Criteria), VerifyBy: h.VerifyBy, Feedback: h.Feedback,
	}
}

func observedHandoffs(w Walked[Handoff, string]) Walked[ObservedHandoff, string] {
	shown := Walked[ObservedHandoff, string]{Rows: make([]ObservedHandoff, len(w.Rows)), Last: w.Last, More: w.More}
	for i, h := range w.Rows {
		shown.Rows[i] = observedHandoff(h)
	}
	return shown
}

// ObserveHandoffs lists hand-offs, newest first, as they are stored: a lease that
// has lapsed is shown as it was until somebody comes by.
func (s *Service) ObserveHandoffs(ctx context.Context, p ObserveHandoffsParams) (Listed[ObservedHandoff], error) {
	states, err := oneOf("status", p.Status, HandoffStates())
	if err != nil {
		return Listed[ObservedHandoff]{}, err
	}
	return observe(ctx, s, p.ObserveParams, mostListed, mostListed, func(tx Tx, workspaceID, below string, st Stretch) (Walked[ObservedHandoff, string], error) {
		page, err := tx.ObservedHandoffs(WorkQuery{workspaceID, states, p.Agent, below}, st)
		return observedHandoffs(page), err
	})
}

// HandoffParams name a hand-off.
type HandoffParams struct {
	HandoffID string `json:"handoff_id" jsonschema:"the hand-off"`
}

// ObserveHandoff is one hand-off with what it waits for and what the log says of
// it.
func (s *Service) ObserveHandoff(ctx context.Context, p HandoffParams) (ObservedHandoff, error) {
	if err := required("handoff_id", p.HandoffID); err != nil {
		return ObservedHandoff{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (ObservedHandoff, error) {
		h, found, err := tx.Handoff(p.HandoffID)
		if err != nil || !found {
			return ObservedHandoff{}, orNotFound(err, "There is no hand-off %q.", clip(p.HandoffID))
		}
		if _, err := observed(ctx, h.WorkspaceID); err != nil {
			return ObservedHandoff{}, err
		}
		shown := observedHandoff(h)
		shown.Events, err = tx.HandoffHistory(h.ID, s.knobs().MaxEvents)
		return shown, err
	})
}

// ObserveTasksParams select tasks.
type ObserveTasksParams struct {
	ObserveParams
	Status   string `json:"status,omitempty" jsonschema:"only those that are open, in_progress, blocked, done or cancelled"`
	Assignee string `json:"assignee,omitempty" jsonschema:"only this agent's"`
}

// ObserveTasks lists tasks, newest first.
func (s *Service) ObserveTasks(ctx context.Context, p ObserveTasksParams) (Listed[Task], error) {
	states, err := oneOf("status", p.Status, TaskStates())
	if err != nil {
		return Listed[Task]{}, err
	}
	return observe(ctx, s, p.ObserveParams, usualListed, mostListed, func(tx Tx, workspaceID, below string, st Stretch) (Walked[Task, string], error) {
		return tx.ObservedTasks(WorkQuery{workspaceID, states, p.Assignee, below}, st)
	})
}

// ObserveArtifactsParams select artifacts.
type ObserveArtifactsParams struct {
	ObserveParams
	Type string `json:"type,omitempty" jsonschema:"only file, text, json or markdown"`
}

// An ObservedArtifact is an artifact without its content.
type ObservedArtifact struct {
	ID          string     `json:"artifact_id"`
	WorkspaceID string     `json:"workspace_id"`
	Type        string     `json:"artifact_type"`
	Name        *string    `json:"name"`
	Stored      string     `json:"stored"`
	Path        *string    `json:"path"`
	Size        int64      `json:"size_bytes"`
	Metadata    nexus.JSON `json:"metadata"`
	CreatedAt   string     `json:"created_at"`
}

// ObserveArtifacts lists artifacts, newest first, without their content.
func (s *Service) ObserveArtifacts(ctx context.Context, p ObserveArtifactsParams) (Listed[ObservedArtifact], error) {
	types, err := oneOf("type", p.Type, ArtifactTypes())
	if err != nil {
		return Listed[ObservedArtifact]{}, err
	}
	return observe(ctx, s, p.ObserveParams, usualListed, mostListed, func(tx Tx, workspaceID, below string, st Stretch) (Walked[ObservedArtifact, string], error) {
		return tx.ObservedArtifacts(WorkQuery{WorkspaceID: workspaceID, States: types, Below: below}, st)
	})
}
