package store

import (
	"encoding/json"

	"nexus/hub"
)

// StoredSettings are the settings that somebody changed, by key.
func (t *Tx) StoredSettings() (map[string]json.RawMessage, error) {
	stored := map[string]json.RawMessage{}
	err := t.query(`SELECT key, value FROM settings`, nil, func(r row) error {
		var key string
		var value json.RawMessage
		if err := r.scan(&key, &value); err != nil {
			return err
		}
		stored[key] = value
		return nil
	})
	return stored, err
}

// StoreSetting keeps the value of a setting.
func (t *Tx) StoreSetting(key string, value json.RawMessage, at string) error {
	return t.send(`
		INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`, key, string(value), at)
}

// DropSetting forgets the value of a setting.
func (t *Tx) DropSetting(key string) error { return t.send(`DELETE FROM settings WHERE key = $1`, key) }

// InsertSignIn keeps a sign-in.
func (t *Tx) InsertSignIn(in hub.SignIn) error {
	return t.send(`
		INSERT INTO sign_ins (sign_in_id, token_hash, key_id, operator_hash, user_agent, address, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		in.ID, in.TokenHash, in.KeyID, in.OperatorHash, in.UserAgent, in.Address, in.CreatedAt, in.ExpiresAt)
}

const signInSQL = `
	SELECT i.sign_in_id, k.agent_id, i.user_agent, i.address, i.created_at, i.expires_at, i.key_id, k.key_hash, i.operator_hash
	FROM sign_ins i LEFT JOIN api_keys k ON k.key_id = i.key_id LEFT JOIN agents a ON a.agent_id = k.agent_id
	WHERE (i.key_id IS NULL OR a.is_active = 1)`

func scanSignIn(r row) (in hub.SignIn, err error) {
	err = r.scan(&in.ID, &in.AgentID, &in.UserAgent, &in.Address, &in.CreatedAt, &in.ExpiresAt, &in.KeyID, &in.KeyHash, &in.OperatorHash)
	return in, err
}

// SignInByToken finds a sign-in whose key, if it has one, is still good.
func (t *Tx) SignInByToken(hash string) (hub.SignIn, bool, error) {
	return first(t, signInSQL+` AND i.token_hash = $1`, args(hash), scanSignIn)
}

// SignIns lists who is signed in, the newest first.
func (t *Tx) SignIns() ([]hub.SignIn, error) {
	return list(t, signInSQL+` ORDER BY i.sign_in_id DESC LIMIT 1000`, nil, scanSignIn)
}

// DeleteSignIn ends a sign-in.
func (t *Tx) DeleteSignIn(id string) (found bool, err error) {
	n, err := t.exec(`DELETE FROM sign_ins WHERE sign_in_id = $1`, id)
	return n > 0, err
}

// DeleteExpiredSignIns forgets those that ended before a moment.
func (t *Tx) DeleteExpiredSignIns(before string) error {
	return t.send(`DELETE FROM sign_ins WHERE expires_at < $1`, before)
}

var _ hub.Tx = (*Tx)(nil)
