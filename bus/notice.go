package bus

import (
	"cmp"

	"nexus"
)

type noticeRows interface {
	// LastWorkspace is where an agent was last or, if it was nowhere, the
	// workspace that was used last; "" where there is none.
	LastWorkspace(agentID string) (string, error)
}

// A Notice is what another part of the hub has to tell an agent.
type Notice struct {
	To, From    string
	WorkspaceID string // "" where it belongs to none in particular
	Subject     string
	Body        map[string]any
}

// Tell puts a notice into an agent's inbox, within the transaction of whoever
// has it to tell. It is NOT_FOUND where there is no such agent, and
// WORKSPACE_REQUIRED where there is no workspace at all that it could be in.
func (s *Service) Tell(tx Tx, n Notice) error {
	exists, err := tx.AgentExists(n.To)
	if err != nil {
		return err
	}
	if !exists {
		return noAgent(n.To)
	}
	if n.WorkspaceID == "" {
		if n.WorkspaceID, err = tx.LastWorkspace(n.To); err != nil {
			return err
		}
	}
	if n.WorkspaceID == "" {
		return nexus.Errorf(nexus.WorkspaceRequired, "Agent %q was not told: this hub has no workspace yet. Make one known with workspace_resolve.", n.To)
	}
	return s.notify(tx, n.WorkspaceID, n.To, cmp.Or(n.From, nexus.OperatorID), n.Subject, s.now(), n.Body)
}
