package store

import (
	"strconv"

	"nexus/bus"
)

// GraphNodes are all agents, by name, as far as they are known without counting.
func (t *Tx) GraphNodes() ([]bus.GraphNode, error) {
	return list(t, `
		SELECT a.agent_id, a.role, a.capabilities, a.is_active, a.last_seen_at,
			CASE WHEN EXISTS (SELECT 1 FROM api_keys k WHERE k.agent_id = a.agent_id) THEN 1 ELSE 0 END
		FROM agents a ORDER BY a.agent_id`, nil, func(r row) (n bus.GraphNode, err error) {
		err = r.scan(&n.AgentID, &n.Role, &n.Capabilities, &n.IsActive, &n.LastSeenAt, &n.HasKey)
		return n, err
	})
}

// GraphChannels are the newest channels of a workspace, or of all.
func (t *Tx) GraphChannels(workspaceID string, limit int) ([]bus.Channel, error) {
	where, a := "", args(limit)
	if workspaceID != "" {
		where, a = "WHERE workspace_id = $2", args(limit, workspaceID)
	}
	return list(t, `SELECT `+channelColumns+` FROM channels `+where+` ORDER BY channel_id DESC LIMIT $1`, a, scanChannel)
}

// newestPairs are the newest deliveries of a span of ids, each with its sender.
// CROSS keeps SQLite to the order of the messages, so that it can stop early.
func newestPairs(where string) string {
	return `(SELECT m.from_agent_id, d.recipient_agent_id, m.created_at, d.status, d.delivered_at, d.lease_expires_at, d.read_at
		FROM messages m CROSS JOIN message_deliveries d
		WHERE d.message_id = m.message_id AND m.message_id > $1 AND m.created_at >= $2 ` + where + `
		ORDER BY m.message_id DESC LIMIT $3) AS pairs`
}

// GraphEdges counts who wrote to whom among the newest deliveries, the busiest
// pairs first, and tells how many deliveries that were.
func (t *Tx) GraphEdges(q bus.EdgeQuery) (edges []bus.GraphEdge, counted int, err error) {
	where, a := "", args(q.Above, q.Since, q.Look, q.Now, q.Limit)
	if q.WorkspaceID != "" {
		where, a = "AND m.workspace_id = $6", append(a, q.WorkspaceID)
	}
	edges, err = list(t, `
		SELECT from_agent_id, recipient_agent_id, count(*), max(created_at),
			sum(CASE WHEN status = 'unread' OR status = 'delivered' AND lease_expires_at < $4 THEN 1 ELSE 0 END),
			sum(CASE WHEN status = 'delivered' AND lease_expires_at >= $4 THEN 1 ELSE 0 END),
			CAST(sum(count(*)) OVER () AS BIGINT)
		FROM `+newestPairs(where)+`
		GROUP BY from_agent_id, recipient_agent_id ORDER BY 3 DESC, 1, 2 LIMIT $5`, a,
		func(r row) (e bus.GraphEdge, err error) {
			err = r.scan(&e.From, &e.To, &e.Count, &e.LastAt, &e.InFlight.Unread, &e.InFlight.Delivered, &counted)
			return e, err
		})
	return edges, counted, err
}

// InboxSizes counts every inbox by lane as it stands at a moment, and tells how
// many deliveries that were. It goes through the indexes of all lanes, which
// takes long where there is much.
func (t *Tx) InboxSizes(now string) (sizes map[string]bus.InboxSize, counted int, err error) {
	sizes = map[string]bus.InboxSize{}
	each := func(add func(*bus.InboxSize, int)) func(row) error {
		return func(r row) error {
			var agent string
			var n int
			if err := r.scan(&agent, &n); err != nil {
				return err
			}
			size := sizes[agent]
			add(&size, n)
			sizes[agent] = size
			counted += n
			return nil
		}
	}
	const pending = `SELECT recipient_agent_id, count(*) FROM message_deliveries WHERE status IN ('unread', 'delivered')`
	for _, lane := range []struct {
		sql  string
		args []any
		add  func(*bus.InboxSize, int)
	}{
		{pending + ` AND (status = 'unread' OR lease_expires_at < $1) GROUP BY recipient_agent_id`, args(now), func(s *bus.InboxSize, n int) { s.Unread = n }},
		{pending + ` AND status = 'delivered' AND lease_expires_at >= $1 GROUP BY recipient_agent_id`, args(now), func(s *bus.InboxSize, n int) { s.Delivered = n }},
		{`SELECT recipient_agent_id, count(*) FROM message_deliveries WHERE status = 'read' GROUP BY recipient_agent_id`, nil, func(s *bus.InboxSize, n int) { s.Read = n }},
		{`SELECT recipient_agent_id, count(*) FROM message_deliveries WHERE status = 'parked' GROUP BY recipient_agent_id`, nil, func(s *bus.InboxSize, n int) { s.Parked = n }},
	} {
		if err := t.query(lane.sql, lane.args, each(lane.add)); err != nil {
			return nil, 0, err
		}
	}
	return sizes, counted, nil
}

