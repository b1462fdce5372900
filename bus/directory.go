package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"nexus"
)

// A DirectoryEntry is an agent as whoever runs the hub sees it.
type DirectoryEntry struct {
	ID           string     `json:"agent_id"`
	Role         *string    `json:"role"`
	Capabilities nexus.JSON `json:"capabilities"`
	Metadata     nexus.JSON `json:"metadata"`
	IsActive     bool       `json:"is_active"`
	HasKey       bool       `json:"has_key"`
	CreatedAt    string     `json:"created_at"`
	LastSeenAt   *string    `json:"last_seen_at"`
	Permissions  nexus.JSON `json:"permissions"`
	PresetID     *string    `json:"preset_id"`
}

type directoryRows interface {
	// Directory lists agents after one in the order in which they came.
	Directory(afterTime, afterID string, limit int) ([]DirectoryEntry, error)
	DirectoryEntry(id string) (DirectoryEntry, bool, error)
	// SetStanding changes what an agent may do and whether its keys are good.
	SetStanding(id string, active bool, presetID *string, permissions json.RawMessage) error
	DeleteAgent(id string) error
}

// DirectoryParams ask for a page of the directory.
type DirectoryParams struct {
	Limit  *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 10000; default 10000"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

// DirectoryPage is a page of the directory.
type DirectoryPage struct {
	Items      []DirectoryEntry `json:"items"`
	NextCursor *string          `json:"next_cursor"`
}

const mostAgents = 10_000

// Directory lists the agents, the oldest first.
func (s *Service) Directory(ctx context.Context, p DirectoryParams) (DirectoryPage, error) {
	limit, err := pageLimit(p.Limit, mostAgents, mostAgents)
	if err != nil {
		return DirectoryPage{}, err
	}
	afterTime, afterID, ok := strings.Cut(p.Cursor, "~")
	if p.Cursor != "" && !ok {
		return DirectoryPage{}, nexus.Invalid("cursor", "cursor must be a next_cursor that was returned before.")
	}
	return nexus.View(ctx, s.store, func(tx Tx) (DirectoryPage, error) {
		all, err := tx.Directory(afterTime, afterID, limit+1)
		page := DirectoryPage{Items: all}
		if len(all) > limit {
			last := all[limit-1]
			page.Items, page.NextCursor = all[:limit], pointer(last.CreatedAt+"~"+last.ID)
		}
		for i := range page.Items {
			s.overlayEntry(&page.Items[i])
		}
		return page, err
	})
}

// overlayEntry shows an agent as seen when it last did something.
func (s *Service) overlayEntry(e *DirectoryEntry) {
	a := Agent{ID: e.ID, LastSeenAt: e.LastSeenAt}
	s.glances.overlay(&a)
	e.LastSeenAt = a.LastSeenAt
}

// DirectoryEntry is one agent of the directory.
func (s *Service) DirectoryEntry(ctx context.Context, p AgentParams) (DirectoryEntry, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return DirectoryEntry{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (DirectoryEntry, error) {
		e, err := entry(tx, p.AgentID)
		s.overlayEntry(&e)
		return e, err
	})
}

func entry(tx Tx, id string) (DirectoryEntry, error) {
	e, found, err := tx.DirectoryEntry(id)
	if err == nil && !found {
		err = noAgent(id)
	}
	return e, err
}

// CreateAgentParams describe an agent that is to have a key.
type CreateAgentParams struct {
	AgentID      string       `json:"agent_id" jsonschema:"its name, 1 to 128 characters"`
	Role         *string      `json:"role,omitempty" jsonschema:"what it is, such as reviewer"`
	Capabilities nexus.JSON   `json:"capabilities,omitempty" jsonschema:"what it can do: a list of words, or an object of word: true"`
	Metadata     nexus.JSON   `json:"metadata,omitempty" jsonschema:"anything else about it"`
	PresetID     *string      `json:"preset_id,omitempty" jsonschema:"what it may do, such as builtin:worker; preset_list shows them"`
	Permissions  nexus.Object `json:"permissions,omitempty" jsonschema:"what it may do, which outranks the preset"`
	Scopes       []string     `json:"scopes,omitempty" jsonschema:"what its key may be used for; default read, write, mcp and rpc"`
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
	if err := cmp.Or(required("agent_id", p.AgentID), operatorOnly(ctx), mayCreate(p.AgentID)); err != nil {
		return CreatedAgent{}, err
	}
	if n := utf8.RuneCountInString(p.AgentID); n > 128 {
		return CreatedAgent{}, nexus.Invalid("agent_id", "agent_id has %d characters; at most 128 are allowed.", n)
	}
	scopes, err := nexus.ParseScopes(p.Scopes)
	if err != nil {
		return CreatedAgent{}, err
	}
	register := RegisterParams{p.AgentID, p.Role, flagged(p.Capabilities), p.Metadata}
	if err := cmp.Or(s.checkProfile(&register), s.fits("permissions", len(p.Permissions)), parsePermissions("permissions", p.Permissions)); err != nil {
		return CreatedAgent{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (CreatedAgent, error) {
		if err := tx.Lock("agent/"+p.AgentID, "presets"); err != nil {
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
		if err := checkPresetOf(tx, p.PresetID); err != nil {
			return CreatedAgent{}, err
		}
		a, err := s.saveAgent(tx, register, administrator(ctx), now)
		if err != nil {
			return CreatedAgent{}, err
		}
		made := CreatedAgent{AgentID: a.ID, Role: a.Role, IsActive: true, CreatedAt: a.CreatedAt, PresetID: clean(p.PresetID), Permissions: orNone(p.Permissions)}
		if err := tx.SetStanding(a.ID, true, made.PresetID, made.Permissions); err != nil {
			return CreatedAgent{}, err
		}
		_, made.APIKey, err = s.issueKey(ctx, tx, Key{AgentID: a.ID, Scopes: scopes.List()}, "key.created", now)
		return made, err
	})
}

// UpdateAgentParams change an agent; what is left out stays as it is.
type UpdateAgentParams struct {
	AgentID      string       `json:"agent_id" jsonschema:"whom to change"`
	Role         *string      `json:"role,omitempty" jsonschema:"what it is; empty for nothing in particular"`
	Capabilities nexus.JSON   `json:"capabilities,omitempty" jsonschema:"what it can do: a list of words, or an object of word: true"`
	Metadata     nexus.JSON   `json:"metadata,omitempty" jsonschema:"anything else about it"`
	PresetID     *string      `json:"preset_id,omitempty" jsonschema:"what it may do, such as builtin:worker; empty for none"`
	Permissions  nexus.Object `json:"permissions,omitempty" jsonschema:"what it may do, which outranks the preset; {} for nothing of its own"`
	IsActive     *bool        `json:"is_active,omitempty" jsonschema:"false makes its keys useless until it is true again"`
}

func (p UpdateAgentParams) changesNothing() bool {
	return p.Role == nil && p.Capabilities == nil && p.Metadata == nil && p.PresetID == nil && len(p.Permissions) == 0 && p.IsActive == nil
}

// UpdateAgent changes what an agent is and may do. One that is made inactive
// cannot come in any more, from that moment on.
func (s *Service) UpdateAgent(ctx context.Context, p UpdateAgentParams) (DirectoryEntry, error) {
	register := RegisterParams{p.AgentID, p.Role, flagged(p.Capabilities), p.Metadata}
	if err := cmp.Or(required("agent_id", p.AgentID), operatorOnly(ctx), mayManage(p.AgentID), s.checkProfile(&register),
		s.fits("permissions", len(p.Permissions)), parsePermissions("permissions", p.Permissions)); err != nil {
		return DirectoryEntry{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (DirectoryEntry, error) {
		if err := tx.Lock("agent/"+p.AgentID, "presets"); err != nil {
			return DirectoryEntry{}, err
		}
		e, err := entry(tx, p.AgentID)
		if err != nil {
			return e, err
		}
		if p.changesNothing() {
			return e, nil
		}
		if err := checkPresetOf(tx, p.PresetID); err != nil {
			return e, err
		}
		if p.Role != nil || p.Capabilities != nil || p.Metadata != nil {
			if err := s.editProfile(tx, register, e); err != nil {
				return e, err
			}
		}
		if p.PresetID != nil {
			e.PresetID = clean(p.PresetID)
		}
		if len(p.Permissions) > 0 {
			e.Permissions = orNone(p.Permissions)
		}
		if p.IsActive != nil {
			e.IsActive = *p.IsActive
		}
		if err := tx.SetStanding(e.ID, e.IsActive, e.PresetID, e.Permissions); err != nil {
			return e, err
		}
		tx.Wake(nexus.KeysKey)
		if e, err = entry(tx, p.AgentID); err != nil {
			return e, err
		}
		return e, s.system(tx, now, "agent.edited", nexus.ActorFrom(ctx).Name(), map[string]any{
			"agent_id": e.ID, "role": e.Role, "is_active": e.IsActive, "preset_id": e.PresetID, "permissions": e.Permissions,
		})
	})
}

// editProfile changes what is said of an agent. That it was edited does not mean
// that it was seen.
func (s *Service) editProfile(tx Tx, p RegisterParams, e DirectoryEntry) error {
	a := RegisteredAgent{Agent: Agent{e.ID, e.Role, e.Capabilities, e.Metadata, e.CreatedAt, e.LastSeenAt}, UpdatedAt: nexus.Stamp(s.now())}
	if p.Role != nil {
		a.Role = clean(p.Role)
	}
	if p.Capabilities != nil {
		a.Capabilities = p.Capabilities
	}
	if p.Metadata != nil {
		a.Metadata = p.Metadata
	}
	capabilities, err := capabilitySet(a.Capabilities)
	if err != nil {
		return err
	}
	return tx.SaveAgent(a, capabilities)
}

// DeletedAgent says which agent is gone.
type DeletedAgent struct {
	AgentID string `json:"agent_id"`
	Deleted bool   `json:"deleted"`
}

// DeleteAgent deletes an agent with its keys, sessions and inbox. What it sent,
// and what it did, stays; work that it holds is free again when its lease ends.
func (s *Service) DeleteAgent(ctx context.Context, p AgentParams) (DeletedAgent, error) {
	if err := cmp.Or(required("agent_id", p.AgentID), operatorOnly(ctx), mayManage(p.AgentID)); err != nil {
		return DeletedAgent{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (DeletedAgent, error) {
		if err := s.agentLocked(tx, p.AgentID); err != nil {
			return DeletedAgent{}, err
		}
		if err := tx.DeleteAgent(p.AgentID); err != nil {
			return DeletedAgent{}, err
		}
		tx.Wake(nexus.KeysKey, nexus.InboxKey(p.AgentID))
		return DeletedAgent{p.AgentID, true},
			s.system(tx, now, "agent.deleted", nexus.ActorFrom(ctx).Name(), map[string]any{"agent_id": p.AgentID})
	})
}

// checkPresetOf refuses a preset that does not exist.
func checkPresetOf(tx Tx, id *string) error {
	if id == nil || *id == "" {
		return nil
	}
	if _, builtin := builtinPreset(*id); builtin {
		return nil
	}
	_, found, err := tx.Preset(*id)
	if err == nil && !found {
		err = nexus.Invalid("preset_id", "There is no preset %q. preset_list shows them.", clip(*id))
	}
	return err
}

// flagged is a list of capabilities as an object of word: true, which is how the
// directory keeps them.
func flagged(raw nexus.JSON) nexus.JSON {
	if inner, ok := jsonInString(raw); ok {
		raw = inner
	}
	var words []string
	if len(raw) == 0 || !unmarshalStrings(raw, &words) {
		return raw
	}
	flags := make(map[string]bool, len(words))
	for _, w := range words {
		flags[w] = true
	}
	return mustJSON(flags)
}

// clean is a text that is not blank, or none.
func clean(s *string) *string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return nil
	}
	return s
}

// orNone is permissions that say something, or none.
func orNone(raw nexus.Object) nexus.JSON {
	var flags map[string]any
	if json.Unmarshal(raw, &flags) != nil || len(flags) == 0 {
		return nil
	}
	return nexus.JSON(raw)
}
