package store

import (
	"encoding/json"
	"slices"
	"strings"

	"nexus"
	"nexus/bus"
)

const inboxColumns = `d.delivery_id, d.message_id, d.status, d.delivered_at, d.lease_expires_at, d.read_at, d.attempts,
	m.from_agent_id, m.workspace_id, m.channel_id, m.subject, m.body, m.target, m.artifacts, m.created_at, m.provenance`

const inboxTables = ` FROM message_deliveries d JOIN messages m ON m.message_id = d.message_id `

func scanInbox(r row) (m bus.InboxMessage, err error) {
	var target, artifacts, provenance json.RawMessage
	err = r.scan(&m.DeliveryID, &m.MessageID, &m.Status, &m.DeliveredAt, &m.LeaseExpiresAt, &m.ReadAt, &m.Attempts,
		&m.FromAgentID, &m.WorkspaceID, &m.ChannelID, &m.Subject, &m.Body, &target, &artifacts, &m.CreatedAt, &provenance)
	m.Target, m.Artifacts = nexus.Object(target), []string{}
	if err == nil && artifacts != nil {
		err = json.Unmarshal(artifacts, &m.Artifacts)
	}
	if err == nil && provenance != nil {
		err = json.Unmarshal(provenance, &m.Provenance)
	}
	return m, err
}

// ClaimDeliveries first reads what can be taken, in a way that no other claimant
// reads the same: SQLite has one writer, PostgreSQL skips rows that are locked.
func (t *Tx) ClaimDeliveries(c bus.Claim) (taken []bus.InboxMessage, parked []string, err error) {
	waiting, err := list(t, `SELECT `+inboxColumns+inboxTables+`
		WHERE d.recipient_agent_id = $1 AND d.status IN ('unread', 'delivered') AND (d.status = 'unread' OR d.lease_expires_at < $2)
		ORDER BY d.delivery_id LIMIT $3 `+t.dialect().takeDelivery, args(c.AgentID, c.Now, c.Limit), scanInbox)
	taken = []bus.InboxMessage{}
	var lease, leave []string
	for _, m := range waiting {
		if m.Attempts >= c.MaxAttempts {
			parked, leave = append(parked, m.MessageID), append(leave, m.DeliveryID)
			continue
		}
		m.Status, m.DeliveredAt, m.LeaseExpiresAt = bus.Delivered, &c.Now, &c.Until
		taken, lease = append(taken, m), append(lease, m.DeliveryID)
	}
	if err == nil && len(lease) > 0 {
		these, ids := t.dialect().among("delivery_id", 1, lease)
		err = t.send(`UPDATE message_deliveries SET status = 'delivered', delivered_at = $2, lease_expires_at = $3, attempts = attempts + 1 WHERE `+these,
			ids, c.Now, c.Until)
	}
	if err == nil && len(leave) > 0 {
		these, ids := t.dialect().among("delivery_id", 1, leave)
		err = t.send(`UPDATE message_deliveries SET status = 'parked', lease_expires_at = NULL WHERE `+these, ids)
	}
	return taken, parked, err
}

// AckDeliveries settles what is unread or in flight.
func (t *Tx) AckDeliveries(agentID string, messageIDs []string, at string) ([]string, error) {
	these, ids := t.dialect().among("message_id", 2, messageIDs)
	return t.settle(`
		UPDATE message_deliveries SET status = 'read', read_at = $3, lease_expires_at = NULL
		WHERE recipient_agent_id = $1 AND `+these+` AND status IN ('unread', 'delivered')`, messageIDs, agentID, ids, at)
}

// settle runs an UPDATE of the deliveries of messages and says of which it changed
// one. Of a single one the count tells, which costs half of what asking does.
func (t *Tx) settle(update string, messageIDs []string, args ...any) ([]string, error) {
	if len(messageIDs) == 1 {
		n, err := t.exec(update, args...)
		return messageIDs[:n], err
	}
	changed, err := list(t, update+` RETURNING message_id`, args, text)
	slices.Sort(changed)
	return changed, err
}

// ExtendDeliveries renews leases that have not lapsed.
func (t *Tx) ExtendDeliveries(agentID string, messageIDs []string, now, until string) (int, error) {
	these, ids := t.dialect().among("message_id", 2, messageIDs)
	n, err := t.exec(`
		UPDATE message_deliveries SET lease_expires_at = $4
		WHERE recipient_agent_id = $1 AND `+these+` AND status = 'delivered' AND lease_expires_at >= $3`,
		agentID, ids, now, until)
	return int(n), err
}

const stateColumns = `message_id, recipient_agent_id, status, attempts, lease_expires_at, read_at`

func scanState(r row) (s bus.DeliveryState, err error) {
	err = r.scan(&s.MessageID, &s.Recipient, &s.Status, &s.Attempts, &s.LeaseExpiresAt, &s.ReadAt)
	return s, err
}