// Peers counts with whom an agent exchanged messages, among the newest it sent
// and the newest it got, and how many of what it sent reached nobody.
func (t *Tx) Peers(q bus.PeerQuery) (p bus.PeerCounts, err error) {
	here, a := "1 = 1", args(q.AgentID, q.Look)
	if q.WorkspaceID != "" {
		here, a = "workspace_id = $3", append(a, q.WorkspaceID)
	}
	written, newestWritten := t.dialect().leafed("messages", "m", "", "")
	got, newestGot := t.dialect().leafed("message_deliveries", "d", "", "")
	p.Sent, err = list(t, `
		SELECT peer, count(*), max(created_at), max(delivery_id), 0 FROM (
			SELECT d.recipient_agent_id AS peer, d.delivery_id, m.created_at, m.workspace_id FROM `+written+` CROSS JOIN message_deliveries d
			WHERE m.from_agent_id = $1 AND d.message_id = m.message_id ORDER BY `+newestWritten+` LIMIT $2) AS sent
		WHERE `+here+` GROUP BY peer ORDER BY peer`, a, scanPeer)
	if err != nil {
		return p, err
	}
	unread, withNow := worded(a, func(arg func(any) string) string {
		return "sum(CASE WHEN status = 'unread' OR status = 'delivered' AND lease_expires_at < " + arg(q.Now) + " THEN 1 ELSE 0 END)"
	})
	p.Received, err = list(t, `
		SELECT peer, count(*), max(created_at), max(delivery_id), `+unread+` FROM (
			SELECT m.from_agent_id AS peer, d.delivery_id, d.status, d.lease_expires_at, m.created_at, m.workspace_id
			FROM `+got+` CROSS JOIN messages m
			WHERE d.recipient_agent_id = $1 AND m.message_id = d.message_id ORDER BY `+newestGot+` LIMIT $2) AS received
		WHERE `+here+` AND peer <> $1 GROUP BY peer ORDER BY peer`, withNow, scanPeer)
	if err != nil {
		return p, err
	}
	_, err = t.one(`
		SELECT coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM message_deliveries d WHERE d.message_id = sent.message_id) THEN 0 ELSE 1 END), 0) FROM (
			SELECT m.message_id, m.workspace_id FROM `+written+` WHERE m.from_agent_id = $1 ORDER BY `+newestWritten+` LIMIT $2) AS sent
		WHERE `+here, a, &p.Failed)
	return p, err
}

func scanPeer(r row) (c bus.Peer, err error) {
	err = r.scan(&c.Peer, &c.Count, &c.LastAt, &c.LastDelivery, &c.Unread)
	return c, err
}

// PeerMessages are the messages of deliveries, each as it stands in that inbox.
func (t *Tx) PeerMessages(deliveryIDs []string) (map[string]bus.PeerMessage, error) {
	all := make(map[string]bus.PeerMessage, len(deliveryIDs))
	return all, t.query(`
		SELECT d.delivery_id, m.message_id, m.from_agent_id, substr(m.body, 1, `+strconv.Itoa(bus.PreviewLength)+`), m.created_at, d.status, d.lease_expires_at
		FROM message_deliveries d JOIN messages m ON m.message_id = d.message_id WHERE `+t.dialect().oneOf("d.delivery_id", 1),
		args(elements(deliveryIDs)), func(r row) error {
			var id string
			var m bus.PeerMessage
			err := r.scan(&id, &m.ID, &m.FromAgentID, &m.Preview, &m.CreatedAt, &m.Status, &m.Lease)
			all[id] = m
			return err
		})
}
