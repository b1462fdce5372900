package hub

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"nexus"
)

// A Setting is one knob of the hub: what it is, what it is set to, and by whom.
type Setting struct {
	Key             string   `json:"key"`
	Type            string   `json:"type" jsonschema:"int, bool, enum, string or list"`
	Group           string   `json:"group"`
	Description     string   `json:"description"`
	Value           any      `json:"value"`
	Default         any      `json:"default"`
	Min             *int     `json:"min"`
	Max             *int     `json:"max"`
	Choices         []string `json:"choices"`
	Source          string   `json:"source" jsonschema:"cli/env, file, stored or default"`
	PinnedBy        *string  `json:"pinned_by" jsonschema:"the flag, variable or file that decides, so that it cannot be changed here"`
	Editable        bool     `json:"editable"`
	RequiresRestart bool     `json:"requires_restart"`
}

// A Board is the table of settings as the program has it. What the store keeps
// is JSON by key; the program decides what of it holds.
type Board interface {
	// Show lists every setting as it stands with what is stored.
	Show(stored map[string]json.RawMessage) []Setting
	// Check reads a value that is to be stored, in any form a user may write,
	// and returns it in its own. It refuses what is unknown or pinned.
	Check(key string, value json.RawMessage) (json.RawMessage, error)
	// Apply makes what is stored hold in this process.
	Apply(stored map[string]json.RawMessage)
}

type settingRows interface {
	StoredSettings() (map[string]json.RawMessage, error)
	StoreSetting(key string, value json.RawMessage, at string) error
	DropSetting(key string) error
}

// SettingList is every setting there is.
type SettingList struct {
	Items []Setting `json:"items"`
	nexus.OnePage
}

// Settings lists the settings with what they are set to and where that is from.
func (s *Service) Settings(ctx context.Context, _ None) (SettingList, error) {
	stored, err := s.stored(ctx)
	if err != nil {
		return SettingList{}, err
	}
	return SettingList{Items: s.board.Show(stored)}, nil
}

func (s *Service) stored(ctx context.Context) (map[string]json.RawMessage, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (map[string]json.RawMessage, error) { return tx.StoredSettings() })
}

// ChangeSettingsParams are new values by key.
type ChangeSettingsParams struct {
	Values nexus.Object `json:"values" jsonschema:"the new values by key, such as {\"max_event_limit\":500}; null takes the stored value back"`
}

// ChangedSettings are the values that hold now.
type ChangedSettings struct {
	Applied map[string]json.RawMessage `json:"applied"`
}

// ChangeSettings stores new values, all or none, for every node and face. What
// needs a restart holds from the next start on.
func (s *Service) ChangeSettings(ctx context.Context, p ChangeSettingsParams) (ChangedSettings, error) {
	if err := operatorOnly(ctx); err != nil {
		return ChangedSettings{}, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(p.Values, &values); err != nil || len(values) == 0 {
		return ChangedSettings{}, nexus.Errorf(nexus.InvalidSetting, "Name at least one setting with its new value, such as {\"max_event_limit\":500}.")
	}
	if err := s.checkSettings(values); err != nil {
		return ChangedSettings{}, err
	}
	now := s.now()
	changed, err := nexus.Update(ctx, s.store, func(tx Tx) (ChangedSettings, error) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			var err error
			if string(values[key]) == "null" {
				err = tx.DropSetting(key)
			} else {
				err = tx.StoreSetting(key, values[key], nexus.Stamp(now))
			}
			if err != nil {
				return ChangedSettings{}, err
			}
		}
		tx.Wake(nexus.SettingsKey)
		return ChangedSettings{values}, s.system(tx, now, "settings.changed", nexus.ActorFrom(ctx).Name(), map[string]any{"applied": values})
	})
	if err != nil {
		return changed, err
	}
	return changed, s.LoadSettings(ctx)
}

// checkSettings replaces each value by its own form.
func (s *Service) checkSettings(values map[string]json.RawMessage) error {
	for key, value := range values {
		clear := string(value) == "null"
		if clear { // the key must still be one that can be changed
			value = nil
		}
		own, err := s.board.Check(key, value)
		if err != nil {
			return err
		}
		if !clear {
			values[key] = own
		}
	}
	return nil
}

// ClearedSettings lists the settings that are no longer stored.
type ClearedSettings struct {
	Cleared []string `json:"cleared"`
}

// ResetSettings forgets every stored value: what is not pinned is as if nobody
// had ever changed it.
func (s *Service) ResetSettings(ctx context.Context, _ None) (ClearedSettings, error) {
	if err := operatorOnly(ctx); err != nil {
		return ClearedSettings{}, err
	}
	now := s.now()
	cleared, err := nexus.Update(ctx, s.store, func(tx Tx) (ClearedSettings, error) {
		stored, err := tx.StoredSettings()
		if err != nil {
			return ClearedSettings{}, err
		}
		keys := slices.AppendSeq([]string{}, maps.Keys(stored))
		slices.Sort(keys)
		for _, key := range keys {
			if err := tx.DropSetting(key); err != nil {
				return ClearedSettings{}, err
			}
		}
		if len(keys) == 0 {
			return ClearedSettings{keys}, nil
		}
		tx.Wake(nexus.SettingsKey)
		return ClearedSettings{keys}, s.system(tx, now, "settings.reset", nexus.ActorFrom(ctx).Name(), map[string]any{"cleared": keys})
	})
	if err != nil {
		return cleared, err
	}
	return cleared, s.LoadSettings(ctx)
}

// LoadSettings makes what the store keeps hold in this process.
func (s *Service) LoadSettings(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	stored, err := s.stored(ctx)
	if err == nil {
		s.board.Apply(stored)
	}
	return err
}

// WatchSettings loads the settings whenever another process changes them, until
// ctx ends.
func (s *Service) WatchSettings(ctx context.Context) error {
	ready, stop := s.store.Watch(nexus.SettingsKey)
	defer stop()
	for {
		select {
		case <-ready:
		case <-ctx.Done():
			return nil
		}
		if err := s.LoadSettings(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.log.WarnContext(ctx, "the settings could not be read; the old ones hold", "cause", err)
		}
	}
}
