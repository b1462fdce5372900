package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/op"
)

// A connectWish is what the command line asks for.
type connectWish struct {
	transport, agent, name, url, profile, scope, project, file string
	newKey, write, check                                       bool
}

func connectCommand(a *app) *cobra.Command {
	var w connectWish
	cmd := &cobra.Command{
		Use:   "connect [HOST]",
		Short: "Connect an MCP host to this hub",
		Long: `Print the entry that connects an MCP host to this hub, in the words of that host,
or write it into the host's file with --write. Without a host, list the hosts.

A host on this machine starts nexus itself, which needs no key. Over HTTP it needs
one: --agent names whose, and makes the agent if there is none. An agent that is
there keeps its keys; --new-key makes one more.

--write changes the one entry and keeps all the rest of the file as it is written,
comments too. The old file stays beside it. --check tries the entry of the host's
file, or the one that would be written, the way the host would.`,
		Example: `  nexus connect
  nexus connect codex
  nexus connect claude-code --write
  nexus connect cursor --transport http --agent ada --write --check`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if err := w.validate(); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listHosts(cmd, w)
			}
			h, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			return a.connect(cmd, cfg, h, w)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return hostIDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	w.addFlags(cmd)
	return cmd
}

func (w *connectWish) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.transport, "transport", "", "How the host reaches Nexus: stdio or http; http if --url is given, else stdio.")
	f.StringVar(&w.agent, "agent", "", "The agent that the host is; made if there is none.")
	f.BoolVar(&w.newKey, "new-key", false, "Make one more key for an agent that is there.")
	f.StringVar(&w.name, "name", "nexus", "What the host calls the server.")
	f.StringVar(&w.url, "url", "", "Address of the hub; that of this home if not given.")
	f.StringVar(&w.profile, "profile", op.ProfileAll, "Which tools to offer: all, bus, topics or core.")
	f.StringVar(&w.scope, "scope", "", "Whose file: user or project; project if --project is given, else user.")
	f.StringVar(&w.project, "project", "", "Directory of the project, for a file that belongs to one.")
	f.StringVar(&w.file, "file", "", "The host's file, if it is not in its usual place.")
	f.BoolVar(&w.write, "write", false, "Write the entry into the host's file.")
	f.BoolVar(&w.check, "check", false, "Try the entry.")
}

var entryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// validate fills in what was left out.
func (w *connectWish) validate() error {
	w.transport = cmp.Or(w.transport, map[bool]string{true: "http", false: "stdio"}[w.url != ""])
	w.scope = cmp.Or(w.scope, map[bool]string{true: "project", false: "user"}[w.project != ""])
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"transport", w.transport, []string{"stdio", "http"}},
		{"scope", w.scope, []string{"user", "project"}},
		{"profile", w.profile, op.Profiles()},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return nexus.Errorf(nexus.ConfigError, "bad value %q for flag --%s: need one of %s", shorten(c.value), c.flag, strings.Join(c.allowed, ", "))
		}
	}
	if !entryName.MatchString(w.name) {
		return nexus.Errorf(nexus.ConfigError, "bad value %q for flag --name: need letters, digits, dots, dashes and underscores", shorten(w.name))
	}
	if w.url != "" && w.transport == "stdio" {
		return usageErrorf("--url is for --transport http: over stdio the host starts nexus itself")
	}
	return nil
}

func (a *app) connect(cmd *cobra.Command, cfg *Config, h host, w connectWish) error {
	if h.stdioOnly && w.transport == "http" {
		return nexus.Errorf(nexus.ConfigError, "%s starts its servers itself and connects to none over HTTP; use --transport stdio", h.title)
	}
	p, err := a.plan(h, w)
	if err != nil {
		return err
	}
	old, _, found := p.present()
	if w.check && !w.write && found {
		return a.tryEntry(cmd, h, old)
	}
	e, wish, err := a.draft(cfg, p)
	if err != nil {
		return err
	}
	if w.write {
		if err := p.editable(e); err != nil {
			return err
		}
	}
	e, key, err := p.complete(cmd.Context(), cfg, e, wish)
	if err != nil {
		return err
	}
	switch {
	case w.write:
		err = a.writeEntry(cmd, p, e, key)
	case !w.check:
		err = a.printEntry(p, e, key)
	}
	if err != nil || !w.check {
		return err
	}
	return a.tryEntry(cmd, h, e)
}
