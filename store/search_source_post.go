package store

import (
	"encoding/json"

	"nexus"
	"nexus/search"
	"nexus/topic"
)

// postSource are the messages of topics. Whoever may enter the workspace that a
// topic belongs to may read it, so there is nothing more to ask.
var postSource = searchSource{
	kind:     search.KindTopicPost,
	mentions: postMentions,
	read: func(t *Tx, ids []string) ([]search.Document, error) {
		return list(t, postDocuments+` WHERE `+t.dialect().oneOf("m.message_id", 1), args(elements(ids)), scanPostDocument)
	},
	scan: func(t *Tx, after string, limit int) ([]search.Document, error) {
		return list(t, postDocuments+` WHERE m.message_id > $1 ORDER BY m.message_id LIMIT $2`, args(after, limit), scanPostDocument)
	},
	scanPlace: func(t *Tx, place, after string, limit int) ([]search.Document, error) {
		return list(t, postDocuments+` WHERE m.topic_id = $1 AND m.message_id > $2 ORDER BY m.message_id LIMIT $3`, args(place, after, limit), scanPostDocument)
	},
	count:    `SELECT count(*) FROM topic_messages`,
	readable: func(_ *Tx, _ string, ids []string) ([]string, error) { return ids, nil },
	places: func(t *Tx, names []string) ([]string, error) {
		return list(t, `SELECT topic_id FROM topics WHERE `+t.dialect().oneOf("name", 1), args(elements(names)), text)
	},
}

// postMentions: a renamed topic may have been rewritten, and what an import
// brought is told of as a whole.
func postMentions(e nexus.Event) []search.Mention {
	switch e.Type {
	case "topic.posted":
		return mentionOf(e, "message_id")
	case "topic.messages_deleted":
		var p struct {
			MessageIDs []string `json:"message_ids"`
		}
		if json.Unmarshal(e.Payload, &p) != nil {
			return nil
		}
		gone := make([]search.Mention, len(p.MessageIDs))
		for i, id := range p.MessageIDs {
			gone[i] = search.Mention{ID: id}
		}
		return gone
	case "topic.renamed", "topic.deleted", "topic.imported":
		if m := mentionOf(e, "topic_id"); m != nil {
			return []search.Mention{{Place: m[0].ID}}
		}
	}
	return nil
}

const postDocuments = `
	SELECT m.message_id, t.workspace_id, m.topic_id, m.sender, t.name, m.created_at, m.content_markdown
	FROM topic_messages m JOIN topics t ON t.topic_id = m.topic_id`

func scanPostDocument(r row) (d search.Document, err error) {
	d.Kind, d.Borrowed = search.KindTopicPost, true
	err = r.scan(&d.ID, &d.Workspace, &d.Place, &d.Sender, &d.Title, &d.CreatedAt, &d.Text)
	return d, err
}

// FoundPosts are messages by their ids, as far as they are still there, with the
// names of their topics.
func (t *Tx) FoundPosts(ids []string) ([]topic.Hit, error) {
	return list(t, `
		SELECT m.topic_id, t.name, m.message_id, m.seq, m.sender, m.message_type, m.created_at, m.content_markdown
		FROM topic_messages m JOIN topics t ON t.topic_id = m.topic_id WHERE `+t.dialect().oneOf("m.message_id", 1),
		args(elements(ids)), func(r row) (h topic.Hit, err error) {
			var created string
			err = r.scan(&h.TopicID, &h.TopicName, &h.MessageID, &h.Seq, &h.Sender, &h.Type, &created, &h.Content)
			h.CreatedAt = seconds(created)
			return h, err
		})
}
