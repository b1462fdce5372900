package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/hub"
)

func configSetCommand(a *app) *cobra.Command {
	var inFile bool
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a setting",
		Long: `Change a setting. One that a running hub can change is kept in the store, and
holds at once for every hub and process that uses it. Any other, or any at all
with --file, is written into config.toml, which is read at the next start.

What a flag or a variable says cannot be changed here: those win.`,
		Example: "  nexus config set max_inline_bytes 131072\n  nexus config set port 9000",
		Args:    exactly("the key of a setting and its new value", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.configChange(cmd.Context(), args[0], &args[1], inFile)
		},
	}
	cmd.Flags().BoolVar(&inFile, "file", false, "Write it into config.toml.")
	return cmd
}

func configUnsetCommand(a *app) *cobra.Command {
	var inFile bool
	cmd := &cobra.Command{
		Use:   "unset KEY",
		Short: "Take a change of a setting back",
		Args:  oneArg("the key of a setting"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.configChange(cmd.Context(), args[0], nil, inFile)
		},
	}
	cmd.Flags().BoolVar(&inFile, "file", false, "Take it out of config.toml.")
	return cmd
}

// configChange changes a setting where it is kept, or takes that back when there
// is no value.
func (a *app) configChange(ctx context.Context, key string, value *string, inFile bool) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	s, ok := settingNamed(strings.ReplaceAll(strings.TrimPrefix(key, "--"), "-", "_"))
	if !ok {
		return unknownKey(key)
	}
	if value != nil {
		r := resolver{config: &Config{Home: cfg.Home}, env: a.env}
		if err := r.assign(s, given{origin: fromFlag, where: "config set", text: *value}); err != nil {
			return nexus.Errorf(nexus.ConfigError, "bad value %q for %s: need %s", shorten(*value), s.key, s.allowed())
		}
	}
	from := cfg.winners[s.key].origin
	switch {
	case from > fromFile:
		return nexus.Errorf(nexus.InvalidSetting, "%s is pinned by %s, which wins over whatever is changed here", s.key, cfg.Source(s.key))
	case s.changeable() && from <= fromStore && !inFile:
		return a.changeStored(ctx, cfg, s, value)
	}
	return a.changeFile(cfg, s, value)
}

// changeStored changes what the store keeps, through the hub if one runs.
func (a *app) changeStored(ctx context.Context, cfg *Config, s setting, value *string) error {
	raw := json.RawMessage("null")
	if value != nil {
		raw, _ = json.Marshal(*value) // a string always marshals
	}
	values, _ := json.Marshal(map[string]json.RawMessage{s.key: raw})
	changed, err := withOperator(ctx, cfg, func(call caller) (changed hub.ChangedSettings, err error) {
		return changed, call("settings_change", hub.ChangeSettingsParams{Values: nexus.Object(values)}, &changed)
	})
	if err != nil {
		return err
	}
	when := "It holds now."
	if s.restart {
		when = "It holds from the next start on."
	}
	fmt.Fprintf(a.stderr, "Stored for every hub on this database. %s\n", when)
	return printJSON(a.stdout, changed)
}

// changeFile changes config.toml and keeps everything else in it.
func (a *app) changeFile(cfg *Config, s setting, value *string) error {
	if !s.inFile() {
		return nexus.Errorf(nexus.ConfigError, "%s cannot be set in a file; use %s", s.key, s.variables()[0])
	}
	if err := ensureHome(cfg.Home); err != nil {
		return err
	}
	file, err := readHostFile(cfg.Path())
	if err != nil {
		return err
	}
	text := file.text
	if s.alias != "" {
		text = tomlFile{}.remove(text, []string{s.alias})
	}
	if value != nil {
		text = setTop(text, s.key, tomlValue(fileValue(s, *value)))
	} else {
		text = tomlFile{}.remove(text, []string{s.key})
	}
	if _, err := (tomlFile{}).parse(text); err != nil {
		return nexus.Errorf(nexus.ConfigError, "%s cannot be changed without breaking it; edit it by hand", cfg.Path())
	}
	if err := file.replace(text); err != nil {
		return nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", cfg.Path(), rootCause(err))
	}
	fmt.Fprintf(a.stderr, "Written to %s. It holds from the next start on.\n", cfg.Path())
	return nil
}

// setTop sets a key at the top level of a file: where it is, or before the first
// table.
func setTop(text []byte, key, value string) []byte {
	line, at := key+" = "+value, -1
	for _, l := range tomlLines(text) {
		if !l.table && len(l.key) == 1 && l.key[0] == key {
			return splice(text, l.start, l.end, line)
		}
		if l.table && at < 0 {
			at = l.start
		}
	}
	if at >= 0 {
		return splice(text, at, at, line+newline(text))
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = newline(text) + line
	}
	return splice(text, len(text), len(text), line+newline(text))
}

// fileValue is a value as the file writes it.
func fileValue(s setting, text string) any {
	switch s.kind {
	case kindInteger:
		n, _ := parseInteger(text, s.min, s.max)
		return n
	case kindBoolean:
		yes, _ := parseBoolean(text)
		return yes
	}
	return strings.TrimSpace(text)
}

// replace puts another text in the file's place, in one step.
func (f hostFile) replace(text []byte) error {
	mode := f.mode
	if !f.exists {
		mode = 0o600
	}
	temp := f.real + ".nexus-" + rand.Text()[:8]
	if err := writeNew(temp, text, mode); err != nil {
		return err
	}
	if err := os.Rename(temp, f.real); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// loadStored is the configuration with what the store keeps, where there is a
// file or a running hub to ask. Whoever looks at settings may be about to mend
// what keeps a server from being reached.
func (a *app) loadStored(ctx context.Context) (*Config, error) {
	cfg, err := a.load()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(cfg.DB); err != nil && !hubUses(cfg) {
		return cfg, nil
	}
	list, err := withOperator(ctx, cfg, func(call caller) (list hub.SettingList, err error) {
		return list, call("settings_list", hub.None{}, &list)
	})
	if err != nil {
		fmt.Fprintf(a.stderr, "The settings in the store cannot be read: %v\n", err)
		return cfg, nil
	}
	stored := map[string]json.RawMessage{}
	for _, s := range list.Items {
		if s.Source == "stored" {
			stored[s.Key], _ = json.Marshal(s.Value) // it came as JSON
		}
	}
	return cfg.withStored(stored), nil
}
