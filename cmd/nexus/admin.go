package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/bus"
)

func adminCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "Look after the store",
	}
	cmd.AddCommand(pruneCommand(a), exportCommand(a), issueKeysCommand(a), backupCommand(a), restoreCommand(a), resetCommand(a))
	return cmd
}

func pruneCommand(a *app) *cobra.Command {
	var dryRun, vacuum bool
	cmd := &cobra.Command{
		Use:   "prune [--dry-run] [--vacuum]",
		Short: "Delete what is over and done with and older than it is kept",
		Long: `Delete old events, read deliveries and closed sessions of the whole store, and
print what was deleted. The settings say how long each is kept; a flag here
overrides one for this run. Mail that is unread, in flight or parked, sessions
that are open, and all work, messages, names and artifacts stay, however old.

Others may work meanwhile. With --vacuum the space is given back as well: to the
disk, if the store is a file; those who write to it wait until that is done.`,
		Example: "  nexus admin prune --dry-run\n  nexus admin prune --vacuum\n  nexus admin prune --events-keep-days 7",
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "Only count what would be deleted.")
	cmd.Flags().BoolVar(&vacuum, "vacuum", false, "Give the space back, too.")
	events := ownFlag(cmd, "events-keep-days", "n", "Keep events for so many days.")
	deliveries := ownFlag(cmd, "read-deliveries-keep-days", "n", "Keep acknowledged deliveries for so many days.")
	sessions := ownFlag(cmd, "closed-sessions-keep-days", "n", "Keep closed sessions for so many days.")
	projectFlag(a, cmd, projectDoc)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.loadFor()
		if err != nil {
			return err
		}
		for _, window := range []struct {
			flag *plainFlag
			days *int
		}{
			{events, &cfg.RetentionEventsKeepDays},
			{deliveries, &cfg.RetentionReadDeliveriesKeepDays},
			{sessions, &cfg.RetentionClosedSessionsKeepDays},
		} {
			n, err := window.flag.number(0)
			if err != nil {
				return err
			}
			if n != nil {
				*window.days = *n
			}
		}
		return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error {
			return a.prune(ctx, n, bus.Pruning{DryRun: dryRun, Keep: busSettings(cfg).Keep, Progress: a.pruneProgress()}, vacuum)
		})
	}
	return cmd
}

// prune prints what is gone also when it failed half-way.
func (a *app) prune(ctx context.Context, n *node, p bus.Pruning, vacuum bool) error {
	report, err := n.bus.PruneBy(ctx, p)
	if p.Progress != nil {
		fmt.Fprint(a.stderr, clearLine)
	}
	if err == nil && vacuum && !p.DryRun {
		err = n.db.Vacuum(ctx)
		report.Vacuum.Ran = err == nil
	}
	if err != nil && report.Total == 0 {
		return err
	}
	return errors.Join(printJSON(a.stdout, report), err)
}

const clearLine = "\r\x1b[K"

// pruneProgress is nil where nobody watches.
func (a *app) pruneProgress() func(table string, deleted, of int) {
	if a.quiet || !isTerminal(a.stderr) {
		return nil
	}
	return func(table string, deleted, of int) {
		fmt.Fprintf(a.stderr, clearLine+"%s: %d of %d deleted", table, deleted, of)
	}
}

// startBatches bounds what a server prunes when it starts.
const startBatches = 4

// pruneOnStart prunes a little, if the settings say so, in the name of nobody in
// particular.
func pruneOnStart(ctx context.Context, cfg *Config, n *node) error {
	if !cfg.AutoPruneOnStart {
		return nil
	}
	ctx = nexus.WithActor(ctx, nexus.Actor{Kind: nexus.KindProcess})
	_, err := n.bus.PruneBy(ctx, bus.Pruning{Keep: busSettings(cfg).Keep, Batches: startBatches})
	return err
}

