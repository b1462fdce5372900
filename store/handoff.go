package store

import (
	"encoding/json"

	"nexus"
	"nexus/bus"
)

const handoffColumns = `h.handoff_id, h.workspace_id, h.task_id, h.from_agent_id, h.from_session_id, h.target, h.visibility, h.status,
	h.claimed_by, h.claimed_session_id, h.lease_expires_at, h.attempt, h.attempts_before, h.max_attempts, h.priority, h.blocked,
	h.expires_at, h.payload, h.result, h.rejected_reason, h.acceptance_criteria, h.verify_by, h.feedback, h.completes_task, h.created_at, h.updated_at`

func scanHandoff(r row) (h bus.Handoff, err error) {
	var target, criteria, verifyBy json.RawMessage
	err = r.scan(&h.ID, &h.WorkspaceID, &h.TaskID, &h.FromAgentID, &h.FromSessionID, &target, &h.Visibility, &h.Status,
		&h.ClaimedBy, &h.ClaimedSessionID, &h.LeaseExpiresAt, &h.Attempt, &h.AttemptsBefore, &h.MaxAttempts, &h.Priority, &h.WaitsFor,
		&h.ExpiresAt, &h.Payload, &h.Result, &h.RejectedReason, &criteria, &verifyBy, &h.Feedback, &h.CompletesTask, &h.CreatedAt, &h.UpdatedAt)
	h.Target, h.VerifyBy = nexus.Object(target), nexus.Object(verifyBy)
	h.Read = bus.HandoffVersion{Status: h.Status, Attempt: h.Attempt, Lease: h.LeaseExpiresAt}
	if err == nil && criteria != nil {
		err = json.Unmarshal(criteria, &h.Criteria)
	}
	return h, err
}

// Handoff finds a hand-off by id.
func (t *Tx) Handoff(id string) (bus.Handoff, bool, error) {
	h, found, err := first(t, `SELECT `+handoffColumns+` FROM handoffs h WHERE h.handoff_id = $1`, args(id), scanHandoff)
	if err != nil || !found {
		return h, found, err
	}
	h.DependsOn, err = list(t, `SELECT depends_on_id FROM handoff_dependencies WHERE handoff_id = $1 ORDER BY depends_on_id`, args(id), text)
	return h, true, err
}

