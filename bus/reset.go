package bus

import (
	"context"

	"nexus"
)

type resetRows interface {
	// Wipe deletes all rows of all tables but those to keep, and tells how many
	// there were in each.
	Wipe(keep []string) (map[string]int64, error)
}

// identity are the tables that make up who there is: the agents, what they may
// do, their keys, and the sessions in which people and MCP clients use them.
var identity = []string{"agents", "agent_capabilities", "api_keys", "permission_presets", "sign_ins", "mcp_sessions"}

// ResetParams ask for an empty store.
type ResetParams struct {
	KeepAgents *bool `json:"keep_agents,omitempty" jsonschema:"whether agents and their keys stay; default true"`
}

// ResetReport is what a reset deleted.
type ResetReport struct {
	Deleted    map[string]int64 `json:"deleted"`
	KeptAgents bool             `json:"kept_agents"`
	// Vacuumed tells whether the space was given back, too.
	Vacuumed bool `json:"vacuumed"`
}

// Reset empties the store: all messages, work, artifacts, events, workspaces and
// settings go, whatever their state. Agents and their keys stay unless told
// otherwise. The log goes on with the next number, and its first entry says what
// was done. Everybody who waits looks again.
func (s *Service) Reset(ctx context.Context, p ResetParams) (ResetReport, error) {
	if err := operatorOnly(ctx); err != nil {
		return ResetReport{}, err
	}
	report := ResetReport{KeptAgents: p.KeepAgents == nil || *p.KeepAgents}
	var keep []string
	if report.KeptAgents {
		keep = identity
	}
	now := s.now()
	kind, actor := nexus.ActorFrom(ctx).Kind, nexus.ActorFrom(ctx).Name()
	report, err := nexus.Update(ctx, s.store, func(tx Tx) (ResetReport, error) {
		done := report
		var err error
		if done.Deleted, err = tx.Wipe(keep); err != nil {
			return done, err
		}
		tx.Wake(nexus.EverybodyKey)
		return done, s.system(tx, now, "store.reset", actor, map[string]any{
			"actor": kind, "deleted": done.Deleted, "kept_agents": done.KeptAgents,
		})
	})
	if err != nil {
		return ResetReport{}, err
	}
	report.Vacuumed = s.vacuum(ctx)
	return report, nil
}

// vacuum gives the space of what was deleted back, if the store knows how and
// can do it now. It is a courtesy.
func (s *Service) vacuum(ctx context.Context) bool {
	v, ok := s.store.(interface {
		Vacuum(ctx context.Context) error
	})
	return ok && v.Vacuum(ctx) == nil
}
