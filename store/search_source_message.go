package store

import (
	"nexus"
	"nexus/search"
)

// messageSource are messages. Notices of the bus itself are left out: what they
// tell of is found where it is.
var messageSource = searchSource{
	kind: search.KindMessage,
	mentions: func(e nexus.Event) []search.Mention {
		if e.Type != "message.created" {
			return nil
		}
		return mentionOf(e, "message_id")
	},
	read: func(t *Tx, ids []string) ([]search.Document, error) {
		return list(t, messageDocuments+` AND `+t.dialect().oneOf("message_id", 1), args(elements(ids)), scanMessageDocument)
	},
	scan: func(t *Tx, after string, limit int) ([]search.Document, error) {
		return list(t, messageDocuments+` AND message_id > $1 ORDER BY message_id LIMIT $2`, args(after, limit), scanMessageDocument)
	},
	scanPlace: func(t *Tx, place, after string, limit int) ([]search.Document, error) {
		return list(t, messageDocuments+` AND channel_id = $1 AND message_id > $2 ORDER BY message_id LIMIT $3`, args(place, after, limit), scanMessageDocument)
	},
	count: `SELECT count(*) FROM messages`,
	readable: func(t *Tx, agentID string, ids []string) ([]string, error) {
		return list(t, `
			SELECT m.message_id FROM messages m WHERE `+t.dialect().oneOf("m.message_id", 1)+` AND (m.from_agent_id = $2 OR EXISTS (
				SELECT 1 FROM message_deliveries d WHERE d.message_id = m.message_id AND d.recipient_agent_id = $2))`,
			args(elements(ids), agentID), text)
	},
	sights: func(t *Tx, ids []string) ([]sight, error) { // a message without a target is for everybody
		return list(t, `
			SELECT message_id, from_agent_id, CASE WHEN target IS NULL THEN 'public' ELSE 'eligible' END, target, created_at
			FROM messages WHERE `+t.dialect().oneOf("message_id", 1), args(elements(ids)), scanSight)
	},
	places: func(t *Tx, names []string) ([]string, error) {
		return list(t, `SELECT channel_id FROM channels WHERE `+t.dialect().oneOf("name", 1), args(elements(names)), text)
	},
}

const messageDocuments = `
	SELECT message_id, workspace_id, channel_id, from_agent_id, subject, created_at, body FROM messages
	WHERE (provenance IS NULL OR provenance NOT LIKE '{"sender":"bus"%')`

func scanMessageDocument(r row) (d search.Document, err error) {
	d.Kind = search.KindMessage
	err = r.scan(&d.ID, &d.Workspace, &d.Place, &d.Sender, &d.Title, &d.CreatedAt, &d.Text)
	return d, err
}
