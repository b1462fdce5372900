package bus

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"nexus"
)

// A Key is how an agent proves itself over the network. Only its hash is kept.
type Key struct {
	ID        string
	AgentID   string
	Hash      string
	CreatedAt string
}

type keyRows interface {
	InsertKey(Key) error
	DeleteKeys(agentID string) error
	KeyOwner(hash string) (agentID string, found bool, err error)
}

// NewKey makes an API key: nxs_ and 48 hexadecimal digits.
func NewKey() string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // never fails
	return "nxs_" + hex.EncodeToString(random[:])
}

// HashKey is what is kept of a key.
func HashKey(key string) string { return hash(key) }

// CreateAgentParams describe an agent that is to have a key.
type CreateAgentParams struct {
	AgentID      string     `json:"agent_id" jsonschema:"its name, 1 to 128 characters"`
	Role         *string    `json:"role,omitempty" jsonschema:"what it is, such as reviewer"`
	Capabilities nexus.JSON `json:"capabilities,omitempty" jsonschema:"what it can do: a list of words, or an object of word: true"`
	Metadata     nexus.JSON `json:"metadata,omitempty" jsonschema:"anything else about it"`
}

// CreatedAgent is a new agent with its key, which is shown only here.
type CreatedAgent struct {
	AgentID     string     `json:"agent_id"`
	Role        *string    `json:"role"`
	IsActive    bool       `json:"is_active"`
	CreatedAt   string     `json:"created_at"`
	PresetID    *string    `json:"preset_id"`
	Permissions nexus.JSON `json:"permissions"`
	APIKey      string     `json:"api_key"`
}

// MadeID is what a repeated call is told instead of the key.
func (a CreatedAgent) MadeID() string { return a.AgentID }

// CreateAgent registers an agent and gives it a key.
func (s *Service) CreateAgent(ctx context.Context, p CreateAgentParams) (CreatedAgent, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return CreatedAgent{}, err
	}
	if err := cmp.Or(mayRegister(p.AgentID), s.actAs(ctx, p.AgentID)); err != nil {
		return CreatedAgent{}, err
	}
	if n := len([]rune(p.AgentID)); n > 128 {
		return CreatedAgent{}, nexus.Invalid("agent_id", "agent_id has %d characters; at most 128 are allowed.", n)
	}
	register := RegisterParams(p)
	if err := s.checkProfile(&register); err != nil {
		return CreatedAgent{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (CreatedAgent, error) {
		if err := tx.Lock("agent/" + p.AgentID); err != nil {
			return CreatedAgent{}, err
		}
		exists, err := tx.AgentExists(p.AgentID)
		if err != nil {
			return CreatedAgent{}, err
		}
		if exists {
			return CreatedAgent{}, nexus.Errorf(nexus.Conflict,
				"There is an agent %q already. Give it a new key with regenerate-key.", p.AgentID).With("agent_id", p.AgentID)
		}
		a, err := s.saveAgent(tx, register, now)
		if err != nil {
			return CreatedAgent{}, err
		}
		key, err := s.issueKey(tx, a.ID, "key.created", now)
		return CreatedAgent{AgentID: a.ID, Role: a.Role, IsActive: true, CreatedAt: a.CreatedAt, APIKey: key}, err
	})
}

// RotatedKey is an agent's new key, which is shown only here.
type RotatedKey struct {
	AgentID   string `json:"agent_id"`
	APIKey    string `json:"api_key"`
	RotatedAt string `json:"rotated_at"`
}

// MadeID is what a repeated call is told instead of the key.
func (k RotatedKey) MadeID() string { return k.AgentID }

// RegenerateKey gives an agent a new key. The old one is dead at once.
func (s *Service) RegenerateKey(ctx context.Context, p AgentParams) (RotatedKey, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return RotatedKey{}, err
	}
	if a := nexus.ActorFrom(ctx); a.AgentID != "" && a.AgentID != p.AgentID { // or it could become anybody
		return RotatedKey{}, nexus.Errorf(nexus.NotOwner, "Your key belongs to agent %q; only the operator gives %q a new one.", a.AgentID, p.AgentID)
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (RotatedKey, error) {
		if err := tx.Lock("agent/" + p.AgentID); err != nil {
			return RotatedKey{}, err
		}
		exists, err := tx.AgentExists(p.AgentID)
		if err == nil && !exists {
			err = noAgent(p.AgentID)
		}
		if err != nil {
			return RotatedKey{}, err
		}
		if err := tx.DeleteKeys(p.AgentID); err != nil {
			return RotatedKey{}, err
		}
		key, err := s.issueKey(tx, p.AgentID, "key.rotated", now)
		return RotatedKey{p.AgentID, key, nexus.Stamp(now)}, err
	})
}

func (s *Service) issueKey(tx Tx, agentID, kind string, now time.Time) (string, error) {
	key := NewKey()
	id := s.newID("key")
	if err := tx.InsertKey(Key{id, agentID, hash(key), nexus.Stamp(now)}); err != nil {
		return "", err
	}
	tx.Wake(nexus.KeysKey)
	return key, s.system(tx, now, kind, agentID, map[string]any{"agent_id": agentID, "key_id": id})
}

// KeyOwner tells whose key has this hash. The keys of an agent that is not
// active belong to nobody.
func (s *Service) KeyOwner(ctx context.Context, hash string) (agentID string, found bool, err error) {
	err = s.store.View(ctx, func(tx Tx) (err error) {
		agentID, found, err = tx.KeyOwner(hash)
		return err
	})
	return agentID, found, err
}