// InsertHandoff stores a new hand-off and what it depends on.
func (t *Tx) InsertHandoff(h bus.Handoff) error {
	if err := t.send(`
		INSERT INTO handoffs (handoff_id, workspace_id, task_id, from_agent_id, from_session_id, target, visibility, status,
			max_attempts, priority, blocked, expires_at, payload, acceptance_criteria, verify_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		h.ID, h.WorkspaceID, h.TaskID, h.FromAgentID, h.FromSessionID, jsonText(nexus.JSON(h.Target)), h.Visibility, h.Status,
		h.MaxAttempts, h.Priority, h.WaitsFor, h.ExpiresAt, h.Payload, stringsText(h.Criteria), jsonText(nexus.JSON(h.VerifyBy)),
		h.CreatedAt, h.UpdatedAt); err != nil {
		return err
	}
	for _, id := range h.DependsOn {
		if err := t.send(`INSERT INTO handoff_dependencies (handoff_id, depends_on_id) VALUES ($1, $2)`, h.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// UpdateHandoff changes a hand-off only if it is still as it was read: of two
// claimants one finds it changed, and a lease that was renewed does not lapse.
func (t *Tx) UpdateHandoff(h bus.Handoff) (bool, error) {
	n, err := t.exec(`
		UPDATE handoffs SET status = $5, claimed_by = $6, claimed_session_id = $7, lease_expires_at = $8, attempt = $9,
			attempts_before = $10, expires_at = $11, result = $12, rejected_reason = $13, feedback = $14, completes_task = $15, updated_at = $16
		WHERE handoff_id = $1 AND status = $2 AND attempt = $3 AND lease_expires_at IS NOT DISTINCT FROM $4`,
		h.ID, h.Read.Status, h.Read.Attempt, h.Read.Lease, h.Status, h.ClaimedBy, h.ClaimedSessionID, h.LeaseExpiresAt, h.Attempt,
		h.AttemptsBefore, h.ExpiresAt, h.Result, h.RejectedReason, h.Feedback, h.CompletesTask, h.UpdatedAt)
	return n == 1, err
}

// InsertOffers offers a hand-off. What is offered already stays so.
func (t *Tx) InsertOffers(h bus.Handoff, offers []bus.Offer) error {
	for _, o := range offers {
		if err := t.send(`
			INSERT INTO handoff_offers (workspace_id, offered_to, rank, handoff_id, opens_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT DO NOTHING`,
			h.WorkspaceID, o.To, -h.Priority, h.ID, o.OpensAt); err != nil {
			return err
		}
	}
	return nil
}

// DropOffers ends a hand-off's offers.
func (t *Tx) DropOffers(handoffID string) error {
	return t.send(`DELETE FROM handoff_offers WHERE handoff_id = $1`, handoffID)
}

// OfferedHandoffs reads the offers of one key in their order, and nothing that
// is not for it.
func (t *Tx) OfferedHandoffs(q bus.OfferQuery) ([]bus.Handoff, error) {
	return list(t, `
		SELECT `+handoffColumns+` FROM handoff_offers o JOIN handoffs h ON h.handoff_id = o.handoff_id
		WHERE o.workspace_id = $1 AND o.offered_to = $2 AND (o.rank, o.handoff_id) > ($3, $4) AND o.opens_at <= $5
		ORDER BY o.rank, o.handoff_id LIMIT $6`,
		args(q.WorkspaceID, q.To, q.AfterRank, q.AfterID, q.Now, q.Limit), scanHandoff)
}

// NextOffer is the next moment at which something becomes available by itself.
func (t *Tx) NextOffer(workspaceID string, keys []string, now string) (next string, err error) {
	if _, err := t.one(`SELECT min(lease_expires_at) FROM handoffs WHERE workspace_id = $1 AND status = 'CLAIMED'`, args(workspaceID), &next); err != nil {
		return "", err
	}
	for _, key := range keys {
		var at string
		if _, err := t.one(`
			SELECT min(opens_at) FROM handoff_offers WHERE workspace_id = $1 AND offered_to = $2 AND opens_at <> '' AND opens_at >= $3`,
			args(workspaceID, key, now), &at); err != nil {
			return "", err
		}
		if at != "" && (next == "" || at < next) {
			next = at
		}
	}
	return next, nil
}

// OverdueHandoffs are those whose lease or time is over, by id. A lease that ends
// now still holds; a deadline that is reached is over.
func (t *Tx) OverdueHandoffs(workspaceID, now string, limit int) ([]bus.Handoff, error) {
	overdue, err := list(t, `
		SELECT handoff_id FROM handoffs WHERE workspace_id = $1 AND status = 'CLAIMED' AND lease_expires_at < $2
		UNION ALL
		SELECT handoff_id FROM handoffs WHERE workspace_id = $1 AND status = 'OPEN' AND expires_at IS NOT NULL AND expires_at <= $2
		LIMIT $3`, args(workspaceID, now, limit), text)
	if err != nil || len(overdue) == 0 { // as nearly always
		return nil, err
	}
	these, ids := t.dialect().among("h.handoff_id", 1, overdue)
	return list(t, `SELECT `+handoffColumns+` FROM handoffs h WHERE `+these+` ORDER BY h.handoff_id`, args(ids), scanHandoff)
}

// WorkDues tells of each workspace when the first lease or offer ends.
func (t *Tx) WorkDues() ([]bus.WorkDue, error) {
	return list(t, `
		SELECT workspace_id, min(due) FROM (
			SELECT w.workspace_id, (SELECT min(h.lease_expires_at) FROM handoffs h
				WHERE h.workspace_id = w.workspace_id AND h.status = 'CLAIMED') AS due FROM workspaces w
			UNION ALL
			SELECT w.workspace_id, (SELECT min(h.expires_at) FROM handoffs h
				WHERE h.workspace_id = w.workspace_id AND h.status = 'OPEN' AND h.expires_at IS NOT NULL) FROM workspaces w) AS dues
		WHERE due IS NOT NULL GROUP BY workspace_id`, nil, func(r row) (w bus.WorkDue, err error) {
		err = r.scan(&w.WorkspaceID, &w.At)
		return w, err
	})
}

// Dependents are the hand-offs that wait for another one, by id.
func (t *Tx) Dependents(handoffID string) ([]string, error) {
	return list(t, `SELECT handoff_id FROM handoff_dependencies WHERE depends_on_id = $1 ORDER BY handoff_id`, args(handoffID), text)
}

// Unblock notes that one dependency of a hand-off is completed.
func (t *Tx) Unblock(handoffID string) (left int, err error) {
	err = t.query(`UPDATE handoffs SET blocked = blocked - 1 WHERE handoff_id = $1 AND blocked > 0 RETURNING blocked`, args(handoffID),
		func(r row) error { return r.scan(&left) })
	return left, err
}

// CountAgents counts the registry. The operator gives work and takes none.
func (t *Tx) CountAgents() (n int, err error) {
	_, err = t.one(`SELECT count(*) FROM agents WHERE agent_id <> $1`, args(nexus.OperatorID), &n)
	return n, err
}
