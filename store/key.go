package store

import (
	"encoding/json"

	"nexus/bus"
)

const keyColumns = `k.key_id, k.agent_id, k.name, k.scopes, k.created_at, k.expires_at, k.last_used_at`

func scanKey(r row) (k bus.Key, err error) {
	var scopes json.RawMessage
	if err := r.scan(&k.ID, &k.AgentID, &k.Name, &scopes, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt); err != nil {
		return k, err
	}
	k.Scopes = []string{}
	if len(scopes) > 0 {
		err = json.Unmarshal(scopes, &k.Scopes)
	}
	return k, err
}

// InsertKey keeps the hash of a key.
func (t *Tx) InsertKey(k bus.Key) error {
	scopes, err := json.Marshal(k.Scopes)
	if err != nil {
		return err
	}
	return t.send(`INSERT INTO api_keys (key_id, agent_id, name, key_hash, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		k.ID, k.AgentID, k.Name, k.Hash, string(scopes), k.CreatedAt, k.ExpiresAt)
}

// Keys lists the keys of an agent, the oldest first.
func (t *Tx) Keys(agentID string) ([]bus.Key, error) {
	return list(t, `SELECT `+keyColumns+` FROM api_keys k WHERE k.agent_id = $1 ORDER BY k.key_id`, args(agentID), scanKey)
}

// DeleteKey forgets one key of an agent.
func (t *Tx) DeleteKey(agentID, keyID string) (found bool, err error) {
	n, err := t.exec(`DELETE FROM api_keys WHERE agent_id = $1 AND key_id = $2`, agentID, keyID)
	return n > 0, err
}

// DeleteKeys forgets all keys of an agent.
func (t *Tx) DeleteKeys(agentID string) error {
	return t.send(`DELETE FROM api_keys WHERE agent_id = $1`, agentID)
}

// KeyByHash finds the key of an active agent that has the hash.
func (t *Tx) KeyByHash(hash string) (bus.Key, bool, error) {
	return first(t, `
		SELECT `+keyColumns+` FROM api_keys k JOIN agents a ON a.agent_id = k.agent_id
		WHERE k.key_hash = $1 AND a.is_active = 1`, args(hash), scanKey)
}

// CountKeys counts all keys, up to a limit.
func (t *Tx) CountKeys(limit int) (n int, err error) {
	_, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM api_keys LIMIT $1) AS some`, args(limit), &n)
	return n, err
}

// TouchKey notes when a key was last used.
func (t *Tx) TouchKey(keyID, at string) error {
	return t.send(`UPDATE api_keys SET last_used_at = $2 WHERE key_id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`, keyID, at)
}
