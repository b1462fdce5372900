package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nexus/bus"
	"nexus/store"
)

func resetCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset [--keep-agents yes|no] [--yes]",
		Short: "Empty the store",
		Long: `Delete everything in the store: messages, mail, work, artifacts, events, workspaces
and settings, whatever their state. Agents, their keys and permissions stay, unless
--keep-agents is no. The numbers of events go on from where they were.

It cannot be undone: make a backup first. A hub may run meanwhile.`,
		Example: "  nexus admin backup before.db && nexus admin reset\n  nexus admin reset --keep-agents no --yes",
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Do not ask.")
	keep := ownFlag(cmd, "keep-agents", "yes|no", "Whether agents and their keys stay; yes if not given.")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.load()
		if err != nil {
			return err
		}
		keepAgents := true
		if keep.given {
			var ok bool
			if keepAgents, ok = parseBoolean(keep.text()); !ok {
				return keep.bad("yes or no")
			}
		}
		if !yes {
			if err := a.confirmReset(cfg.DB, keepAgents); err != nil {
				return err
			}
		}
		return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error {
			report, err := n.bus.Reset(ctx, bus.ResetParams{KeepAgents: &keepAgents})
			if err != nil {
				return err
			}
			return a.printReset(cmd, report)
		})
	}
	return cmd
}

func (a *app) confirmReset(db string, keepAgents bool) error {
	what := "everything, agents and their keys included,"
	if keepAgents {
		what = "everything but the agents and their keys"
	}
	name := storeName(db)
	return a.confirm(fmt.Sprintf("This deletes %s in %s. Type %s to go on:", what, databaseName(db), name), name)
}

// storeName is what a person types to show that they know what they do.
func storeName(db string) string {
	if !store.IsPostgres(db) {
		return filepath.Base(db)
	}
	if u, err := url.Parse(db); err == nil {
		if name := strings.Trim(u.Path, "/"); name != "" {
			return name
		}
	}
	return "postgres"
}

func (a *app) printReset(cmd *cobra.Command, r bus.ResetReport) error {
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, r)
	}
	rows := [][]string{{a.heading(a.stdout, "TABLE"), a.heading(a.stdout, "DELETED")}}
	for _, table := range slices.Sorted(maps.Keys(r.Deleted)) {
		if n := r.Deleted[table]; n > 0 {
			rows = append(rows, []string{table, fmt.Sprint(n)})
		}
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(a.stdout, "There was nothing to delete.")
		return err
	}
	return printTable(a.stdout, rows)
}
