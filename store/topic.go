package store

import (
	"encoding/json"

	"nexus"
	"nexus/topic"
)

var _ topic.Tx = (*Tx)(nil)

const topicColumns = `topic_id, name, status, workspace_id, metadata, last_seq, message_count, created_at, updated_at, closed_at, close_reason`

func scanTopic(r row) (t topic.Topic, err error) {
	var created, updated, closed string
	var metadata json.RawMessage
	if err := r.scan(&t.ID, &t.Name, &t.Status, &t.WorkspaceID, &metadata, &t.LastSeq, &t.Count, &created, &updated, &closed, &t.CloseReason); err != nil {
		return t, err
	}
	t.Metadata, t.CreatedAt, t.UpdatedAt = nexus.Object(metadata), seconds(created), seconds(updated)
	if closed != "" {
		at := seconds(closed)
		t.ClosedAt = &at
	}
	return t, nil
}

// seconds is a stamp as topics show it, 0 for one that is none.
func seconds(stamp string) float64 {
	at, err := nexus.ParseStamp(stamp)
	if err != nil {
		return 0
	}
	return topic.Seconds(at)
}

// stampOf is the stamp of a moment that topics show as seconds.
func stampOf(seconds float64) string { return nexus.Stamp(topic.Moment(seconds)) }

func stampOrNull(seconds *float64) any {
	if seconds == nil {
		return nil
	}
	return stampOf(*seconds)
}

// Topic finds a topic by id.
func (t *Tx) Topic(id string) (topic.Topic, bool, error) {
	return first(t, `SELECT `+topicColumns+` FROM topics WHERE topic_id = $1`, args(id), scanTopic)
}

// LockTopic finds a topic and holds its row until the commit, so that numbers
// are given to one transaction after the other.
func (t *Tx) LockTopic(id string) (topic.Topic, bool, error) {
	return first(t, `SELECT `+topicColumns+` FROM topics WHERE topic_id = $1`+t.dialect().holdRow, args(id), scanTopic)
}

// KeepTopic finds a topic and keeps it from being deleted until the commit, so
// that what is added to it has a topic to belong to.
func (t *Tx) KeepTopic(id string) (topic.Topic, bool, error) {
	return first(t, `SELECT `+topicColumns+` FROM topics WHERE topic_id = $1`+t.dialect().keepRow, args(id), scanTopic)
}

// NewestTopic finds the newest topic of a name that has a status; with workspaces
// only in these.
func (t *Tx) NewestTopic(name, status string, workspaces ...string) (topic.Topic, bool, error) {
	where, values := `name = $1 AND status = $2`, args(name, status)
	if len(workspaces) > 0 {
		where, values = where+` AND `+t.dialect().oneOf("workspace_id", 3), append(values, elements(workspaces))
	}
	return first(t, `SELECT `+topicColumns+` FROM topics WHERE `+where+` ORDER BY created_at DESC, topic_id DESC LIMIT 1`, values, scanTopic)
}

// Topics lists topics, newest first.
func (t *Tx) Topics(status string) ([]topic.Topic, error) {
	return list(t, `SELECT `+topicColumns+` FROM topics WHERE $1 = '' OR status = $1 ORDER BY created_at DESC, topic_id DESC`, args(status), scanTopic)
}

const insertTopic = `INSERT INTO topics (` + topicColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

func topicValues(v topic.Topic) []any {
	return args(v.ID, v.Name, v.Status, orNull(v.WorkspaceID), jsonText(json.RawMessage(v.Metadata)), v.LastSeq, v.Count,
		stampOf(v.CreatedAt), stampOf(v.UpdatedAt), stampOrNull(v.ClosedAt), valueOrNull(v.CloseReason))
}

// InsertTopic adds a topic.
func (t *Tx) InsertTopic(v topic.Topic) error { return t.send(insertTopic, topicValues(v)...) }

