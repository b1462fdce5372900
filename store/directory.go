package store

import (
	"encoding/json"

	"nexus/bus"
)

const directorySQL = `
	SELECT a.agent_id, a.role, a.capabilities, a.metadata, a.is_active,
		CASE WHEN EXISTS (SELECT 1 FROM api_keys k WHERE k.agent_id = a.agent_id) THEN 1 ELSE 0 END,
		a.created_at, a.last_seen_at, a.permissions, a.preset_id
	FROM agents a`

func scanEntry(r row) (e bus.DirectoryEntry, err error) {
	err = r.scan(&e.ID, &e.Role, &e.Capabilities, &e.Metadata, &e.IsActive, &e.HasKey, &e.CreatedAt, &e.LastSeenAt, &e.Permissions, &e.PresetID)
	return e, err
}

// Directory lists agents after one in the order in which they came.
func (t *Tx) Directory(afterTime, afterID string, limit int) ([]bus.DirectoryEntry, error) {
	return list(t, directorySQL+` WHERE (a.created_at > $1 OR a.created_at = $1 AND a.agent_id > $2)
		ORDER BY a.created_at, a.agent_id LIMIT $3`, args(afterTime, afterID, limit), scanEntry)
}

// DirectoryEntry finds an agent by id.
func (t *Tx) DirectoryEntry(id string) (bus.DirectoryEntry, bool, error) {
	return first(t, directorySQL+` WHERE a.agent_id = $1`, args(id), scanEntry)
}

// SetStanding changes what an agent may do and whether its keys are good.
func (t *Tx) SetStanding(id string, active bool, presetID *string, permissions json.RawMessage) error {
	on := 0
	if active {
		on = 1
	}
	return t.send(`UPDATE agents SET is_active = $2, preset_id = $3, permissions = $4 WHERE agent_id = $1`,
		id, on, presetID, jsonText(permissions))
}

// DeleteAgent deletes an agent; its keys, sessions, capabilities and deliveries
// go with it.
func (t *Tx) DeleteAgent(id string) error {
	return t.send(`DELETE FROM agents WHERE agent_id = $1`, id)
}
