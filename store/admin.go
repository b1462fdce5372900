package store

import "nexus"

// AgentsWithoutKey are the names of those who have no API key, sorted, but for
// one who needs none.
func (t *Tx) AgentsWithoutKey(except string, limit int) ([]string, error) {
	return list(t, `
		SELECT a.agent_id FROM agents a
		WHERE a.agent_id <> $1 AND NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.agent_id = a.agent_id)
		ORDER BY a.agent_id LIMIT $2`, args(except, limit), text)
}

// Log is the log as it is, of all streams and without regard to who may see
// what: the events after one number and up to another.
func (t *Tx) Log(after, upTo int64, limit int) ([]nexus.Event, error) {
	return list(t, `SELECT `+eventColumns+` FROM events WHERE event_id > $1 AND event_id <= $2 ORDER BY event_id LIMIT $3`,
		args(after, upTo, limit), scanEvent)
}
