package store

import (
	"strconv"

	"nexus/topic"
)

// PostsWith goes through the messages; it goes when package search is joined.
func (t *Tx) PostsWith(words []string, topicID string, workspaces []string, limit int) ([]topic.Hit, error) {
	narrowed := 0
	if workspaces != nil {
		narrowed = 1
	}
	values := args(topicID, elements(append([]string{}, workspaces...)), narrowed, limit)
	having := ""
	for _, w := range words {
		values = append(values, contains(w))
		having += ` AND lower(m.content_markdown) LIKE $` + strconv.Itoa(len(values)) + ` ESCAPE '\'`
	}
	return list(t, `
		SELECT m.topic_id, t.name, m.message_id, m.seq, m.sender, m.message_type, m.created_at, m.content_markdown
		FROM topic_messages m JOIN topics t ON t.topic_id = m.topic_id
		WHERE ($1 = '' OR m.topic_id = $1) AND ($3 = 0 OR `+t.dialect().oneOf("t.workspace_id", 2)+`)`+having+`
		ORDER BY m.created_at DESC, m.message_id DESC LIMIT $4`, values, func(r row) (h topic.Hit, err error) {
		var created string
		err = r.scan(&h.TopicID, &h.TopicName, &h.MessageID, &h.Seq, &h.Sender, &h.Type, &created, &h.Content)
		h.CreatedAt = seconds(created)
		return h, err
	})
}