// CloseTopic closes a topic that is open.
func (t *Tx) CloseTopic(id string, at float64, reason *string) (bool, error) {
	n, err := t.exec(`UPDATE topics SET status = 'closed', closed_at = $2, updated_at = $2, close_reason = $3 WHERE topic_id = $1 AND status = 'open'`,
		id, stampOf(at), valueOrNull(reason))
	return n == 1, err
}

// Reservation finds whose a name is.
func (t *Tx) Reservation(topicID, name string) (topic.Reservation, bool, error) {
	return first(t, `SELECT topic_id, agent_name, token_hash, created_at, last_claimed_at FROM topic_reservations WHERE topic_id = $1 AND agent_name = $2`,
		args(topicID, name), func(r row) (v topic.Reservation, err error) {
			var created, claimed string
			err = r.scan(&v.TopicID, &v.Name, &v.TokenHash, &created, &claimed)
			v.CreatedAt, v.ClaimedAt = seconds(created), seconds(claimed)
			return v, err
		})
}

// InsertReservation reserves a name, unless somebody was faster.
func (t *Tx) InsertReservation(r topic.Reservation) (bool, error) {
	n, err := t.exec(`
		INSERT INTO topic_reservations (topic_id, agent_name, token_hash, created_at, last_claimed_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (topic_id, agent_name) DO NOTHING`, r.TopicID, r.Name, r.TokenHash, stampOf(r.CreatedAt), stampOf(r.ClaimedAt))
	return n == 1, err
}

// ClaimReservation notes that a name was taken up again.
func (t *Tx) ClaimReservation(topicID, name string, at float64) error {
	return t.send(`UPDATE topic_reservations SET last_claimed_at = $3 WHERE topic_id = $1 AND agent_name = $2`, topicID, name, stampOf(at))
}

// TouchCursor is one statement, which holds the row until the commit: two calls
// of one peer never receive the same message. There is none in a topic that was
// deleted meanwhile.
func (t *Tx) TouchCursor(topicID, name string, at float64) (topic.Cursor, error) {
	c, found, err := first(t, `
		INSERT INTO topic_cursors (topic_id, agent_name, last_seq, updated_at)
		SELECT topic_id, $2, 0, $3 FROM topics WHERE topic_id = $1`+t.dialect().keepRow+`
		ON CONFLICT (topic_id, agent_name) DO UPDATE SET updated_at = excluded.updated_at
		RETURNING last_seq, skip_seq, updated_at`, args(topicID, name, stampOf(at)), scanCursor)
	if err == nil && !found {
		err = nexus.Errorf(nexus.TopicNotFound, "Topic not found.")
	}
	return c, err
}

func scanCursor(r row) (c topic.Cursor, err error) {
	var updated string
	err = r.scan(&c.LastSeq, &c.SkipSeq, &updated)
	c.UpdatedAt = seconds(updated)
	return c, err
}

// MoveCursor sets how far a peer has read.
func (t *Tx) MoveCursor(topicID, name string, lastSeq, skipSeq int64) error {
	return t.send(`UPDATE topic_cursors SET last_seq = $3, skip_seq = $4 WHERE topic_id = $1 AND agent_name = $2`, topicID, name, lastSeq, skipSeq)
}

// ReadCursor is how far a peer has read.
func (t *Tx) ReadCursor(topicID, name string) (topic.Cursor, error) {
	c, _, err := first(t, `SELECT last_seq, skip_seq, updated_at FROM topic_cursors WHERE topic_id = $1 AND agent_name = $2`,
		args(topicID, name), scanCursor)
	return c, err
}

// TopicPeers are those who were there since, the latest first.
func (t *Tx) TopicPeers(topicID string, since float64, limit int) ([]topic.Peer, error) {
	return list(t, `
		SELECT agent_name, last_seq, updated_at FROM topic_cursors
		WHERE topic_id = $1 AND updated_at >= $2 ORDER BY updated_at DESC, agent_name LIMIT $3`,
		args(topicID, stampOf(since), limit), func(r row) (p topic.Peer, err error) {
			var updated string
			err = r.scan(&p.AgentName, &p.LastSeq, &updated)
			p.UpdatedAt = seconds(updated)
			return p, err
		})
}
