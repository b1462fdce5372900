package bus

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"nexus"
)

// A Preset is a set of permissions with a name, for agents that have the same.
type Preset struct {
	ID          string       `json:"preset_id"`
	Name        string       `json:"name"`
	Description *string      `json:"description"`
	Flags       nexus.Object `json:"flags"`
	Builtin     bool         `json:"builtin"`
	CreatedAt   *string      `json:"created_at"`
	UpdatedAt   *string      `json:"updated_at"`
}

type presetRows interface {
	Preset(id string) (Preset, bool, error)
	// PresetNamed tells whether another preset has the name.
	PresetNamed(name, except string) (bool, error)
	Presets() ([]Preset, error)
	SavePreset(Preset) error
	DeletePreset(id string) error
	// AgentsWithPreset counts those who have it.
	AgentsWithPreset(id string) (int, error)
}

const builtinPrefix = "builtin:"

// builtins are the presets that every hub has. They cannot be changed.
var builtins = []struct{ name, doc, flags string }{
	{
		"full", "Everything.",
		`{"messages":{"send_direct":true,"send_broadcast":true,"send_channel":true},"handoffs":{"create":true,"work":true,"cancel":true},` +
			`"channels":{"create":true},"artifacts":{"put":true},"events":{"read":true}}`,
	},
	{
		"coordinator", "Gives work out and talks to everybody, but takes none itself.",
		`{"messages":{"send_direct":true,"send_broadcast":true,"send_channel":true},"handoffs":{"create":true,"work":false,"cancel":true},` +
			`"channels":{"create":true},"artifacts":{"put":true},"events":{"read":true}}`,
	},
	{
		"worker", "Takes work and reports; does not address everybody or give work out.",
		`{"messages":{"send_direct":true,"send_broadcast":false,"send_channel":true},"handoffs":{"create":false,"work":true,"cancel":false},` +
			`"channels":{"create":false},"artifacts":{"put":true},"events":{"read":true}}`,
	},
	{
		"observer", "Looks on.",
		`{"messages":{"send_direct":false,"send_broadcast":false,"send_channel":false},"handoffs":{"create":false,"work":false,"cancel":false},` +
			`"channels":{"create":false},"artifacts":{"put":false},"events":{"read":true}}`,
	},
}

func builtinPreset(id string) (Preset, bool) {
	name, ok := strings.CutPrefix(id, builtinPrefix)
	if !ok {
		return Preset{}, false
	}
	for _, b := range builtins {
		if b.name == name {
			return Preset{ID: id, Name: b.name, Description: &b.doc, Flags: nexus.Object(b.flags), Builtin: true}, true
		}
	}
	return Preset{}, false
}

// PresetList is every preset there is.
type PresetList struct {
	Items []Preset `json:"items"`
	nexus.OnePage
}

// Presets lists the presets, those that are built in first.
func (s *Service) Presets(ctx context.Context, _ None) (PresetList, error) {
	all := PresetList{}
	for _, b := range builtins {
		p, _ := builtinPreset(builtinPrefix + b.name)
		all.Items = append(all.Items, p)
	}
	return nexus.View(ctx, s.store, func(tx Tx) (PresetList, error) {
		own, err := tx.Presets()
		return PresetList{Items: append(all.Items, own...)}, err
	})
}

// CreatePresetParams describe a preset.
type CreatePresetParams struct {
	Name        string       `json:"name" jsonschema:"what to call it, 1 to 100 characters"`
	Description *string      `json:"description,omitempty" jsonschema:"what it is for"`
	Flags       nexus.Object `json:"flags" jsonschema:"what it allows, such as {messages:{send_broadcast:false}}; what is not mentioned is allowed"`
}

// CreatePreset makes a preset.
func (s *Service) CreatePreset(ctx context.Context, p CreatePresetParams) (Preset, error) {
	if err := operatorOnly(ctx); err != nil {
		return Preset{}, err
	}
	now := s.now()
	stamp := nexus.Stamp(now)
	made := Preset{ID: s.newID("prs"), Name: strings.TrimSpace(p.Name), Description: p.Description, Flags: p.Flags, CreatedAt: &stamp, UpdatedAt: &stamp}
	if err := s.checkPreset(made); err != nil {
		return Preset{}, err
	}
	return nexus.Update(ctx, s.store, func(tx Tx) (Preset, error) {
		return made, s.savePreset(ctx, tx, made, "preset.created")
	})
}

