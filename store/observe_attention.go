package store

import (
	"encoding/json"

	"nexus"
	"nexus/bus"
)

const lightHandoffColumns = `t.handoff_id, t.workspace_id, t.status, t.from_agent_id, t.target, t.claimed_by, t.lease_expires_at, t.expires_at,
	t.created_at, t.updated_at`

// scanLightHandoff reads a hand-off without what it is about.
func scanLightHandoff(r row) (h bus.Handoff, err error) {
	var target json.RawMessage
	err = r.scan(&h.ID, &h.WorkspaceID, &h.Status, &h.FromAgentID, &target, &h.ClaimedBy, &h.LeaseExpiresAt, &h.ExpiresAt, &h.CreatedAt, &h.UpdatedAt)
	h.Target = nexus.Object(target)
	return h, err
}

// OldestHandoffs are those of a state without what they are about, the oldest
// first; of the open ones only those that wait for no other.
func (t *Tx) OldestHandoffs(q bus.WorkQuery, p bus.Stretch) (bus.Walked[bus.Handoff, string], error) {
	w := stated{"handoffs", "handoff_id", "status", bus.HandoffStates(), true}.walk(q)
	w.ascending = true
	w.filter("t.blocked = 0")
	return walked(t, w, lightHandoffColumns, p, scanLightHandoff, func(h bus.Handoff) string { return h.ID })
}

// LapsingHandoffs are those whose lease ends before a moment, without what they
// are about, the first to end first. The index of leases is by workspace.
func (t *Tx) LapsingHandoffs(workspaceID, before string, limit int) ([]bus.Handoff, error) {
	from, where, a := "workspaces w CROSS JOIN handoffs t", "t.workspace_id = w.workspace_id", args(before, limit)
	if workspaceID != "" {
		from, where, a = "handoffs t", "t.workspace_id = $3", append(a, workspaceID)
	}
	return list(t, `SELECT `+lightHandoffColumns+` FROM `+from+` WHERE `+where+` AND t.status = 'CLAIMED' AND t.lease_expires_at < $1
		ORDER BY t.lease_expires_at LIMIT $2`, a, scanLightHandoff)
}

// HandoffPayloads are what hand-offs are about.
func (t *Tx) HandoffPayloads(ids []string) (map[string]string, error) {
	all := make(map[string]string, len(ids))
	return all, t.query(`SELECT handoff_id, payload FROM handoffs WHERE `+t.dialect().oneOf("handoff_id", 1), args(elements(ids)), func(r row) error {
		var id, payload string
		err := r.scan(&id, &payload)
		all[id] = payload
		return err
	})
}

// LastHeard tells when registered agents last acted or were heard of.
func (t *Tx) LastHeard(agentIDs []string) (map[string]string, error) {
	all := make(map[string]string, len(agentIDs))
	return all, t.query(`
		SELECT a.agent_id, a.last_seen_at, (SELECT max(s.last_heartbeat_at) FROM sessions s WHERE s.agent_id = a.agent_id AND s.status = 'active')
		FROM agents a WHERE `+t.dialect().oneOf("a.agent_id", 1), args(elements(agentIDs)), func(r row) error {
		var id, seen, heartbeat string
		err := r.scan(&id, &seen, &heartbeat)
		all[id] = max(seen, heartbeat)
		return err
	})
}

// ParkedMail is the parked mail of every inbox that has some, by name, of each
// the newest look. It leaps from inbox to inbox along the index of parked mail.
func (t *Tx) ParkedMail(workspaceID string, look, limit int) ([]bus.MailPile, error) {
	here, a := "", args(look, limit)
	if workspaceID != "" {
		here, a = " JOIN messages m ON m.message_id = p.message_id AND m.workspace_id = $3", append(a, workspaceID)
	}
	of := func(what string) string {
		return `(SELECT ` + what + ` FROM (
			SELECT d.delivery_id, d.message_id FROM message_deliveries d WHERE d.recipient_agent_id = inboxes.agent AND d.status = 'parked'
			ORDER BY d.delivery_id DESC LIMIT $1) AS p` + here + `)`
	}
	oldest := map[string]string{}
	piles, err := list(t, `
		WITH RECURSIVE inboxes (agent) AS (
			SELECT min(recipient_agent_id) FROM message_deliveries WHERE status = 'parked'
			UNION ALL
			SELECT (SELECT min(d.recipient_agent_id) FROM message_deliveries d WHERE d.status = 'parked' AND d.recipient_agent_id > inboxes.agent)
			FROM inboxes WHERE inboxes.agent IS NOT NULL)
		SELECT agent, `+of("count(*)")+`, `+of("max(p.delivery_id)")+`, `+of("min(p.delivery_id)")+`
		FROM inboxes WHERE agent IS NOT NULL ORDER BY agent LIMIT $2`, a,
		func(r row) (m bus.MailPile, err error) {
			var first string
			err = r.scan(&m.AgentID, &m.Count, &m.DeliveryID, &first)
			oldest[m.DeliveryID] = first
			return m, err
		})
	if err != nil || len(piles) == 0 {
		return piles, err
	}
	return t.describePiles(piles, oldest)
}

// describePiles fills in what is known of the newest and the oldest delivery of
// each pile, and leaves out those that hold nothing.
func (t *Tx) describePiles(piles []bus.MailPile, oldest map[string]string) ([]bus.MailPile, error) {
	var ids []string
	for _, m := range piles {
		ids = append(ids, m.DeliveryID, oldest[m.DeliveryID])
	}
	known := map[string]bus.MailPile{}
	err := t.query(pilesFrom("message_deliveries")+`WHERE `+t.dialect().oneOf("delivery_id", 1),
		args(elements(ids)), func(r row) error {
			m, err := scanPile(r)
			known[m.DeliveryID] = m
			return err
		})
	described := []bus.MailPile{}
	for _, m := range piles {
		if m.Count > 0 {
			newest := known[m.DeliveryID]
			m.MessageID, m.WorkspaceID, m.Subject = newest.MessageID, newest.WorkspaceID, newest.Subject
			m.Since = known[oldest[m.DeliveryID]].Since
			described = append(described, m)
		}
	}
	return described, err
}

// pilesFrom selects piles of one from deliveries and their messages.
func pilesFrom(deliveries string) string {
	return `SELECT m.from_agent_id, m.workspace_id, m.message_id, delivery_id, m.subject, deliveries.created_at
		FROM ` + deliveries + ` AS deliveries JOIN messages m ON m.message_id = deliveries.message_id `
}

// scanPile reads one delivery as a pile of one, of who wrote it.
func scanPile(r row) (m bus.MailPile, err error) {
	m.Count = 1
	err = r.scan(&m.AgentID, &m.WorkspaceID, &m.MessageID, &m.DeliveryID, &m.Subject, &m.Since)
	return m, err
}

// UnreadMail is the newest mail that an inbox has waiting or in flight, newest
// first.
func (t *Tx) UnreadMail(agentID, workspaceID string, limit int) ([]bus.MailPile, error) {
	here, a := "", args(agentID, limit)
	if workspaceID != "" {
		here, a = "WHERE m.workspace_id = $3", append(a, workspaceID)
	}
	return list(t, pilesFrom(`(
			SELECT delivery_id, message_id, created_at FROM message_deliveries
			WHERE recipient_agent_id = $1 AND status IN ('unread', 'delivered') ORDER BY delivery_id DESC LIMIT $2)`)+here+
		` ORDER BY delivery_id DESC`, a, scanPile)
}
