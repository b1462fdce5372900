package main

import (
	"encoding/json"
	"maps"
	"sync/atomic"

	"nexus"
	"nexus/hub"
)

// A board is the table of settings of a running process: as flags, environment
// and file have it, with what the store keeps where those say nothing.
type board struct {
	pinned *Config
	now    atomic.Pointer[Config]
	// tell is called with the settings whenever they change.
	tell func(*Config)
}

func newBoard(cfg *Config) *board {
	b := &board{pinned: cfg, tell: func(*Config) {}}
	b.now.Store(cfg)
	return b
}

// config is every setting as it stands.
func (b *board) config() *Config { return b.now.Load() }

// Apply makes what is stored hold; see [hub.Board].
func (b *board) Apply(stored map[string]json.RawMessage) {
	cfg := b.pinned.withStored(stored)
	b.now.Store(cfg)
	b.tell(cfg)
}

// withStored is the configuration with stored values in place of defaults. A
// value that this program cannot use is as if it were not there: a store may have
// been used by another version.
func (c *Config) withStored(stored map[string]json.RawMessage) *Config {
	merged := *c
	merged.winners = maps.Clone(c.winners)
	r := resolver{config: &merged}
	for _, s := range settings {
		raw, ok := stored[s.key]
		if !ok || !s.changeable() || c.winners[s.key].origin > fromStore {
			continue
		}
		g := given{origin: fromStore, text: storedText(raw)}
		scratch := resolver{config: &Config{}}
		if scratch.assign(s, g) != nil {
			continue
		}
		_ = r.assign(s, g) // it was just tried
		merged.winners[s.key] = g
	}
	return &merged
}

// storedText is a JSON value as the text that a flag would carry.
func storedText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// changeable tells whether a running hub takes a new value for the setting.
func (s setting) changeable() bool { return s.bus || s.live }

// Check reads a value that is to be stored; see [hub.Board].
func (b *board) Check(key string, value json.RawMessage) (json.RawMessage, error) {
	s, ok := settingNamed(key)
	switch {
	case !ok || s.kind == kindSecret:
		known := settingKeys(setting.changeable)
		return nil, nexus.Errorf(nexus.InvalidSetting, "There is no setting %q%s.", shorten(key), didYouMean(key, known, "")).With("key", shorten(key))
	case !s.changeable():
		return nil, nexus.Errorf(nexus.InvalidSetting, "%s cannot be changed while the hub runs: start it with --%s, or write it into config.toml.", s.key, s.flags()[0]).
			With("key", s.key)
	case b.pinned.winners[s.key].origin > fromStore:
		return nil, nexus.Errorf(nexus.InvalidSetting, "%s is pinned by %s and cannot be changed here.", s.key, b.pinned.Source(s.key)).
			With("key", s.key).With("pinned_by", b.pinned.Source(s.key))
	case value == nil:
		return nil, nil
	}
	return checkedValue(s, value)
}

func checkedValue(s setting, value json.RawMessage) (json.RawMessage, error) {
	bad := nexus.Errorf(nexus.InvalidSetting, "Bad value %s for %s: need %s.", shorten(string(value)), s.key, s.allowed()).With("key", s.key)
	var isTrue bool
	isBool := json.Unmarshal(value, &isTrue) == nil
	if isBool != (s.kind == kindBoolean) && (isBool || value[0] != '"') { // a boolean is never an integer, nor the other way round
		return nil, bad
	}
	scratch := resolver{config: &Config{}}
	if value[0] == '{' || value[0] == '[' || scratch.assign(s, given{text: storedText(value)}) != nil {
		return nil, bad
	}
	switch p := s.field(scratch.config).(type) {
	case *int:
		return json.Marshal(*p)
	case *bool:
		return json.Marshal(*p)
	case *string:
		return json.Marshal(*p)
	}
	return nil, bad
}

// Show lists every setting as it stands with what is stored; see [hub.Board].
func (b *board) Show(stored map[string]json.RawMessage) []hub.Setting {
	cfg := b.pinned.withStored(stored)
	var shown []hub.Setting
	for _, s := range settings {
		if s.kind != kindSecret {
			shown = append(shown, shownSetting(cfg, s))
		}
	}
	return shown
}

func shownSetting(cfg *Config, s setting) hub.Setting {
	item := newSettingItem(cfg, s)
	from := cfg.winners[s.key].origin
	shown := hub.Setting{
		Key: s.key, Type: s.kind.wire(), Group: s.group(), Description: s.doc, Value: item.Value, Default: item.Default,
		Min: item.Min, Max: item.Max, Choices: append([]string{}, s.choices...),
		Source:          map[origin]string{fromDefault: "default", fromStore: "stored", fromFile: "file", fromEnv: "cli/env", fromFlag: "cli/env"}[from],
		Editable:        s.changeable() && from <= fromStore,
		RequiresRestart: s.restart || !s.changeable(),
	}
	if from > fromStore {
		by := cfg.Source(s.key)
		shown.PinnedBy = &by
	}
	return shown
}

// wire is the kind as programs know it.
func (k kind) wire() string {
	switch k {
	case kindInteger:
		return "int"
	case kindBoolean:
		return "bool"
	case kindChoice:
		return "enum"
	case kindList, kindNetworks:
		return "list"
	}
	return "string"
}

func (s setting) group() string {
	if s.bus {
		return "bus"
	}
	return "hub"
}
