package bus

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// The states of a task.
const (
	TaskOpen       = "open"
	TaskInProgress = "in_progress"
	TaskBlocked    = "blocked" // with a reason
	TaskDone       = "done"
	TaskCancelled  = "cancelled"

	// taskReady is no state: it selects open tasks that wait for no other.
	taskReady = "ready"
)

// A Task is something to be done, which hand-offs get done.
type Task struct {
	ID          string   `json:"task_id"`
	WorkspaceID string   `json:"workspace_id"`
	Title       string   `json:"title"`
	Description *string  `json:"description"`
	Status      string   `json:"status"`
	Reason      *string  `json:"reason"`
	ParentID    *string  `json:"parent_id"`
	DependsOn   []string `json:"depends_on"`
	Priority    int      `json:"priority"`
	Labels      []string `json:"labels"`
	Assignee    *string  `json:"assignee"`
	CreatedBy   *string  `json:"created_by"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
}

// A WrittenTask is a task as it was just written down.
type WrittenTask struct {
	Task
	Hint
}

type taskRows interface {
	SaveTask(Task) error
	Task(id string) (Task, bool, error)
	Tasks(TaskQuery) ([]Task, error)
	// TaskParents and TaskNeeds are who a task belongs to and what it waits for.
	TaskNeeds(id string) ([]string, error)
	// OpenHandoffsOf counts the hand-offs of a task that are not finished.
	OpenHandoffsOf(taskID string) (int, error)
}

// A TaskQuery selects tasks of a workspace. Blank fields match everything.
type TaskQuery struct {
	WorkspaceID string
	Status      string
	Ready       bool // open, and nothing it depends on is unfinished
	ParentID    string
	Assignee    string
	Label       string
	AfterRank   int
	AfterID     string
	Limit       int
}

// TaskParams describe a task, or what is to change in it.
type TaskParams struct {
	ProjectRoot string    `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	AgentID     string    `json:"agent_id" jsonschema:"you"`
	Title       *string   `json:"title,omitempty" jsonschema:"one line"`
	Description *string   `json:"description,omitempty" jsonschema:"what is to be done"`
	Status      *string   `json:"status,omitempty" jsonschema:"open, in_progress, blocked, done or cancelled"`
	Reason      *string   `json:"reason,omitempty" jsonschema:"why it is blocked or cancelled"`
	ParentID    *string   `json:"parent_id,omitempty" jsonschema:"the task it is a part of"`
	DependsOn   *[]string `json:"depends_on,omitempty" jsonschema:"tasks that must be done first"`
	Priority    *int      `json:"priority,omitempty" jsonschema:"higher is listed first, -100 to 100"`
	Labels      *[]string `json:"labels,omitempty" jsonschema:"words to find it by"`
	Assignee    *string   `json:"assignee,omitempty" jsonschema:"the agent who does it"`
}

// CreateTask notes something to be done.
func (s *Service) CreateTask(ctx context.Context, p TaskParams) (WrittenTask, error) {
	if p.Title == nil || strings.TrimSpace(*p.Title) == "" {
		if strings.TrimSpace(p.ProjectRoot) == "" {
			err := noWorkspace()
			return WrittenTask{}, err
		}
		return WrittenTask{}, nexus.Invalid("title", "title is required.")
	}
	return s.writeTask(ctx, p, func(_ Tx, _ place, now string) (Task, error) {
		return Task{
			ID: s.newID("tsk"), Status: TaskOpen, DependsOn: []string{}, Labels: []string{},
			CreatedBy: &p.AgentID, CreatedAt: now,
		}, nil
	}, "task.created")
}

// UpdateTaskParams name a task and what is to change in it.
type UpdateTaskParams struct {
	TaskID string `json:"task_id" jsonschema:"the task"`
	TaskParams
}

