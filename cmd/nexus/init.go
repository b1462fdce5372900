package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
)

func initCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make the home: the store, and a configuration file to edit",
		Long: `Make the home with a store that is up to date and a config.toml in which every
setting is written down as a comment, with its default. What is there already stays
as it is.

Nothing needs this: any other command makes what it needs.`,
		Example: "  nexus init\n  nexus init --home ./team",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.initHome(cmd) },
	}
}

// A madeHome is what init says.
type madeHome struct {
	Home    string   `json:"home"`
	Config  string   `json:"config"`
	DB      string   `json:"db"`
	Created []string `json:"created"`
}

func (a *app) initHome(cmd *cobra.Command) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	made := madeHome{Home: cfg.Home, Config: cfg.Path(), DB: databaseName(cfg.DB), Created: []string{}}
	for _, part := range []struct {
		path string
		make func() error
	}{
		{made.Config, func() error { return writeTemplate(cfg) }},
		{made.DB, func() error {
			return onStore(cmd.Context(), cfg, func(context.Context, *node) error { return nil })
		}},
	} {
		_, before := os.Stat(part.path)
		if err := part.make(); err != nil {
			return err
		}
		if _, after := os.Stat(part.path); errors.Is(before, fs.ErrNotExist) && after == nil {
			made.Created = append(made.Created, part.path)
		}
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, made)
	}
	for _, path := range made.Created {
		fmt.Fprintf(a.stdout, "made %s\n", path)
	}
	_, err = fmt.Fprintf(a.stdout, "%s is ready. Next: nexus serve, then nexus connect.\n", cfg.Home)
	return err
}

// writeTemplate writes a configuration file that changes nothing, unless there is
// a file already.
func writeTemplate(cfg *Config) error {
	if err := ensureHome(cfg.Home); err != nil {
		return err
	}
	f, err := os.OpenFile(cfg.Path(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString(template(cfg.Home))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", cfg.Path(), err)
	}
	return nil
}

// template is every setting with what it is by itself.
func template(home string) string {
	var b strings.Builder
	b.WriteString("# The settings of Nexus. Each stands here with its default: remove the # to change it.\n" +
		"# Flags and variables win over this file; nexus config show tells what holds.\n")
	for _, s := range settings {
		if s.key == "home" || s.kind == kindSecret { // this file is in it, and must not hold a secret
			continue
		}
		line := fmt.Sprintf("# %s =", s.key)
		switch value := s.initial().(type) {
		case string:
			if value != "" {
				line += " " + tomlValue(strings.ReplaceAll(value, "{home}", home))
			}
		default:
			line += " " + tomlValue(value)
		}
		fmt.Fprintf(&b, "\n# %s\n%s\n", s.doc, line)
	}
	return b.String()
}