// DeliveryStates tells how messages stand in one inbox.
func (t *Tx) DeliveryStates(agentID string, messageIDs []string) ([]bus.DeliveryState, error) {
	these, ids := t.dialect().among("message_id", 2, messageIDs)
	return list(t, `SELECT `+stateColumns+` FROM message_deliveries WHERE recipient_agent_id = $1 AND `+these, args(agentID, ids), scanState)
}

// DeliveriesOf tells how one message stands in every inbox.
func (t *Tx) DeliveriesOf(messageID string) ([]bus.DeliveryState, error) {
	return list(t, `SELECT `+stateColumns+` FROM message_deliveries WHERE message_id = $1 ORDER BY recipient_agent_id`, args(messageID), scanState)
}

// Senders tells whose messages these are, and from where.
func (t *Tx) Senders(messageIDs []string) ([]bus.Message, error) {
	these, ids := t.dialect().among("message_id", 1, messageIDs)
	return list(t, `SELECT message_id, workspace_id, from_agent_id, provenance FROM messages WHERE `+these+` ORDER BY message_id`,
		args(ids), func(r row) (m bus.Message, err error) {
			var provenance json.RawMessage
			err = r.scan(&m.ID, &m.WorkspaceID, &m.FromAgentID, &provenance)
			if err == nil && provenance != nil {
				err = json.Unmarshal(provenance, &m.Provenance)
			}
			return m, err
		})
}

// PendingDeliveries are those that wait or are in flight, oldest first.
func (t *Tx) PendingDeliveries(agentID string, limit int) ([]bus.InboxMessage, error) {
	return list(t, `SELECT `+inboxColumns+inboxTables+`
		WHERE d.recipient_agent_id = $1 AND d.status IN ('unread', 'delivered') ORDER BY d.delivery_id LIMIT $2`, args(agentID, limit), scanInbox)
}

// ParkedDeliveries are those that were handed out too often, oldest first.
func (t *Tx) ParkedDeliveries(agentID string, limit int) ([]bus.InboxMessage, error) {
	return list(t, `SELECT `+inboxColumns+inboxTables+`
		WHERE d.recipient_agent_id = $1 AND d.status = 'parked' ORDER BY d.delivery_id LIMIT $2`, args(agentID, limit), scanInbox)
}

// CountDeliveries counts an inbox by lane, as it stands at a moment.
func (t *Tx) CountDeliveries(agentID, now string) (c bus.LaneCounts, err error) {
	if _, err = t.one(`
		SELECT coalesce(sum(CASE WHEN status = 'unread' OR lease_expires_at < $2 THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN status = 'delivered' AND lease_expires_at >= $2 THEN 1 ELSE 0 END), 0)
		FROM message_deliveries WHERE recipient_agent_id = $1 AND status IN ('unread', 'delivered')`,
		args(agentID, now), &c.Unread, &c.InFlight); err != nil {
		return c, err
	}
	_, err = t.one(`SELECT count(*) FROM message_deliveries WHERE recipient_agent_id = $1 AND status = 'read'`, args(agentID), &c.Read)
	return c, err
}

// CountUnread counts what is claimable, up to a limit. It begins at the newest end of
// the inbox, which is where mail comes in and so is in the cache anyway.
func (t *Tx) CountUnread(agentID, now string, most int) (n int, err error) {
	_, err = t.one(`
		SELECT count(*) FROM (
			SELECT 1 FROM message_deliveries
			WHERE recipient_agent_id = $1 AND status IN ('unread', 'delivered') AND (status = 'unread' OR lease_expires_at < $2)
			ORDER BY delivery_id DESC LIMIT $3) AS waiting`, args(agentID, now, most), &n)
	return n, err
}

// NextLapse is when the first lease of an inbox ends.
func (t *Tx) NextLapse(agentID string) (at string, err error) {
	_, err = t.one(`SELECT min(lease_expires_at) FROM message_deliveries WHERE recipient_agent_id = $1 AND status IN ('unread', 'delivered')`,
		args(agentID), &at)
	return at, err
}

// RequeueDeliveries offers parked deliveries again.
func (t *Tx) RequeueDeliveries(agentID string, messageIDs []string) ([]string, error) {
	these, ids := t.dialect().among("message_id", 2, messageIDs)
	return t.settle(`
		UPDATE message_deliveries SET status = 'unread', attempts = 0, delivered_at = NULL, lease_expires_at = NULL
		WHERE recipient_agent_id = $1 AND `+these+` AND status = 'parked'`, messageIDs, agentID, ids)
}

// ReadDeliveries pages backwards through what was read.
func (t *Tx) ReadDeliveries(agentID, readAt, deliveryID string, limit int) ([]bus.InboxMessage, error) {
	return list(t, `SELECT `+inboxColumns+inboxTables+`
		WHERE d.recipient_agent_id = $1 AND d.status = 'read' AND (d.read_at, d.delivery_id) < ($2, $3)
		ORDER BY d.read_at DESC, d.delivery_id DESC LIMIT $4`, args(agentID, readAt, deliveryID, limit), scanInbox)
}

// elements is a list as one argument, for [dialect.oneOf].
func elements(list []string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(list) // strings always encode
	return b.String()
}
