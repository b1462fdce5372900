package store

import (
	"encoding/json"

	"nexus"
	"nexus/bus"
)

// AgentStanding is how a registered agent stands.
func (t *Tx) AgentStanding(id string) (bus.Standing, bool, error) {
	return first(t, `
		SELECT last_seen_at, preset_id,
			CASE WHEN preset_id IS NOT NULL THEN (SELECT p.flags FROM permission_presets p WHERE p.preset_id = agents.preset_id) END, permissions
		FROM agents WHERE agent_id = $1`, args(id),
		func(r row) (s bus.Standing, err error) {
			err = r.scan(&s.LastSeenAt, &s.PresetID, &s.PresetFlags, &s.Permissions)
			return s, err
		})
}

// CountSent counts what an agent has sent since a moment, up to a limit. It
// looks at the newest ones only, and into no volume that was full before.
func (t *Tx) CountSent(agentID, since string, limit int) (n int, err error) {
	const above = `coalesce((SELECT o.first_id FROM message_volumes o WHERE (
		SELECT created_at FROM messages WHERE message_id >= o.first_id ORDER BY message_id LIMIT 1) < $4 ORDER BY o.volume DESC LIMIT 1), '')`
	from, order := t.dialect().leafed("messages", "m", above, "")
	_, err = t.one(`
		SELECT count(*) FROM (
			SELECT created_at FROM `+from+` WHERE m.from_agent_id = $1 AND m.message_id > `+above+` ORDER BY `+order+` LIMIT $2) AS latest
		WHERE created_at > $3`, args(agentID, limit, since, shifted(since, -disorder)), &n)
	return n, err
}

const presetColumns = `preset_id, name, description, flags, created_at, updated_at`

func scanPreset(r row) (p bus.Preset, err error) {
	var flags json.RawMessage
	err = r.scan(&p.ID, &p.Name, &p.Description, &flags, &p.CreatedAt, &p.UpdatedAt)
	p.Flags = nexus.Object(flags)
	return p, err
}

// Preset finds a preset by id.
func (t *Tx) Preset(id string) (bus.Preset, bool, error) {
	return first(t, `SELECT `+presetColumns+` FROM permission_presets WHERE preset_id = $1`, args(id), scanPreset)
}

// PresetNamed tells whether another preset has the name.
func (t *Tx) PresetNamed(name, except string) (bool, error) {
	return t.one(`SELECT 1 FROM permission_presets WHERE name = $1 AND preset_id <> $2`, args(name, except))
}

// Presets lists the presets by name.
func (t *Tx) Presets() ([]bus.Preset, error) {
	return list(t, `SELECT `+presetColumns+` FROM permission_presets ORDER BY name`, nil, scanPreset)
}

// SavePreset inserts or replaces a preset.
func (t *Tx) SavePreset(p bus.Preset) error {
	return t.send(`
		INSERT INTO permission_presets (preset_id, name, description, flags, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (preset_id) DO UPDATE SET name = excluded.name, description = excluded.description, flags = excluded.flags, updated_at = excluded.updated_at`,
		p.ID, p.Name, p.Description, string(p.Flags), p.CreatedAt, p.UpdatedAt)
}

// DeletePreset deletes a preset.
func (t *Tx) DeletePreset(id string) error {
	return t.send(`DELETE FROM permission_presets WHERE preset_id = $1`, id)
}

// AgentsWithPreset counts those who have a preset.
func (t *Tx) AgentsWithPreset(id string) (n int, err error) {
	_, err = t.one(`SELECT count(*) FROM agents WHERE preset_id = $1`, args(id), &n)
	return n, err
}