func (s *Service) checkPreset(p Preset) error {
	n := utf8.RuneCountInString(p.Name)
	if n < 1 || n > 100 {
		return nexus.Invalid("name", "name must have 1 to 100 characters.")
	}
	if string(p.Flags) == "null" || len(p.Flags) == 0 {
		return nexus.Invalid("flags", "flags is required: an object, {} allows everything.")
	}
	return cmp.Or(s.fits("description", len(deref(p.Description))), s.fits("flags", len(p.Flags)), parsePermissions("flags", p.Flags))
}

func (s *Service) savePreset(ctx context.Context, tx Tx, p Preset, kind string) error {
	if err := tx.Lock("presets"); err != nil {
		return err
	}
	_, builtin := builtinPreset(builtinPrefix + strings.ToLower(p.Name))
	taken, err := tx.PresetNamed(p.Name, p.ID)
	if err != nil {
		return err
	}
	if taken || builtin {
		return nexus.Errorf(nexus.Conflict, "There is a preset %q already. Choose another name.", p.Name).With("name", p.Name)
	}
	if err := tx.SavePreset(p); err != nil {
		return err
	}
	tx.Wake(nexus.KeysKey) // what a key may do is remembered with it
	return s.system(tx, s.now(), kind, nexus.ActorFrom(ctx).Name(), map[string]any{"preset_id": p.ID, "name": p.Name, "flags": p.Flags})
}

// UpdatePresetParams change a preset; what is left out stays as it is.
type UpdatePresetParams struct {
	PresetID    string       `json:"preset_id" jsonschema:"which one"`
	Name        *string      `json:"name,omitempty" jsonschema:"a new name"`
	Description *string      `json:"description,omitempty" jsonschema:"what it is for"`
	Flags       nexus.Object `json:"flags,omitempty" jsonschema:"what it allows now"`
}

// UpdatePreset changes a preset, and with it what all agents that have it may do.
func (s *Service) UpdatePreset(ctx context.Context, p UpdatePresetParams) (Preset, error) {
	if err := cmp.Or(operatorOnly(ctx), notBuiltin(p.PresetID)); err != nil {
		return Preset{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (Preset, error) {
		preset, found, err := tx.Preset(p.PresetID)
		if err != nil || !found {
			return Preset{}, orNotFound(err, "There is no preset %q.", p.PresetID)
		}
		if p.Name != nil {
			preset.Name = strings.TrimSpace(*p.Name)
		}
		if p.Description != nil {
			preset.Description = p.Description
		}
		if len(p.Flags) > 0 {
			preset.Flags = p.Flags
		}
		preset.UpdatedAt = pointer(nexus.Stamp(now))
		if err := s.checkPreset(preset); err != nil {
			return Preset{}, err
		}
		return preset, s.savePreset(ctx, tx, preset, "preset.updated")
	})
}

// PresetParams name a preset.
type PresetParams struct {
	PresetID string `json:"preset_id" jsonschema:"which one"`
}

// DeletedPreset says which preset is gone.
type DeletedPreset struct {
	PresetID string `json:"preset_id"`
	Deleted  bool   `json:"deleted"`
}

// DeletePreset deletes a preset that nobody has: it may be all that keeps an
// agent from something.
func (s *Service) DeletePreset(ctx context.Context, p PresetParams) (DeletedPreset, error) {
	if err := cmp.Or(operatorOnly(ctx), notBuiltin(p.PresetID)); err != nil {
		return DeletedPreset{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (DeletedPreset, error) {
		if err := tx.Lock("presets"); err != nil {
			return DeletedPreset{}, err
		}
		preset, found, err := tx.Preset(p.PresetID)
		if err != nil || !found {
			return DeletedPreset{}, orNotFound(err, "There is no preset %q.", p.PresetID)
		}
		users, err := tx.AgentsWithPreset(p.PresetID)
		if err != nil {
			return DeletedPreset{}, err
		}
		if users > 0 {
			return DeletedPreset{}, nexus.Errorf(nexus.Conflict, "%d agents have the preset %q. Give them another one first.", users, preset.Name).With("agents", users)
		}
		if err := tx.DeletePreset(p.PresetID); err != nil {
			return DeletedPreset{}, err
		}
		return DeletedPreset{p.PresetID, true},
			s.system(tx, now, "preset.deleted", nexus.ActorFrom(ctx).Name(), map[string]any{"preset_id": p.PresetID, "name": preset.Name})
	})
}

func notBuiltin(id string) error {
	if err := required("preset_id", id); err != nil {
		return err
	}
	if _, builtin := builtinPreset(id); builtin {
		return nexus.Errorf(nexus.PermissionDenied, "%q is built in and cannot be changed. Make a preset of your own.", id)
	}
	return nil
}
