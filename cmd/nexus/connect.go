package main

import (
	"cmp"
	"context"
	"path/filepath"
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
there keeps its key unless --new-key is given.

--write changes the one entry and keeps all the rest of the file as it is written,
comments too. The old file stays beside it. --check tries the entry of the host's
file, or the one that would be written, the way the host would.`,
		Example: `  nexus connect
  nexus connect codex
  nexus connect claude-code --write
  nexus connect cursor --transport http --agent ada --write --check`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
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
	f.BoolVar(&w.newKey, "new-key", false, "Make a new key for the agent; the old one stops working.")
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

// A connectPlan is where an entry goes and what is there.
type connectPlan struct {
	host host
	wish connectWish
	file hostFile // without a path where the host has none
	doc  map[string]any
	err  error // why doc could not be read
	at   []string
}

func (a *app) plan(h host, w connectWish) (connectPlan, error) {
	p := connectPlan{host: h, wish: w}
	path, err := a.hostPath(h, w)
	if err != nil || path == "" {
		p.at = append(h.entriesAt(nil), w.name)
		return p, err
	}
	if p.file, err = readHostFile(path); err != nil {
		return p, err
	}
	p.doc, p.err = h.format.parse(p.file.text)
	p.at = child(h.entriesAt(p.doc), w.name)
	return p, nil
}

// hostPath is the file that is meant, "" where only the host knows.
func (a *app) hostPath(h host, w connectWish) (string, error) {
	path := w.file
	if path == "" && w.scope == "project" {
		if h.project == "" {
			return "", nexus.Errorf(nexus.ConfigError, "%s has no file for a project; leave out --scope and --project", h.title)
		}
		path = h.projectFile(w.project)
	}
	if path == "" {
		u, err := newUserDirs(a.env)
		if err != nil {
			return "", err
		}
		path = h.userFile(u)
	}
	if path == "" {
		return "", nil
	}
	path, err := expandTilde(path, a.env)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// present is the entry that the file has under the name.
func (p connectPlan) present() (entry, map[string]any, bool) {
	fields, _ := lookUp(p.doc, p.at).(map[string]any)
	e, ok := readEntry(fields)
	return e, fields, ok
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
	if w.write {
		if err := p.editable(); err != nil {
			return err
		}
	}
	e, key, err := a.newEntry(cmd.Context(), cfg, p)
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

// editable fails before anything is made that would be lost.
func (p connectPlan) editable() error {
	if p.file.path == "" {
		return usageErrorf("--write needs --file PATH: only your host knows where its file is")
	}
	if err := p.file.writable(); err != nil {
		return err
	}
	_, err := p.edit(entry{URL: "http://127.0.0.1/mcp", Headers: map[string]string{"Authorization": "Bearer x"}})
	return err
}

// edit is the file's text with the entry in it.
func (p connectPlan) edit(e entry) ([]byte, error) {
	if p.err != nil {
		return nil, cannotEdit(p.file.path, p.err)
	}
	members := p.host.fields(e)
	_, fields, _ := p.present()
	var drop []string
	for _, name := range ownFields {
		if _, ok := fields[name]; ok && !members.has(name) {
			drop = append(drop, name)
		}
	}
	text, err := editEntry(p.host.format, p.file.text, p.at, members, drop)
	if err != nil {
		return nil, cannotEdit(p.file.path, err)
	}
	return text, nil
}

// newEntry is the entry that was asked for, with its key.
func (a *app) newEntry(ctx context.Context, cfg *Config, p connectPlan) (e entry, key keyFound, err error) {
	w := p.wish
	wish := keyWish{agent: w.agent, newKey: w.newKey, http: w.transport == "http"}
	if wish.http {
		e, err = httpEntry(cfg, w.url, w.profile)
		wish.far = w.url != "" && !isOwnHub(cfg, e.URL)
	} else {
		e, err = a.stdioEntry(cfg, w.profile)
	}
	if err != nil {
		return e, key, err
	}
	old, _, found := p.present()
	candidates := []string{cfg.APIKey}
	if sameHub(old.URL, e.URL) || w.agent != "" && !wish.far { // no key goes to a hub that it is not for
		candidates = append(candidates, old.key())
	}
	candidates = slices.DeleteFunc(candidates, func(k string) bool { return k == "" })
	if key, err = keyFor(ctx, cfg, wish, candidates); err != nil {
		return e, key, err
	}
	if key.key != "" {
		e = e.withKey(key.key)
	}
	if found {
		e = e.over(old)
	}
	return e, key, nil
}

// isOwnHub tells whether an address is that of the hub of this home.
func isOwnHub(cfg *Config, address string) bool {
	own, err := hubAddress(cfg)
	return err == nil && sameHub(own, address)
}

// sameHub compares addresses, whatever tools they ask for.
func sameHub(a, b string) bool {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	return a == b
}
