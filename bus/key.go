package bus

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nexus"
)

// A Key is how an agent proves itself over the network. Only its hash is kept.
type Key struct {
	ID         string   `json:"key_id"`
	AgentID    string   `json:"agent_id"`
	Name       *string  `json:"name"`
	Scopes     []string `json:"scopes"`
	CreatedAt  string   `json:"created_at"`
	ExpiresAt  *string  `json:"expires_at"`
	LastUsedAt *string  `json:"last_used_at"`

	Hash string `json:"-"`
}

type keyRows interface {
	InsertKey(Key) error
	Keys(agentID string) ([]Key, error)
	// DeleteKey forgets one key of an agent, DeleteKeys all of them.
	DeleteKey(agentID, keyID string) (found bool, err error)
	DeleteKeys(agentID string) error
	// KeyByHash finds a key of an active agent.
	KeyByHash(hash string) (Key, bool, error)
	// CountKeys counts all keys, up to a limit.
	CountKeys(limit int) (int, error)
	TouchKey(keyID, at string) error
}

// NewKey makes an API key: nxs_ and 48 hexadecimal digits.
func NewKey() string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // never fails
	return "nxs_" + hex.EncodeToString(random[:])
}

// HashKey is what is kept of a key.
func HashKey(key string) string { return hash(key) }

// RotatedKey is an agent's new key, which is shown only here.
type RotatedKey struct {
	AgentID   string `json:"agent_id"`
	APIKey    string `json:"api_key"`
	RotatedAt string `json:"rotated_at"`
}

// MadeID is what a repeated call is told instead of the key.
func (k RotatedKey) MadeID() string { return k.AgentID }

