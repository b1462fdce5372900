package bus

import (
	"cmp"
	"context"

	"nexus"
)

type noticeRows interface {
	// LastWorkspace is where an agent was last or, if it was nowhere, the
	// workspace that was used last; "" where there is none.
	LastWorkspace(agentID string) (string, error)
}

// A Notice is what another part of the hub has to tell an agent.
type Notice struct {
	To          string
	From        string // who it is from, where no key tells
	WorkspaceID string // "" where it belongs to none in particular
	Subject     string
	Body        map[string]any
}

// Tell puts a notice into an agent's inbox, within the transaction of whoever
// has it to tell. It is NOT_FOUND where there is no such agent, and
// WORKSPACE_REQUIRED where there is no workspace at all that it could be in.
// Whoever came with a key tells it as a direct message: under the name of the
// key's owner, and refused as one.
func (s *Service) Tell(ctx context.Context, tx Tx, n Notice) error {
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
		return nexus.Errorf(nexus.WorkspaceRequired, "This hub has no workspace yet. Make one known with workspace_resolve.")
	}
	now := s.now()
	owner := nexus.ActorFrom(ctx).AgentID
	if owner != "" {
		if err := mayTell(tx, owner, n.To, now); err != nil {
			return err
		}
	}
	return s.notify(tx, n.WorkspaceID, n.To, cmp.Or(owner, n.From, nexus.OperatorID), n.Subject, now, n.Body)
}
