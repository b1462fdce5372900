package store

import (
	"encoding/json"

	"nexus"
	"nexus/hub"
)

var _ hub.Tx = (*Tx)(nil)

const webhookColumns = `webhook_id, name, url, secret, event_types, workspace_id, is_active, disabled_reason, position, failures, due_at, held_by, held_until, created_at, updated_at`

func scanWebhook(r row) (w hub.Webhook, err error) {
	var events json.RawMessage
	if err := r.scan(&w.ID, &w.Name, &w.URL, &w.Secret, &events, &w.Workspace, &w.IsActive, &w.DisabledReason, &w.Position, &w.Failures,
		&w.DueAt, &w.HeldBy, &w.HeldUntil, &w.CreatedAt, &w.UpdatedAt); err != nil {
		return w, err
	}
	return w, json.Unmarshal(events, &w.Events)
}

// Webhook finds a webhook by id.
func (t *Tx) Webhook(id string) (hub.Webhook, bool, error) {
	return first(t, `SELECT `+webhookColumns+` FROM webhooks WHERE webhook_id = $1`, args(id), scanWebhook)
}

// Webhooks are all of them, in the order in which they were made.
func (t *Tx) Webhooks() ([]hub.Webhook, error) {
	return list(t, `SELECT `+webhookColumns+` FROM webhooks ORDER BY webhook_id`, nil, scanWebhook)
}

// InsertWebhook adds a webhook.
func (t *Tx) InsertWebhook(w hub.Webhook) error {
	return t.send(`INSERT INTO webhooks (`+webhookColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		w.ID, w.Name, w.URL, w.Secret, elements(w.Events), w.Workspace, w.IsActive, w.DisabledReason, w.Position, w.Failures,
		w.DueAt, orNull(w.HeldBy), orNull(w.HeldUntil), w.CreatedAt, w.UpdatedAt)
}

// UpdateWebhook writes what operators change.
func (t *Tx) UpdateWebhook(w hub.Webhook) error {
	return t.send(`
		UPDATE webhooks SET name = $2, url = $3, secret = $4, event_types = $5, workspace_id = $6, is_active = $7, disabled_reason = $8,
			failures = $9, due_at = $10, updated_at = $11
		WHERE webhook_id = $1`,
		w.ID, w.Name, w.URL, w.Secret, elements(w.Events), w.Workspace, w.IsActive, w.DisabledReason, w.Failures, w.DueAt, w.UpdatedAt)
}

// DeleteWebhook deletes a webhook and its attempts.
func (t *Tx) DeleteWebhook(id string) error {
	return t.send(`DELETE FROM webhooks WHERE webhook_id = $1`, id)
}

// HoldWebhook is one statement, so that two nodes can never hold the same one.
func (t *Tx) HoldWebhook(id, node, now, until string) (bool, error) {
	n, err := t.exec(`
		UPDATE webhooks SET held_by = $2, held_until = $4
		WHERE webhook_id = $1 AND is_active = 1 AND due_at <= $3 AND (held_by IS NULL OR held_by = $2 OR held_until < $3)`,
		id, node, now, until)
	return n == 1, err
}

// ReleaseWebhooks lets go of all that a node holds.
func (t *Tx) ReleaseWebhooks(node string) (bool, error) {
	n, err := t.exec(`UPDATE webhooks SET held_by = NULL, held_until = NULL WHERE held_by = $1`, node)
	return n > 0, err
}

// SettleWebhook writes what an attempt changed, if the node still holds it.
func (t *Tx) SettleWebhook(w hub.Webhook) (bool, error) {
	n, err := t.exec(`
		UPDATE webhooks SET position = $3, failures = $4, due_at = $5, is_active = $6, disabled_reason = $7, held_until = $8, updated_at = $9
		WHERE webhook_id = $1 AND held_by = $2`,
		w.ID, w.HeldBy, w.Position, w.Failures, w.DueAt, w.IsActive, w.DisabledReason, w.HeldUntil, w.UpdatedAt)
	return n == 1, err
}

// AdvanceWebhook moves the position on, if nobody else has moved it and the
// webhook is still what it was.
func (t *Tx) AdvanceWebhook(w hub.Webhook, to int64) (bool, error) {
	n, err := t.exec(`UPDATE webhooks SET position = $4 WHERE webhook_id = $1 AND position = $2 AND updated_at = $3`,
		w.ID, w.Position, w.UpdatedAt, to)
	return n == 1, err
}

const attemptColumns = `attempt_id, webhook_id, event_id, event_type, attempt, status, error, took_ms, created_at`

// InsertWebhookAttempt notes an attempt and throws away all but the newest.
func (t *Tx) InsertWebhookAttempt(a hub.WebhookAttempt, keep int) error {
	if err := t.send(`INSERT INTO webhook_attempts (`+attemptColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, a.WebhookID, valueOrNull(a.EventID), a.EventType, a.Attempt, valueOrNull(a.Status), a.Error, a.TookMS, a.CreatedAt); err != nil {
		return err
	}
	return t.send(`
		DELETE FROM webhook_attempts WHERE webhook_id = $1 AND attempt_id <= (
			SELECT attempt_id FROM webhook_attempts WHERE webhook_id = $1 ORDER BY attempt_id DESC LIMIT 1 OFFSET $2)`,
		a.WebhookID, keep)
}

// WebhookAttempts are those before an id, newest first.
func (t *Tx) WebhookAttempts(webhookID, before string, limit int) ([]hub.WebhookAttempt, error) {
	return list(t, `
		SELECT `+attemptColumns+` FROM webhook_attempts
		WHERE webhook_id = $1 AND attempt_id < $2 ORDER BY attempt_id DESC LIMIT $3`,
		args(webhookID, before, limit), func(r row) (a hub.WebhookAttempt, err error) {
			var event int64
			var status int
			err = r.scan(&a.ID, &a.WebhookID, &event, &a.EventType, &a.Attempt, &status, &a.Error, &a.TookMS, &a.CreatedAt)
			if event != 0 {
				a.EventID = &event
			}
			if status != 0 {
				a.Status = &status
			}
			return a, err
		})
}

// valueOrNull keeps nothing as NULL.
func valueOrNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// EventHeads are the events after a number, without what they say.
func (t *Tx) EventHeads(after int64, limit int) ([]nexus.Event, error) {
	return list(t, `SELECT event_id, workspace_id, stream, type FROM events WHERE event_id > $1 ORDER BY event_id LIMIT $2`,
		args(after, limit), func(r row) (e nexus.Event, err error) {
			err = r.scan(&e.ID, &e.WorkspaceID, &e.Stream, &e.Type)
			return e, err
		})
}

// LogEvent finds an event by its number.
func (t *Tx) LogEvent(id int64) (nexus.Event, bool, error) {
	return first(t, `SELECT `+eventColumns+` FROM events WHERE event_id = $1`, args(id), scanEvent)
}

// WorkspaceExists tells whether there is a workspace of that id.
func (t *Tx) WorkspaceExists(id string) (bool, error) {
	return t.one(`SELECT 1 FROM workspaces WHERE workspace_id = $1`, args(id))
}