// RegenerateKey gives an agent a new key in place of all it has. The old ones
// are dead at once. An agent may do it for itself, and gets a key like the one
// that it came with.
func (s *Service) RegenerateKey(ctx context.Context, p AgentParams) (RotatedKey, error) {
	if err := cmp.Or(required("agent_id", p.AgentID), s.mayKey(ctx, p.AgentID)); err != nil {
		return RotatedKey{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (RotatedKey, error) {
		if err := s.agentLocked(tx, p.AgentID); err != nil {
			return RotatedKey{}, err
		}
		next, err := nextKey(tx, nexus.ActorFrom(ctx), p.AgentID)
		if err != nil {
			return RotatedKey{}, err
		}
		if err := tx.DeleteKeys(p.AgentID); err != nil {
			return RotatedKey{}, err
		}
		_, key, err := s.issueKey(ctx, tx, next, "key.rotated", now)
		return RotatedKey{p.AgentID, key, nexus.Stamp(now)}, err
	})
}

// nextKey is what an agent's key becomes by rotation. Nobody makes its own key
// wider or longer good by that.
func nextKey(tx Tx, a nexus.Actor, agentID string) (Key, error) {
	if a.AgentID != agentID || a.KeyID == "" {
		return Key{AgentID: agentID, Scopes: nexus.UsualScopes.List()}, nil
	}
	all, err := tx.Keys(agentID)
	if err != nil {
		return Key{}, err
	}
	i := slices.IndexFunc(all, func(k Key) bool { return k.ID == a.KeyID })
	if i < 0 { // another call was faster
		return Key{}, nexus.Errorf(nexus.AuthFailed, "The key that you came with was replaced or revoked.")
	}
	return Key{AgentID: agentID, Name: all[i].Name, Scopes: a.Scopes.List(), ExpiresAt: all[i].ExpiresAt}, nil
}

// mayKey refuses whoever would make keys for others: with such a key it could
// become anybody.
func (s *Service) mayKey(ctx context.Context, agentID string) error {
	if err := mayManage(agentID); err != nil { // the operator has its key elsewhere
		return err
	}
	a := nexus.ActorFrom(ctx)
	if a.AgentID == agentID || a.MayAdminister() {
		return nil
	}
	return nexus.Errorf(nexus.NotOwner, "Your key belongs to agent %q; only the operator makes keys for %q.", a.AgentID, agentID)
}

// agentLocked keeps everybody else from the keys of an agent, which must exist.
func (s *Service) agentLocked(tx Tx, agentID string) error {
	if err := tx.Lock("agent/" + agentID); err != nil {
		return err
	}
	exists, err := tx.AgentExists(agentID)
	if err == nil && !exists {
		err = noAgent(agentID)
	}
	return err
}

// CreateKeyParams describe one more key of an agent.
type CreateKeyParams struct {
	AgentID   string   `json:"agent_id" jsonschema:"whose key it is to be"`
	Name      string   `json:"name,omitempty" jsonschema:"what it is for, for people"`
	Scopes    []string `json:"scopes,omitempty" jsonschema:"what it may be used for: read, write, admin, mcp, rpc, workspace:ID; default read, write, mcp and rpc"`
	ExpiresAt string   `json:"expires_at,omitempty" jsonschema:"when it stops being good, such as 2030-01-31T00:00:00Z; default never"`
}

// CreatedKey is a new key, which is shown only here.
type CreatedKey struct {
	Key
	APIKey string `json:"api_key"`
}

// MadeID is what a repeated call is told instead of the key.
func (k CreatedKey) MadeID() string { return k.ID }

// mostKeys is how many keys an agent may have.
const mostKeys = 100

// CreateKey gives an agent one more key.
func (s *Service) CreateKey(ctx context.Context, p CreateKeyParams) (CreatedKey, error) {
	now := s.now()
	k := Key{AgentID: p.AgentID, Name: pointer(strings.TrimSpace(p.Name))}
	if err := cmp.Or(required("agent_id", p.AgentID), operatorOnly(ctx), mayManage(p.AgentID), brief("name", p.Name)); err != nil {
		return CreatedKey{}, err
	}
	scopes, err := nexus.ParseScopes(p.Scopes)
	if err != nil {
		return CreatedKey{}, err
	}
	k.Scopes = scopes.List()
	if p.ExpiresAt != "" {
		at, err := time.Parse(time.RFC3339Nano, p.ExpiresAt)
		if err != nil || !at.After(now) {
			return CreatedKey{}, nexus.Invalid("expires_at", "expires_at must be a time in the future, such as 2030-01-31T00:00:00Z.")
		}
		k.ExpiresAt = pointer(nexus.Stamp(at))
	}
	return nexus.Update(ctx, s.store, func(tx Tx) (CreatedKey, error) {
		if err := s.agentLocked(tx, p.AgentID); err != nil {
			return CreatedKey{}, err
		}
		all, err := tx.Keys(p.AgentID)
		if err != nil {
			return CreatedKey{}, err
		}
		if len(all) >= mostKeys {
			return CreatedKey{}, nexus.Errorf(nexus.Conflict, "Agent %q has %d keys, which is as many as it may. Revoke one first.", p.AgentID, len(all))
		}
		made, key, err := s.issueKey(ctx, tx, k, "key.created", now)
		return CreatedKey{made, key}, err
	})
}

// KeyList is every key of an agent, without the keys themselves.
type KeyList struct {
	Items []Key `json:"items"`
	nexus.OnePage
}

// Keys lists the keys of an agent, the oldest first.
func (s *Service) Keys(ctx context.Context, p AgentParams) (KeyList, error) {
	if err := cmp.Or(required("agent_id", p.AgentID), s.mayKey(ctx, p.AgentID)); err != nil {
		return KeyList{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (KeyList, error) {
		exists, err := tx.AgentExists(p.AgentID)
		if err == nil && !exists {
			err = noAgent(p.AgentID)
		}
		if err != nil {
			return KeyList{}, err
		}
		all, err := tx.Keys(p.AgentID)
		for i := range all {
			s.keyUses.overlay(&all[i])
		}
		return KeyList{Items: all}, err
	})
}

// KeyParams name a key of an agent.
type KeyParams struct {
	AgentID string `json:"agent_id" jsonschema:"whose key it is"`
	KeyID   string `json:"key_id" jsonschema:"which one"`
}

// RevokedKey says which key is dead.
type RevokedKey struct {
	AgentID string `json:"agent_id"`
	KeyID   string `json:"key_id"`
	Revoked bool   `json:"revoked"`
}

// RevokeKey makes one key of an agent useless at once.
func (s *Service) RevokeKey(ctx context.Context, p KeyParams) (RevokedKey, error) {
	if err := cmp.Or(required("agent_id", p.AgentID), required("key_id", p.KeyID), s.mayKey(ctx, p.AgentID)); err != nil {
		return RevokedKey{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (RevokedKey, error) {
		found, err := tx.DeleteKey(p.AgentID, p.KeyID)
		if err != nil || !found {
			return RevokedKey{}, orNotFound(err, "Agent %q has no key %q.", p.AgentID, p.KeyID)
		}
		tx.Wake(nexus.KeysKey)
		return RevokedKey{p.AgentID, p.KeyID, true},
			s.system(tx, now, "key.revoked", nexus.ActorFrom(ctx).Name(), map[string]any{"agent_id": p.AgentID, "key_id": p.KeyID})
	})
}

func (s *Service) issueKey(ctx context.Context, tx Tx, k Key, kind string, now time.Time) (made Key, key string, err error) {
	key = NewKey()
	k.ID, k.Hash, k.CreatedAt = s.newID("key"), hash(key), nexus.Stamp(now)
	if err := tx.InsertKey(k); err != nil {
		return k, "", err
	}
	tx.Wake(nexus.KeysKey)
	return k, key, s.system(tx, now, kind, nexus.ActorFrom(ctx).Name(), map[string]any{
		"agent_id": k.AgentID, "key_id": k.ID, "name": k.Name, "scopes": k.Scopes, "expires_at": k.ExpiresAt,
	})
}

// KeyActor tells who comes with a key that has this hash, and until when that is
// so (zero for ever). The keys of an agent that is not active belong to nobody.
func (s *Service) KeyActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error) {
	var may *Permissions
	k, err := nexus.View(ctx, s.store, func(tx Tx) (k Key, err error) {
		if k, found, err = tx.KeyByHash(hash); err != nil || !found {
			return k, err
		}
		may, err = permissionsOf(tx, k.AgentID)
		return k, err
	})
	if err != nil || !found {
		return a, until, false, err
	}
	if k.ExpiresAt != nil {
		if until, err = nexus.ParseStamp(*k.ExpiresAt); err != nil || !s.now().Before(until) {
			return a, until, false, err
		}
	}
	scopes, err := nexus.ParseScopes(k.Scopes)
	return keyActor(k, scopes, may), until, err == nil, err
}

// keyActor is who comes with a key. One that is kept from anything speaks for
// itself only, or it could do under another name what it may not under its own.
func keyActor(k Key, scopes nexus.Scopes, may *Permissions) nexus.Actor {
	return nexus.Actor{
		Kind: nexus.KindAgent, AgentID: k.AgentID, KeyID: k.ID, Scopes: scopes,
		Bound: may != nil || scopes.Workspaces() != nil,
		Blind: may != nil && !may.allow(readLog),
	}
}

// KeyUsed notes that a key is used. It is written down by [Service.WriteKeyUses],
// and known here until then.
func (s *Service) KeyUsed(keyID string) { s.keyUses.note(keyID, nexus.Stamp(s.now())) }

// WriteKeyUses writes down which keys were used since it was last done.
func (s *Service) WriteKeyUses(ctx context.Context) error {
	noted := s.keyUses.noted()
	_, err := nexus.Update(ctx, s.store, func(tx Tx) (None, error) {
		for id, at := range noted {
			if err := tx.TouchKey(id, at); err != nil {
				return None{}, err
			}
		}
		return None{}, nil
	})
	if err == nil {
		s.keyUses.forget(noted)
	}
	return err
}

// keyUses remembers, in this process, when keys were last used, until that is
// written down: every call would otherwise be a write.
type keyUses struct {
	mu sync.Mutex
	at map[string]string
}

// mostKeyUses bounds the memory; a use that finds no room is not written down.
const mostKeyUses = 4096

func (u *keyUses) note(keyID, at string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[string]string{}
	}
	if _, known := u.at[keyID]; known || len(u.at) < mostKeyUses {
		u.at[keyID] = at
	}
}

func (u *keyUses) noted() map[string]string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.at)
}

// forget drops uses, but for keys that were used again meanwhile.
func (u *keyUses) forget(written map[string]string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.at, func(keyID, at string) bool { return written[keyID] == at })
}

// overlay shows a key as used when it last was.
func (u *keyUses) overlay(k *Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at, ok := u.at[k.ID]; ok && (k.LastUsedAt == nil || at > *k.LastUsedAt) {
		k.LastUsedAt = &at
	}
}

// AnyKeys tells whether any agent has a key.
func (s *Service) AnyKeys(ctx context.Context) (bool, error) {
	n, err := nexus.View(ctx, s.store, func(tx Tx) (int, error) { return tx.CountKeys(1) })
	return n > 0, err
}
