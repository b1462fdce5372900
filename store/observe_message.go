package store

import (
	"encoding/json"
	"strconv"

	"nexus"
	"nexus/bus"
)

// messageWalk is the way to a list of messages: along the index that leads
// straight to most of what is wanted.
func (t *Tx) messageWalk(q bus.MessageQuery) *walk {
	w := &walk{table: "messages", key: "message_id"}
	below, above := w.arg(q.Below), w.arg(q.Above)
	bounds := []string{"message_id < " + below, "message_id > " + above}
	along := func(table, column, value string) {
		from, order := t.dialect().leafed(table, "m", above, below)
		w.alongIn(order, from, append([]string{column + " = " + w.arg(value)}, bounds...)...)
	}
	equals := map[string]string{"workspace_id": q.WorkspaceID, "from_agent_id": q.From, "channel_id": q.ChannelID}
	switch {
	case q.Agent != "":
		along("messages", "from_agent_id", q.Agent)
		along("message_deliveries", "recipient_agent_id", q.Agent)
	case q.To != "":
		along("message_deliveries", "recipient_agent_id", q.To)
	case q.From != "":
		along("messages", "from_agent_id", q.From)
		delete(equals, "from_agent_id")
	case q.WorkspaceID != "":
		w.along("messages", append([]string{"workspace_id = " + w.arg(q.WorkspaceID)}, bounds...)...)
		delete(equals, "workspace_id")
	default:
		w.along("messages", bounds...)
	}
	for _, column := range []string{"workspace_id", "from_agent_id", "channel_id"} {
		if equals[column] != "" {
			w.filter("t." + column + " = " + w.arg(equals[column]))
		}
	}
	if q.Since != "" {
		w.filter("t.created_at >= " + w.arg(q.Since))
	}
	if q.Until != "" {
		w.filter("t.created_at < " + w.arg(q.Until))
	}
	w.filterDeliveries(q)
	return w
}

// filterDeliveries adds what is asked of a message's deliveries.
func (w *walk) filterDeliveries(q bus.MessageQuery) {
	const some = "EXISTS (SELECT 1 FROM message_deliveries d WHERE d.message_id = t.message_id"
	to := func(agent string) string { return some + " AND d.recipient_agent_id = " + w.arg(agent) + ")" }
	if q.Peer != "" {
		w.filter("(t.from_agent_id = " + w.arg(q.Agent) + " AND " + to(q.Peer) +
			" OR t.from_agent_id = " + w.arg(q.Peer) + " AND " + to(q.Agent) + ")")
	}
	if q.Lane != "" {
		recipient := ""
		if q.To != "" {
			recipient = " AND d.recipient_agent_id = " + w.arg(q.To)
		}
		w.filter(some + recipient + " AND " + w.laneIs(q.Lane, q.Now) + ")")
	} else if q.To != "" && q.Agent != "" {
		w.filter(to(q.To))
	}
	if q.Undelivered {
		w.filter("NOT " + some + ")")
	}
}

// laneIs is the condition that a delivery is in a lane at a moment.
func (w *walk) laneIs(lane, now string) string {
	switch lane {
	case bus.Unread:
		return "(d.status = 'unread' OR d.status = 'delivered' AND d.lease_expires_at < " + w.arg(now) + ")"
	case bus.Delivered:
		return "d.status = 'delivered' AND d.lease_expires_at >= " + w.arg(now)
	}
	return "d.status = " + w.arg(lane)
}

const seenColumns = `t.message_id, t.workspace_id, t.channel_id, t.from_agent_id, t.from_session_id, t.target, t.subject, t.artifacts,
	t.parent_message_id, t.created_at, t.provenance`

