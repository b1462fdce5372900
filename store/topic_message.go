package store

import (
	"encoding/json"
	"strings"

	"nexus"
	"nexus/topic"
)

const postColumns = `message_id, topic_id, seq, sender, message_type, reply_to, content_markdown, metadata, client_message_id, created_at`

func scanPost(r row) (p topic.Post, err error) {
	var created string
	var metadata json.RawMessage
	err = r.scan(&p.ID, &p.TopicID, &p.Seq, &p.Sender, &p.Type, &p.ReplyTo, &p.Content, &metadata, &p.ClientMessageID, &created)
	p.Metadata, p.CreatedAt = nexus.Object(metadata), seconds(created)
	return p, err
}

const insertPost = `INSERT INTO topic_messages (` + postColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

func postValues(p topic.Post) []any {
	return args(p.ID, p.TopicID, p.Seq, p.Sender, p.Type, valueOrNull(p.ReplyTo), p.Content,
		jsonText(json.RawMessage(p.Metadata)), valueOrNull(p.ClientMessageID), stampOf(p.CreatedAt))
}

// InsertPost adds a message.
func (t *Tx) InsertPost(p topic.Post) error { return t.send(insertPost, postValues(p)...) }

// CountPosts moves a topic's counter on.
func (t *Tx) CountPosts(topicID string, lastSeq int64, added int, at float64) error {
	return t.send(`UPDATE topics SET last_seq = $2, message_count = message_count + $3, updated_at = $4 WHERE topic_id = $1`,
		topicID, lastSeq, added, stampOf(at))
}

// Post finds a message of a topic by id.
func (t *Tx) Post(topicID, id string) (topic.Post, bool, error) {
	return first(t, `SELECT `+postColumns+` FROM topic_messages WHERE message_id = $2 AND topic_id = $1`, args(topicID, id), scanPost)
}

// PostNumbered finds a message of a topic by its number.
func (t *Tx) PostNumbered(topicID string, seq int64) (topic.Post, bool, error) {
	return first(t, `SELECT `+postColumns+` FROM topic_messages WHERE topic_id = $1 AND seq = $2`, args(topicID, seq), scanPost)
}

// PostOf finds a message by the id that its sender gave it.
func (t *Tx) PostOf(topicID, sender, clientMessageID string) (topic.Post, bool, error) {
	return first(t, `SELECT `+postColumns+` FROM topic_messages WHERE topic_id = $1 AND sender = $2 AND client_message_id = $3`,
		args(topicID, sender, clientMessageID), scanPost)
}

// PostsAfter are the messages after a number, in order.
func (t *Tx) PostsAfter(topicID string, seq int64, without string, limit int) ([]topic.Post, error) {
	return list(t, `
		SELECT `+postColumns+` FROM topic_messages
		WHERE topic_id = $1 AND seq > $2 AND ($3 = '' OR sender <> $3) ORDER BY seq LIMIT $4`,
		args(topicID, seq, without, limit), scanPost)
}

// PostsBefore are the last messages before a number, in order.
func (t *Tx) PostsBefore(topicID string, seq int64, limit int) ([]topic.Post, error) {
	return list(t, `
		SELECT * FROM (
			SELECT `+postColumns+` FROM topic_messages WHERE topic_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3) AS last
		ORDER BY seq`, args(topicID, seq, limit), scanPost)
}

// BrowseTopics is a page of topics. There are far fewer topics than messages, so
// no index is kept for the orders.
func (t *Tx) BrowseTopics(q topic.BrowseQuery) ([]topic.Topic, error) {
	key, order, beyond := "created_at", "DESC", "<"
	switch q.Sort {
	case topic.ByUpdate:
		key = "updated_at"
	case topic.ByOldest:
		order, beyond = "ASC", ">"
	}
	narrowed := 0
	if q.Workspaces != nil {
		narrowed = 1
	}
	return list(t, `
		SELECT `+topicColumns+` FROM topics
		WHERE ($1 = '' OR status = $1) AND ($2 = '' OR lower(name) LIKE $2 ESCAPE '\')
			AND ($4 = '' OR (`+key+`, topic_id) `+beyond+` ($3, $4))
			AND ($6 = 0 OR `+t.dialect().oneOf("workspace_id", 5)+`)
		ORDER BY `+key+` `+order+`, topic_id `+order+` LIMIT $7`,
		args(q.Status, contains(q.Words), stampOf(q.AfterTime), q.AfterID, elements(append([]string{}, q.Workspaces...)), narrowed, q.Limit), scanTopic)
}

