package store

import (
	"nexus/bus"
)

const agentColumns = `a.agent_id, a.role, a.capabilities, a.metadata, a.created_at, a.last_seen_at`

func scanAgent(r row) (a bus.Agent, err error) {
	err = r.scan(&a.ID, &a.Role, &a.Capabilities, &a.Metadata, &a.CreatedAt, &a.LastSeenAt)
	return a, err
}

// Agent finds an agent by id.
func (t *Tx) Agent(id string) (bus.RegisteredAgent, bool, error) {
	return first(t, `SELECT `+agentColumns+`, a.updated_at FROM agents a WHERE a.agent_id = $1`, args(id),
		func(r row) (a bus.RegisteredAgent, err error) {
			err = r.scan(&a.ID, &a.Role, &a.Capabilities, &a.Metadata, &a.CreatedAt, &a.LastSeenAt, &a.UpdatedAt)
			return a, err
		})
}

// AgentExists tells whether an agent is registered.
func (t *Tx) AgentExists(id string) (bool, error) {
	return t.one(`SELECT 1 FROM agents WHERE agent_id = $1`, args(id))
}

// Agents lists all agents, the oldest first.
func (t *Tx) Agents() ([]bus.Agent, error) {
	return list(t, `SELECT `+agentColumns+` FROM agents a ORDER BY a.created_at, a.agent_id`, nil, scanAgent)
}

// SaveAgent inserts or replaces an agent and the words it is found by.
func (t *Tx) SaveAgent(a bus.RegisteredAgent, capabilities []string) error {
	if err := t.send(`
		INSERT INTO agents (agent_id, role, capabilities, metadata, created_at, updated_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (agent_id) DO UPDATE SET role = excluded.role, capabilities = excluded.capabilities,
			metadata = excluded.metadata, updated_at = excluded.updated_at, last_seen_at = excluded.last_seen_at`,
		a.ID, a.Role, a.Capabilities, a.Metadata, a.CreatedAt, a.UpdatedAt, a.LastSeenAt); err != nil {
		return err
	}
	if err := t.send(`DELETE FROM agent_capabilities WHERE agent_id = $1`, a.ID); err != nil {
		return err
	}
	for _, c := range capabilities {
		if err := t.send(`INSERT INTO agent_capabilities (capability, agent_id) VALUES ($1, $2)`, c, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// InsertAgent adds an agent, unless it is registered already.
func (t *Tx) InsertAgent(a bus.RegisteredAgent) (bool, error) {
	n, err := t.exec(`
		INSERT INTO agents (agent_id, created_at, updated_at, last_seen_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (agent_id) DO NOTHING`, a.ID, a.CreatedAt, a.UpdatedAt, a.LastSeenAt)
	return n == 1, err
}

// TouchAgent notes when an agent acted, if it was last seen before.
func (t *Tx) TouchAgent(id, at, before string) error {
	return t.send(`UPDATE agents SET last_seen_at = $2 WHERE agent_id = $1 AND (last_seen_at IS NULL OR last_seen_at < $3)`, id, at, before)
}

// AgentsWithCapability finds those who have any of the capabilities.
func (t *Tx) AgentsWithCapability(capabilities []string) ([]bus.Agent, error) {
	return list(t, `
		SELECT `+agentColumns+` FROM agents a WHERE a.agent_id IN (
			SELECT c.agent_id FROM agent_capabilities c WHERE `+t.dialect().oneOf("c.capability", 1)+`)
		ORDER BY a.agent_id`, args(elements(capabilities)), scanAgent)
}

// AgentsWithRole finds those who have the role.
func (t *Tx) AgentsWithRole(role string) ([]bus.Agent, error) {
	return list(t, `SELECT `+agentColumns+` FROM agents a WHERE a.role = $1 ORDER BY a.agent_id`, args(role), scanAgent)
}

// Capabilities lists every capability with those who have it, sorted.
func (t *Tx) Capabilities() ([]bus.Capability, error) {
	all := []bus.Capability{}
	err := t.query(`SELECT capability, agent_id FROM agent_capabilities ORDER BY capability, agent_id`, nil, func(r row) error {
		var word, agent string
		if err := r.scan(&word, &agent); err != nil {
			return err
		}
		if len(all) == 0 || all[len(all)-1].Capability != word {
			all = append(all, bus.Capability{Capability: word})
		}
		last := &all[len(all)-1]
		last.Agents = append(last.Agents, agent)
		last.Count++
		return nil
	})
	return all, err
}