// UpdateTask changes what is given and keeps the rest.
func (s *Service) UpdateTask(ctx context.Context, p UpdateTaskParams) (WrittenTask, error) {
	if strings.TrimSpace(p.ProjectRoot) != "" {
		if err := required("task_id", p.TaskID); err != nil {
			return WrittenTask{}, err
		}
	}
	return s.writeTask(ctx, p.TaskParams, func(tx Tx, at place, _ string) (Task, error) {
		return taskIn(tx, at.id, p.TaskID)
	}, "task.updated")
}

// writeTask loads or makes a task, changes it and stores it. Tasks of one
// workspace change one after another, so that no two changes close a circle.
func (s *Service) writeTask(ctx context.Context, p TaskParams, load func(tx Tx, at place, now string) (Task, error), kind string) (WrittenTask, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return WrittenTask{}, err
	}
	if err := cmp.Or(required("agent_id", p.AgentID), s.actAs(ctx, p.AgentID), s.checkTaskParams(p)); err != nil {
		return WrittenTask{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return WrittenTask{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (w WrittenTask, err error) {
		if err := tx.Lock(tasksLock(at)); err != nil {
			return w, err
		}
		if err := s.enroll(tx, p.AgentID); err != nil {
			return w, err
		}
		if _, err := s.permitted(ctx, tx, p.AgentID, planWork, now); err != nil {
			return w, err
		}
		if _, _, err := s.enterWorkspace(tx, at, now); err != nil {
			return w, err
		}
		if w.Task, err = load(tx, at, nexus.Stamp(now)); err != nil {
			return w, err
		}
		w.WorkspaceID = at.id
		if err := w.apply(p); err != nil {
			return w, err
		}
		if err := checkPlan(tx, w.Task); err != nil {
			return w, err
		}
		if w.Hint, err = s.hint(tx, p.AgentID, now, mostUnread); err != nil {
			return w, err
		}
		return w, s.storeTask(tx, &w.Task, kind, p.AgentID, now)
	})
}

func (s *Service) storeTask(tx Tx, t *Task, kind, by string, now time.Time) error {
	t.UpdatedAt = nexus.Stamp(now)
	if err := tx.SaveTask(*t); err != nil {
		return err
	}
	if err := s.acted(tx, by, now); err != nil {
		return err
	}
	return tx.AppendEvent(&nexus.Event{
		WorkspaceID: t.WorkspaceID, Stream: nexus.StreamWorkspace, Type: kind, Actor: by, TaskID: t.ID,
		Visibility: nexus.VisibilityPublic, CreatedAt: nexus.Stamp(now),
		Payload: mustJSON(map[string]any{
			"task_id": t.ID, "title": t.Title, "status": t.Status, "reason": t.Reason, "assignee": t.Assignee, "priority": t.Priority,
		}),
	})
}

func (s *Service) checkTaskParams(p TaskParams) error {
	if p.Title != nil && len([]rune(*p.Title)) > 500 {
		return nexus.Invalid("title", "title has more than 500 characters.")
	}
	if p.Priority != nil && (*p.Priority < -100 || *p.Priority > 100) {
		return nexus.Invalid("priority", "priority must be between -100 and 100.")
	}
	for field, list := range map[string]*[]string{"depends_on": p.DependsOn, "labels": p.Labels} {
		if list != nil {
			if _, err := wordList(field, *list, 128); err != nil {
				return err
			}
		}
	}
	return cmp.Or(s.fits("description", len(deref(p.Description))), s.fits("reason", len(deref(p.Reason))))
}

// apply changes what is given. An empty text clears a field.
func (t *Task) apply(p TaskParams) error {
	if p.Title != nil {
		if t.Title = strings.TrimSpace(*p.Title); t.Title == "" {
			return nexus.Invalid("title", "title must not be blank.")
		}
	}
	for _, f := range []struct {
		to   **string
		from *string
	}{{&t.Description, p.Description}, {&t.Reason, p.Reason}, {&t.ParentID, p.ParentID}, {&t.Assignee, p.Assignee}} {
		if f.from != nil {
			*f.to = pointer(*f.from)
		}
	}
	if p.DependsOn != nil {
		t.DependsOn = notNil(*p.DependsOn)
	}
	if p.Labels != nil {
		t.Labels = notNil(*p.Labels)
	}
	if p.Priority != nil {
		t.Priority = *p.Priority
	}
	if err := t.move(p); err != nil {
		return err
	}
	if t.Status == TaskBlocked && strings.TrimSpace(deref(t.Reason)) == "" {
		return nexus.Invalid("reason", "reason is required for a blocked task: say what it waits for.")
	}
	return nil
}

// move changes the state of a task. Finished ones can only be opened again.
func (t *Task) move(p TaskParams) error {
	if p.Status == nil {
		return nil
	}
	to := strings.ToLower(strings.TrimSpace(*p.Status))
	to = strings.NewReplacer("-", "_", " ", "_").Replace(to)
	switch {
	case !slices.Contains([]string{TaskOpen, TaskInProgress, TaskBlocked, TaskDone, TaskCancelled}, to):
		return nexus.Invalid("status", "status must be open, in_progress, blocked, done or cancelled.")
	case (t.Status == TaskDone || t.Status == TaskCancelled) && to != t.Status && to != TaskOpen:
		return nexus.Errorf(nexus.InvalidTransition, "Task %q is %s; open it again first.", t.ID, t.Status).With("status", t.Status)
	}
	if to != t.Status && p.Reason == nil {
		t.Reason = nil
	}
	t.Status = to
	return nil
}

// checkPlan refuses a parent or dependency that is not there, is elsewhere, or
// leads back to the task itself.
func checkPlan(tx Tx, t Task) error {
	for _, id := range t.DependsOn {
		if _, err := taskIn(tx, t.WorkspaceID, id); err != nil {
			return err
		}
		if err := noCircle(tx, t.ID, id, map[string]bool{}); err != nil {
			return err
		}
	}
	for parent, steps := t.ParentID, 0; parent != nil; steps++ {
		if *parent == t.ID || steps > 100 {
			return nexus.Invalid("parent_id", "Task %q would be a part of itself.", t.ID)
		}
		above, err := taskIn(tx, t.WorkspaceID, *parent)
		if err != nil {
			return err
		}
		parent = above.ParentID
	}
	return nil
}

// noCircle follows what a task depends on and refuses to come back to the start.
func noCircle(tx Tx, start, id string, seen map[string]bool) error {
	if id == start {
		return nexus.Invalid("depends_on", "Task %q would wait for itself.", start)
	}
	if seen[id] {
		return nil
	}
	seen[id] = true
	needs, err := tx.TaskNeeds(id)
	if err != nil {
		return err
	}
	for _, next := range needs {
		if err := noCircle(tx, start, next, seen); err != nil {
			return err
		}
	}
	return nil
}

func taskIn(tx Tx, workspaceID, id string) (Task, error) {
	t, found, err := tx.Task(id)
	switch {
	case err != nil || !found:
		return t, orNotFound(err, "There is no task %q.", id)
	case t.WorkspaceID != workspaceID:
		return Task{}, nexus.Errorf(nexus.WorkspaceMismatch, "Task %q is in another workspace.", id)
	}
	return t, nil
}

// ReadTaskParams name a task.
type ReadTaskParams struct {
	ProjectRoot string `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	TaskID      string `json:"task_id" jsonschema:"the task"`
	AgentID     string `json:"agent_id,omitempty" jsonschema:"you"`
}

// mayNameItself is actAs for verbs that need not be told who asks.
func (s *Service) mayNameItself(ctx context.Context, agentID string) error {
	if agentID == "" {
		return nil
	}
	return s.actAs(ctx, agentID)
}

// ReadTask is one task.
func (s *Service) ReadTask(ctx context.Context, p ReadTaskParams) (Task, error) {
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return Task{}, err
	}
	if err := cmp.Or(required("task_id", p.TaskID), s.mayNameItself(ctx, p.AgentID)); err != nil {
		return Task{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Task, error) { return taskIn(tx, at.id, p.TaskID) })
}

// ListTasksParams select tasks.
type ListTasksParams struct {
	ProjectRoot string   `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	AgentID     string   `json:"agent_id,omitempty" jsonschema:"you"`
	Status      string   `json:"status,omitempty" jsonschema:"open, in_progress, blocked, done, cancelled, or ready: open with nothing left to wait for"`
	ParentID    string   `json:"parent_id,omitempty" jsonschema:"only parts of this task"`
	Assignee    string   `json:"assignee,omitempty" jsonschema:"only this agent's"`
	Labels      []string `json:"labels,omitempty" jsonschema:"only those with this label"`
	Cursor      string   `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
	Limit       *int     `json:"limit,omitempty" jsonschema:"how many to show, 1 to 500; default 100"`
}

// TaskPage is a page of tasks, the most urgent first.
type TaskPage struct {
	Tasks      []Task  `json:"tasks"`
	NextCursor *string `json:"next_cursor"`
	HasMore    bool    `json:"has_more"`
}

// Tasks lists the tasks of a workspace.
func (s *Service) Tasks(ctx context.Context, p ListTasksParams) (TaskPage, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return TaskPage{}, err
	}
	q := TaskQuery{ParentID: p.ParentID, Assignee: p.Assignee}
	status := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(p.Status)))
	switch {
	case status == taskReady:
		q.Status, q.Ready = TaskOpen, true
	case status == "" || slices.Contains([]string{TaskOpen, TaskInProgress, TaskBlocked, TaskDone, TaskCancelled}, status):
		q.Status = status
	default:
		return TaskPage{}, nexus.Invalid("status", "status must be open, in_progress, blocked, done, cancelled or ready.")
	}
	if len(p.Labels) > 1 {
		return TaskPage{}, nexus.Invalid("labels", "List by one label at a time.")
	}
	if len(p.Labels) == 1 {
		q.Label = p.Labels[0]
	}
	limit, err := pageLimit(p.Limit, usualWork, mostWork)
	if err := cmp.Or(err, s.mayNameItself(ctx, p.AgentID)); err != nil {
		return TaskPage{}, err
	}
	q.Limit = limit + 1
	if q.AfterRank, q.AfterID, err = workCursor(p.Cursor); err != nil {
		return TaskPage{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return TaskPage{}, err
	}
	q.WorkspaceID = at.id
	return nexus.View(ctx, s.store, func(tx Tx) (TaskPage, error) {
		all, err := tx.Tasks(q)
		if err != nil || len(all) <= limit {
			return TaskPage{Tasks: all}, err
		}
		last := all[limit-1]
		return TaskPage{all[:limit], pointer(workPlace(last.Priority, last.ID)), true}, nil
	})
}

// checkTask refuses a hand-off of a task that is not there or is finished.
func (s *Service) checkTask(tx Tx, h Handoff) error {
	if h.TaskID == nil {
		return nil
	}
	t, err := taskIn(tx, h.WorkspaceID, *h.TaskID)
	if err == nil && (t.Status == TaskDone || t.Status == TaskCancelled) {
		err = nexus.Errorf(nexus.InvalidTransition, "Task %q is %s.", t.ID, t.Status).With("status", t.Status)
	}
	return err
}

// completeTaskOf ends the task of a hand-off if no other one is left open.
func (s *Service) completeTaskOf(tx Tx, h Handoff, by string, now time.Time) error {
	if h.TaskID == nil {
		return nil
	}
	left, err := tx.OpenHandoffsOf(*h.TaskID)
	if err != nil || left > 0 {
		return err
	}
	t, found, err := tx.Task(*h.TaskID)
	if err != nil || !found || t.Status == TaskDone || t.Status == TaskCancelled {
		return err
	}
	t.Status, t.Reason = TaskDone, nil
	return s.storeTask(tx, &t, "task.updated", by, now)
}