func scanSeen(r row) (m bus.ObservedMessage, err error) {
	var target, artifacts, provenance json.RawMessage
	err = r.scan(&m.ID, &m.WorkspaceID, &m.ChannelID, &m.FromAgentID, &m.FromSessionID, &target, &m.Subject, &artifacts,
		&m.ParentID, &m.CreatedAt, &provenance, &m.Text)
	m.Target, m.Artifacts = nexus.Object(target), []string{}
	if err == nil && artifacts != nil {
		err = json.Unmarshal(artifacts, &m.Artifacts)
	}
	if err == nil && provenance != nil {
		err = json.Unmarshal(provenance, &m.Provenance)
	}
	return m, err
}

// ObservedMessages is a page of the messages that match, newest first, with as
// much of each body as is asked for.
func (t *Tx) ObservedMessages(q bus.MessageQuery, p bus.Stretch) (bus.Walked[bus.ObservedMessage, string], error) {
	body := "substr(t.body, 1, " + strconv.Itoa(bus.PreviewLength) + ")"
	if q.Bodies {
		body = "t.body"
	}
	return walked(t, t.messageWalk(q), seenColumns+", "+body, p, scanSeen, func(m bus.ObservedMessage) string { return m.ID })
}

// CountMessages counts the messages that match, no further than far or near; see
// [counted].
func (t *Tx) CountMessages(q bus.MessageQuery, far, near int) (n int, more bool, err error) {
	return counted(t, t.messageWalk(q), far, near)
}

// ObservedMessage finds a message with its body.
func (t *Tx) ObservedMessage(id string) (bus.ObservedMessage, bool, error) {
	return first(t, `SELECT `+seenColumns+`, t.body FROM messages t WHERE t.message_id = $1`, args(id), scanSeen)
}

// lastText is behind every text there can be.
const lastText = "\U0010FFFF"

// DeliveriesOfAll tells how messages stand in the inboxes, in one query: of each
// message the first so many, and which messages have more.
func (t *Tx) DeliveriesOfAll(messageIDs []string, most int) (all map[string][]bus.ObservedDelivery, cut map[string]bool, err error) {
	all, cut = map[string][]bus.ObservedDelivery{}, map[string]bool{}
	err = t.query(`
		SELECT d.message_id, CASE WHEN b.bound < $3 THEN 1 ELSE 0 END, d.delivery_id, d.recipient_agent_id, d.status, d.created_at,
			d.attempts, d.delivered_at, d.lease_expires_at, d.read_at
		FROM (
			SELECT m.message_id, coalesce((
				SELECT x.recipient_agent_id FROM message_deliveries x WHERE x.message_id = m.message_id
				ORDER BY x.recipient_agent_id LIMIT 1 OFFSET $2), $3) AS bound
			FROM messages m WHERE `+t.dialect().oneOf("m.message_id", 1)+` LIMIT 1000) AS b
		JOIN message_deliveries d ON d.message_id = b.message_id AND d.recipient_agent_id < b.bound
		ORDER BY d.message_id, d.recipient_agent_id`,
		args(elements(messageIDs), most, lastText), func(r row) error {
			var message string
			var more bool
			var d bus.ObservedDelivery
			err := r.scan(&message, &more, &d.ID, &d.Recipient, &d.Status, &d.CreatedAt, &d.Attempts, &d.DeliveredAt, &d.LeaseExpiresAt, &d.ReadAt)
			all[message] = append(all[message], d)
			if more {
				cut[message] = true
			}
			return err
		})
	return all, cut, err
}

// MessageTexts are the newest messages below a place with all their words, for
// one who searches them.
func (t *Tx) MessageTexts(workspaceID, below string, limit int) ([]bus.MessageText, error) {
	where, a := "message_id < $1", args(below, limit)
	if workspaceID != "" {
		where, a = "workspace_id = $3 AND "+where, append(a, workspaceID)
	}
	return list(t, `SELECT message_id, from_agent_id, subject, body, created_at FROM messages WHERE `+where+` ORDER BY message_id DESC LIMIT $2`, a,
		func(r row) (m bus.MessageText, err error) {
			err = r.scan(&m.ID, &m.FromAgentID, &m.Subject, &m.Body, &m.CreatedAt)
			return m, err
		})
}
