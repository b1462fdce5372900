package store

import (
	"encoding/json"

	"nexus/bus"
)

const taskColumns = `t.task_id, t.workspace_id, t.title, t.description, t.status, t.reason, t.parent_id, t.priority, t.labels,
	t.assignee, t.created_by, t.created_at, t.updated_at`

func scanTask(r row) (v bus.Task, err error) {
	var labels json.RawMessage
	err = r.scan(&v.ID, &v.WorkspaceID, &v.Title, &v.Description, &v.Status, &v.Reason, &v.ParentID, &v.Priority, &labels,
		&v.Assignee, &v.CreatedBy, &v.CreatedAt, &v.UpdatedAt)
	v.Labels, v.DependsOn = []string{}, []string{}
	if err == nil && labels != nil {
		err = json.Unmarshal(labels, &v.Labels)
	}
	return v, err
}

// SaveTask inserts or replaces a task and what it depends on.
func (t *Tx) SaveTask(v bus.Task) error {
	if err := t.send(`
		INSERT INTO tasks (task_id, workspace_id, title, description, status, reason, parent_id, priority, labels, assignee, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, description = excluded.description, status = excluded.status,
			reason = excluded.reason, parent_id = excluded.parent_id, priority = excluded.priority, labels = excluded.labels,
			assignee = excluded.assignee, updated_at = excluded.updated_at`,
		v.ID, v.WorkspaceID, v.Title, v.Description, v.Status, v.Reason, v.ParentID, v.Priority, stringsText(v.Labels),
		v.Assignee, v.CreatedBy, v.CreatedAt, v.UpdatedAt); err != nil {
		return err
	}
	if err := t.send(`DELETE FROM task_dependencies WHERE task_id = $1`, v.ID); err != nil {
		return err
	}
	for _, id := range v.DependsOn {
		if err := t.send(`INSERT INTO task_dependencies (task_id, depends_on_id) VALUES ($1, $2)`, v.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// Task finds a task by id.
func (t *Tx) Task(id string) (bus.Task, bool, error) {
	v, found, err := first(t, `SELECT `+taskColumns+` FROM tasks t WHERE t.task_id = $1`, args(id), scanTask)
	if err != nil || !found {
		return v, found, err
	}
	v.DependsOn, err = t.TaskNeeds(id)
	return v, true, err
}

// TaskNeeds are the tasks that one waits for.
func (t *Tx) TaskNeeds(id string) ([]string, error) {
	return list(t, `SELECT depends_on_id FROM task_dependencies WHERE task_id = $1 ORDER BY depends_on_id`, args(id), text)
}

// Tasks lists tasks, the most urgent and oldest first.
func (t *Tx) Tasks(q bus.TaskQuery) ([]bus.Task, error) {
	ready := 0
	if q.Ready {
		ready = 1
	}
	tasks, err := list(t, `
		SELECT `+taskColumns+` FROM tasks t
		WHERE t.workspace_id = $1 AND ($2 = '' OR t.status = $2) AND ($3 = '' OR t.parent_id = $3) AND ($4 = '' OR t.assignee = $4)
			AND ($5 = '' OR $5 IN (`+t.dialect().elementsOf("t.labels")+`))
			AND ($6 = 0 OR NOT EXISTS (
				SELECT 1 FROM task_dependencies d JOIN tasks o ON o.task_id = d.depends_on_id
				WHERE d.task_id = t.task_id AND o.status NOT IN ('done', 'cancelled')))
			AND (-t.priority, t.task_id) > ($7, $8)
		ORDER BY -t.priority, t.task_id LIMIT $9`,
		args(q.WorkspaceID, q.Status, q.ParentID, q.Assignee, q.Label, ready, q.AfterRank, q.AfterID, q.Limit), scanTask)
	if err != nil || len(tasks) == 0 {
		return tasks, err
	}
	return tasks, t.addNeeds(tasks)
}

// addNeeds fills in what each of the tasks waits for, in one query.
func (t *Tx) addNeeds(tasks []bus.Task) error {
	at := make(map[string]*bus.Task, len(tasks))
	ids := make([]string, len(tasks))
	for i := range tasks {
		at[tasks[i].ID], ids[i] = &tasks[i], tasks[i].ID
	}
	return t.query(`SELECT task_id, depends_on_id FROM task_dependencies WHERE `+t.dialect().oneOf("task_id", 1)+` ORDER BY task_id, depends_on_id`,
		args(elements(ids)), func(r row) error {
			var task, need string
			if err := r.scan(&task, &need); err != nil {
				return err
			}
			at[task].DependsOn = append(at[task].DependsOn, need)
			return nil
		})
}

// OpenHandoffsOf counts the hand-offs of a task that are not finished.
func (t *Tx) OpenHandoffsOf(taskID string) (n int, err error) {
	_, err = t.one(`SELECT count(*) FROM handoffs WHERE task_id = $1 AND status IN ('OPEN', 'CLAIMED', 'VERIFYING', 'PARKED')`, args(taskID), &n)
	return n, err
}