// tellNotPruned is all that comes of a prune at start that failed: it is a
// courtesy, and the server starts all the same.
func tellNotPruned(stderr io.Writer, err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	e := nexus.AsError(err)
	fmt.Fprintln(stderr, oneLine(fmt.Sprintf("[nexus] not pruned at start: %s: %s", e.Code, e.Msg)))
}

func issueKeysCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "issue-keys",
		Short: "Give a key to every agent that has none",
		Long: `Give an API key to every agent that has none, and print the new keys. This is the
only time they are shown. Keys that exist stay as they are.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.loadFor()
			if err != nil {
				return err
			}
			return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error {
				issued, err := n.bus.IssueKeys(ctx)
				if err != nil && len(issued) == 0 {
					return err
				}
				return errors.Join(a.printKeys(cmd, issued), err)
			})
		},
	}
	projectFlag(a, cmd, projectDoc)
	return cmd
}

func (a *app) printKeys(cmd *cobra.Command, issued []bus.IssuedKey) error {
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, items(issued))
	}
	if len(issued) == 0 {
		_, err := fmt.Fprintln(a.stdout, "Every agent has a key.")
		return err
	}
	rows := [][]string{{a.heading(a.stdout, "AGENT"), a.heading(a.stdout, "KEY")}}
	for _, k := range issued {
		rows = append(rows, []string{k.AgentID, k.APIKey})
	}
	return printTable(a.stdout, rows)
}

// projectDoc is what naming a project means to a command on the whole store.
const projectDoc = "A project that must exist, to be sure of the place; the whole store is meant all the same."

// projectFlag is the flag of the setting project_root, said in a command's own
// words.
func projectFlag(a *app, cmd *cobra.Command, doc string) {
	s, _ := settingNamed("project_root")
	cmd.Flags().Var(&settingFlag{app: a, setting: s, name: "project-root"}, "project-root", doc)
}

// loadFor resolves the settings of a command that works on the store. A project
// that is named must exist.
func (a *app) loadFor() (*Config, error) {
	cfg, err := a.load()
	if err != nil {
		return nil, err
	}
	if cfg.ProjectRoot != "" {
		err = bus.CheckRoot(cfg.ProjectRoot)
	}
	return cfg, err
}

// onStore runs fn as the operator on the store itself, beside whoever else has
// it open.
func onStore(ctx context.Context, cfg *Config, fn func(ctx context.Context, n *node) error) (err error) {
	ctx = nexus.WithActor(ctx, nexus.Actor{Kind: nexus.KindOperator})
	n, err := openNode(ctx, cfg, hubUses(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	return fn(ctx, n)
}

// A plainFlag is a flag of one command. As with a setting, what it says is
// looked at when the command runs, so that a bad value is told from wrong usage.
type plainFlag struct {
	name  string
	kind  string
	given bool
	texts []string
}

func ownFlag(cmd *cobra.Command, name, kind, doc string) *plainFlag {
	f := &plainFlag{name: name, kind: kind}
	cmd.Flags().Var(f, name, doc)
	return f
}

func (f *plainFlag) String() string { return "" }
func (f *plainFlag) Type() string   { return f.kind }

// Set takes the value. One that looks like a flag means that it was left out.
func (f *plainFlag) Set(value string) error {
	if strings.HasPrefix(value, "--") {
		return usageErrorf("flag --%s needs a value", f.name)
	}
	f.given, f.texts = true, append(f.texts, value)
	return nil
}

// text is the last value given, "" for none.
func (f *plainFlag) text() string {
	if !f.given {
		return ""
	}
	return f.texts[len(f.texts)-1]
}

// number is the value as an integer, nil if none is given.
func (f *plainFlag) number(least int) (*int, error) {
	if !f.given {
		return nil, nil
	}
	n, ok := parseInteger(f.text(), least, 0)
	if !ok {
		return nil, f.bad(fmt.Sprintf("an integer of at least %d", least))
	}
	return &n, nil
}

func (f *plainFlag) bad(need string) error {
	return nexus.Errorf(nexus.ConfigError, "bad value %q for flag --%s: need %s", shorten(f.text()), f.name, need)
}
