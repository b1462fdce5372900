package bus

import (
	"context"
	"fmt"
	"slices"

	"nexus"
)

type keylessRows interface {
	// AgentsWithoutKey are the names of those who have no API key, sorted, but
	// for one who needs none.
	AgentsWithoutKey(except string, limit int) ([]string, error)
}

// An IssuedKey is an agent's first key, which is shown only here.
type IssuedKey struct {
	AgentID string `json:"agent_id"`
	APIKey  string `json:"api_key"`
}

// IssuedKeys are the keys that a batch issued.
type IssuedKeys struct {
	Items []IssuedKey `json:"items"`
}

// MadeID is what a repeated call is told instead of the keys.
func (k IssuedKeys) MadeID() string { return fmt.Sprintf("%d keys", len(k.Items)) }

// IssueMissingKeys gives a key to agents that have none, a batch at a time: call
// it again until it issues nothing.
func (s *Service) IssueMissingKeys(ctx context.Context, _ None) (IssuedKeys, error) {
	if err := operatorOnly(ctx); err != nil {
		return IssuedKeys{}, err
	}
	keyless, err := nexus.View(ctx, s.store, func(tx Tx) ([]string, error) { return tx.AgentsWithoutKey(nexus.OperatorID, issueBatch) })
	if err != nil {
		return IssuedKeys{}, err
	}
	issued, err := s.issueKeys(ctx, keyless)
	return IssuedKeys{append([]IssuedKey{}, issued...)}, err
}

// issueBatch bounds how many agents one transaction locks.
const issueBatch = 100

// IssueKeys gives a key to every agent that has none. Keys that exist stay as
// they are, so doing it again issues nothing. If it fails half-way, the keys
// returned are those that are in force: they must be shown all the same.
func (s *Service) IssueKeys(ctx context.Context) ([]IssuedKey, error) {
	issued := []IssuedKey{}
	if err := operatorOnly(ctx); err != nil {
		return issued, err
	}
	for {
		keyless, err := nexus.View(ctx, s.store, func(tx Tx) ([]string, error) { return tx.AgentsWithoutKey(nexus.OperatorID, issueBatch) })
		if err != nil || len(keyless) == 0 {
			return issued, err
		}
		batch, err := s.issueKeys(ctx, keyless)
		issued = append(issued, batch...)
		if err != nil {
			return issued, err
		}
	}
}

// issueKeys gives keys to those of the agents that still have none once nobody
// else can give them one.
func (s *Service) issueKeys(ctx context.Context, agents []string) ([]IssuedKey, error) {
	now := s.now()
	locks := make([]string, len(agents))
	for i, id := range agents {
		locks[i] = "agent/" + id
	}
	return nexus.Update(ctx, s.store, func(tx Tx) ([]IssuedKey, error) {
		if err := tx.Lock(locks...); err != nil {
			return nil, err
		}
		keyless, err := tx.AgentsWithoutKey(nexus.OperatorID, issueBatch)
		if err != nil {
			return nil, err
		}
		var issued []IssuedKey
		for _, id := range keyless {
			if !slices.Contains(agents, id) { // it came just now; the next batch has it
				continue
			}
			_, key, err := s.issueKey(ctx, tx, Key{AgentID: id, Scopes: nexus.UsualScopes.List()}, "key.created", now)
			if err != nil {
				return nil, err
			}
			issued = append(issued, IssuedKey{id, key})
		}
		return issued, nil
	})
}
