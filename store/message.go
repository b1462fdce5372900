package store

import (
	"encoding/json"

	"nexus"
	"nexus/bus"
)

const channelColumns = `channel_id, workspace_id, name, created_at`

func scanChannel(r row) (c bus.Channel, err error) {
	err = r.scan(&c.ID, &c.WorkspaceID, &c.Name, &c.CreatedAt)
	return c, err
}

// Channel finds a channel by id.
func (t *Tx) Channel(id string) (bus.Channel, bool, error) {
	return first(t, `SELECT `+channelColumns+` FROM channels WHERE channel_id = $1`, args(id), scanChannel)
}

// ChannelNamed finds a channel of a workspace by name.
func (t *Tx) ChannelNamed(workspaceID, name string) (bus.Channel, bool, error) {
	return first(t, `SELECT `+channelColumns+` FROM channels WHERE workspace_id = $1 AND name = $2`, args(workspaceID, name), scanChannel)
}

// Channels lists the channels of a workspace, the oldest first.
func (t *Tx) Channels(workspaceID string) ([]bus.Channel, error) {
	return list(t, `SELECT `+channelColumns+` FROM channels WHERE workspace_id = $1 ORDER BY created_at, channel_id`, args(workspaceID), scanChannel)
}

// InsertChannel adds a channel, unless its name is taken.
func (t *Tx) InsertChannel(c bus.Channel) (bool, error) {
	n, err := t.exec(`INSERT INTO channels (`+channelColumns+`) VALUES ($1, $2, $3, $4) ON CONFLICT (workspace_id, name) DO NOTHING`,
		c.ID, c.WorkspaceID, c.Name, c.CreatedAt)
	return n == 1, err
}

// InsertMessage stores a message.
func (t *Tx) InsertMessage(m bus.Message) error {
	return t.send(`
		INSERT INTO messages (message_id, workspace_id, channel_id, from_agent_id, from_session_id,
			target, subject, body, artifacts, parent_message_id, created_at, provenance, volume)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, `+volumeOf("$1")+`)`,
		m.ID, m.WorkspaceID, m.ChannelID, m.FromAgentID, m.FromSessionID,
		jsonText(nexus.JSON(m.Target)), m.Subject, m.Body, stringsText(m.Artifacts), m.ParentID, m.CreatedAt, provenanceText(m.Provenance))
}

// MessagePlace is the workspace and channel of a message.
func (t *Tx) MessagePlace(id string) (workspaceID, channelID string, found bool, err error) {
	found, err = t.one(`SELECT workspace_id, channel_id FROM messages WHERE message_id = $1`, args(id), &workspaceID, &channelID)
	return workspaceID, channelID, found, err
}

// InsertDeliveries puts a message into inboxes.
func (t *Tx) InsertDeliveries(messageID string, recipients, ids []string, at string) error {
	for i, recipient := range recipients {
		if err := t.send(`
			INSERT INTO message_deliveries (delivery_id, message_id, recipient_agent_id, status, created_at, volume)
			VALUES ($1, $2, $3, 'unread', $4, `+volumeOf("$2")+`)`, ids[i], messageID, recipient, at); err != nil {
			return err
		}
	}
	return nil
}

// provenanceText is the JSON of a provenance. Most are one of a few texts, and
// every message has one.
func provenanceText(p bus.Provenance) string {
	if p.Via == "" {
		return `{"sender":"` + p.Sender + `","proof":"` + p.Proof + `"}`
	}
	raw, _ := json.Marshal(p) // strings always marshal
	return string(raw)
}

// stringsText keeps a list of strings; an empty one is NULL.
func stringsText(list []string) any {
	if len(list) == 0 {
		return nil
	}
	raw, _ := json.Marshal(list) // strings always marshal
	return string(raw)
}
