package store

import (
	"context"
	"encoding/json"
	"time"

	"nexus"
)

// sessionKept is how long an MCP session is remembered. Its use is not written
// down, so this must be longer than any client runs.
const sessionKept = 180 * 24 * time.Hour

// SaveSession keeps an MCP session where every node finds it.
func (db *DB) SaveSession(ctx context.Context, id, agentID string, state json.RawMessage) error {
	now, old := nexus.Stamp(db.now()), nexus.Stamp(db.now().Add(-sessionKept))
	_, err := db.Update(ctx, func(tx *Tx) (any, error) {
		if err := tx.send(`DELETE FROM mcp_sessions WHERE updated_at < $1`, old); err != nil {
			return nil, err
		}
		tx.Wake(nexus.MCPSessionKey(id))
		return nil, tx.send(`
			INSERT INTO mcp_sessions (session_id, agent_id, state, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
			ON CONFLICT (session_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at`,
			id, agentID, state, now)
	})
	return err
}

// Session finds an MCP session.
func (db *DB) Session(ctx context.Context, id string) (agentID string, state json.RawMessage, found bool, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		found, err = tx.one(`SELECT agent_id, state FROM mcp_sessions WHERE session_id = $1`, args(id), &agentID, &state)
		return err
	})
	return agentID, state, found, err
}

// DropSession forgets an MCP session.
func (db *DB) DropSession(ctx context.Context, id string) error {
	_, err := db.Update(ctx, func(tx *Tx) (any, error) {
		tx.Wake(nexus.MCPSessionKey(id))
		return nil, tx.send(`DELETE FROM mcp_sessions WHERE session_id = $1`, id)
	})
	return err
}
