package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
)

// configCommand shows what the settings are and where they came from.
func configCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change the settings",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "show",
			Short: "Show every setting with its value and source",
			RunE:  func(cmd *cobra.Command, _ []string) error { return a.configShow(cmd) },
		},
		&cobra.Command{
			Use:   "get KEY",
			Short: "Print the value of one setting",
			Args:  oneArg("the key of a setting"),
			RunE:  func(cmd *cobra.Command, args []string) error { return a.configGet(cmd.Context(), args[0]) },
		},
		configSetCommand(a), configUnsetCommand(a),
		&cobra.Command{
			Use:   "path",
			Short: "Print where the configuration file is, or would be",
			RunE:  func(*cobra.Command, []string) error { return a.configPath() },
		},
	)
	return cmd
}

// A settingItem is a setting as JSON shows it.
type settingItem struct {
	Key         string   `json:"key"`
	Value       any      `json:"value"`
	Default     any      `json:"default"`
	Source      string   `json:"source"`
	Description string   `json:"description"`
	Type        kind     `json:"type"`
	Min         *int     `json:"min,omitempty"`
	Max         *int     `json:"max,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	Flags       []string `json:"flags"`
	Env         []string `json:"env"`
}

func newSettingItem(cfg *Config, s setting) settingItem {
	item := settingItem{
		Key: s.key, Value: cfg.Value(s), Default: s.initial(), Source: cfg.Source(s.key),
		Description: s.doc, Type: s.kind, Choices: s.choices, Flags: []string{}, Env: s.variables(),
	}
	for _, name := range s.flags() {
		item.Flags = append(item.Flags, "--"+name)
	}
	if s.kind == kindInteger {
		item.Min = &s.min
		if s.max > 0 {
			item.Max = &s.max
		}
	}
	return item
}

func (a *app) configShow(cmd *cobra.Command) error {
	cfg, err := a.loadStored(cmd.Context())
	if err != nil {
		return err
	}
	var shown []settingItem
	for _, s := range settings {
		shown = append(shown, newSettingItem(cfg, s))
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, items(shown))
	}
	rows := [][]string{{"KEY", "VALUE", "SOURCE"}}
	for _, item := range shown {
		rows = append(rows, []string{item.Key, plain(item.Value), item.Source})
	}
	return printTable(a.stdout, rows)
}

func (a *app) configGet(ctx context.Context, key string) error {
	cfg, err := a.loadStored(ctx)
	if err != nil {
		return err
	}
	s, ok := settingNamed(strings.ReplaceAll(strings.TrimPrefix(key, "--"), "-", "_"))
	if !ok {
		return unknownKey(key)
	}
	if a.json {
		return printJSON(a.stdout, newSettingItem(cfg, s))
	}
	_, err = fmt.Fprintln(a.stdout, plain(cfg.Value(s)))
	return err
}

// configPath works also when the file is what is wrong.
func (a *app) configPath() error {
	cfg, err := homeOnly(a.flags, a.env)
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a.stdout, map[string]string{"path": cfg.Path()})
	}
	_, err = fmt.Fprintln(a.stdout, cfg.Path())
	return err
}

// plain is a value as a person reads it and a shell takes it.
func plain(v any) string {
	if words, ok := v.([]string); ok {
		return strings.Join(words, ",")
	}
	return fmt.Sprint(v)
}

// An unknownKeyError is a question about a setting that does not exist.
type unknownKeyError struct{ error }

func unknownKey(key string) error {
	known := settingKeys(func(setting) bool { return true })
	return unknownKeyError{nexus.Errorf(nexus.ConfigError, "unknown key %q%s", shorten(key), didYouMean(key, known, ""))}
}

func (e unknownKeyError) Unwrap() error   { return e.error }
func (e unknownKeyError) exitStatus() int { return exitNotFound }

// printSettings is the help topic: the whole table, for reading.
func printSettings(a *app) error {
	fmt.Fprint(a.stdout, settingsIntro)
	for _, s := range settings {
		names := strings.Join(s.variables()[:len(s.names())], ", ")
		if flags := s.flags(); len(flags) > 0 {
			names = "--" + strings.Join(flags, ", --") + ", " + names
		}
		fmt.Fprintf(a.stdout, "\n%s\n    %s\n    %s\n", a.heading(a.stdout, s.key), s.doc, names)
		if s.kind == kindSecret {
			continue
		}
		def := s.def
		if def == "" {
			def = "none"
		}
		if _, err := fmt.Fprintf(a.stdout, "    default %s; %s\n", def, s.allowed()); err != nil {
			return err
		}
	}
	return nil
}

const settingsIntro = `Settings

Each setting can be given as a flag, in the environment, or in config.toml under
the home directory. A flag beats the environment, the environment beats the
file, and the file beats what "nexus config set" or a running hub stored. An OKTO_NEXUS_ variable works where a NEXUS_ one is named, and yields to
it. ~ is expanded in every path; a relative one in the file starts at the home
directory. An empty variable counts as none for a path, a text or a list, and is
an error for a number, a choice or a boolean. "nexus config show" tells what
holds, and why.
`