// contains is a pattern for LIKE that finds some words in lower case, "" for none.
func contains(words string) string {
	if words == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(words)) + "%"
}

// DeleteTopic deletes a topic and, with it, all that refers to it.
func (t *Tx) DeleteTopic(id string) error {
	return t.send(`DELETE FROM topics WHERE topic_id = $1`, id)
}

// DeletePosts deletes messages of a topic.
func (t *Tx) DeletePosts(topicID string, ids []string) (int, error) {
	n, err := t.exec(`DELETE FROM topic_messages WHERE topic_id = $1 AND `+t.dialect().oneOf("message_id", 2), topicID, elements(ids))
	return int(n), err
}

// Replies are the ids of the messages that answer one of these.
func (t *Tx) Replies(topicID string, ids []string) ([]string, error) {
	return list(t, `SELECT message_id FROM topic_messages WHERE topic_id = $1 AND reply_to IS NOT NULL AND `+t.dialect().oneOf("reply_to", 2)+` ORDER BY seq`,
		args(topicID, elements(ids)), text)
}

// UncountPosts notes that messages are gone.
func (t *Tx) UncountPosts(topicID string, removed int, at float64) error {
	return t.send(`UPDATE topics SET message_count = message_count - $2, updated_at = $3 WHERE topic_id = $1`, topicID, removed, stampOf(at))
}

// RenameTopic gives a topic another name.
func (t *Tx) RenameTopic(id, name string, at float64) error {
	return t.send(`UPDATE topics SET name = $2, updated_at = $3 WHERE topic_id = $1`, id, name, stampOf(at))
}

// RewritePost changes the text of a message.
func (t *Tx) RewritePost(topicID, id, content string) error {
	return t.send(`UPDATE topic_messages SET content_markdown = $3 WHERE topic_id = $1 AND message_id = $2`, topicID, id, content)
}

// ImportTopic adds a topic that is not there.
func (t *Tx) ImportTopic(v topic.Topic) (bool, error) {
	n, err := t.exec(insertTopic+` ON CONFLICT DO NOTHING`, topicValues(v)...)
	return n == 1, err
}

// ImportPost adds a message unless it, or one of its number, is there.
func (t *Tx) ImportPost(p topic.Post) (bool, error) {
	n, err := t.exec(insertPost+` ON CONFLICT DO NOTHING`, postValues(p)...)
	return n == 1, err
}

// ImportCursor adds a cursor that is not there.
func (t *Tx) ImportCursor(topicID string, p topic.Peer) (bool, error) {
	n, err := t.exec(`INSERT INTO topic_cursors (topic_id, agent_name, last_seq, updated_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		topicID, p.AgentName, p.LastSeq, stampOf(p.UpdatedAt))
	return n == 1, err
}

// Recount sets a topic's counters right after messages were imported.
func (t *Tx) Recount(topicID string, lastSeq int64) error {
	return t.send(`
		UPDATE topics SET
			message_count = (SELECT count(*) FROM topic_messages m WHERE m.topic_id = topics.topic_id),
			last_seq = CASE WHEN last_seq < $2 THEN $2 ELSE last_seq END,
			updated_at = coalesce((SELECT max(created_at) FROM topic_messages m WHERE m.topic_id = topics.topic_id AND m.created_at > topics.updated_at), updated_at)
		WHERE topic_id = $1`, topicID, lastSeq)
}
