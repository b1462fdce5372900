package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/store"
)

func restoreCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore FILE [--yes]",
		Short: "Put a backup in the place of the store",
		Long: `Put a copy of a backup in the place of the store. Stop the hub first, and whoever
else has the store open. The file is checked, copied and brought up to date before
anything is changed; then the copy becomes the store in one step. What was the store
until then stays beside it, as nexus.db.before-restore-DATE-TIME. With - as FILE the
backup is read from standard input.`,
		Example: "  nexus admin restore nexus-monday.db\n  gunzip < nexus.db.gz | nexus admin restore - --yes",
		Args:    oneArg("the file to restore, or -"),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Do not ask.")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.load()
		if err != nil {
			return err
		}
		file, err := a.fileArgument(args[0])
		if err != nil {
			return err
		}
		if store.IsPostgres(cfg.DB) {
			return nexus.Errorf(nexus.ValidationError,
				"The store is a PostgreSQL database, which has its own tool for this: %s", store.RestoreCommand(cfg.DB, file))
		}
		o, err := a.restoreOptions(cfg, file, yes)
		if err != nil {
			return err
		}
		return a.restore(cmd, cfg, o)
	}
	return cmd
}

func (a *app) restoreOptions(cfg *Config, file string, yes bool) (store.RestoreOptions, error) {
	o := store.RestoreOptions{From: file, To: cfg.DB, Now: time.Now, Progress: a.copyProgress()}
	if file == "-" {
		o.From, o.Content = "standard input", a.stdin
	}
	switch {
	case o.Content != nil && isTerminal(a.stdin):
		return o, usageErrorf("no database can be typed; name a file, or give one on standard input")
	case yes:
		return o, nil
	case !a.canAsk():
		return o, needsYes()
	}
	o.Confirm = func(found store.BackupReport) error {
		return a.confirm(fmt.Sprintf("%s holds %d events (%s). Make it the store in place of %s? [y/N]",
			file, found.Events, size(found.Bytes), cfg.DB), "y", "Y", "yes")
	}
	return o, nil
}

// restore keeps hubs of this home from starting meanwhile.
func (a *app) restore(cmd *cobra.Command, cfg *Config, o store.RestoreOptions) (err error) {
	if err := ensureHome(cfg.Home); err != nil {
		return err
	}
	lock, err := takeServeLock(cfg.Home, time.Now)
	if held, ok := errors.AsType[*lockHeldError](err); ok {
		return nexus.Errorf(nexus.Conflict, "Process %d is the hub of %s. Stop it, then try again. Nothing was changed.",
			held.Holder.PID, cfg.Home).With("pid", held.Holder.PID)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	report, err := store.Restore(cmd.Context(), o)
	if o.Progress != nil {
		fmt.Fprint(a.stderr, clearLine)
	}
	if err != nil {
		return err
	}
	return a.printRestored(cmd, report)
}

func (a *app) printRestored(cmd *cobra.Command, r store.RestoreReport) error {
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, r)
	}
	fmt.Fprintf(a.stdout, "%s holds what was in %s: %s, %d events, checked\n", r.Database, r.File, size(r.Bytes), r.Events)
	if r.MigratedFrom != 0 {
		fmt.Fprintf(a.stdout, "Its schema was brought from version %d to %d.\n", r.MigratedFrom, r.SchemaVersion)
	}
	if r.Kept != "" {
		fmt.Fprintf(a.stdout, "What was there before is in %s\n", r.Kept)
	}
	return nil
}
