package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/store"
)

func backupCommand(a *app) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store to a file while it is in use",
		Long: `Copy the store to one SQLite file, which only its owner can read, and check the
copy. Everybody may go on working meanwhile: the copy is one consistent state. The
file is there when it is whole, and not before. With - as FILE it goes to standard
output.

It copies the database alone. Files that artifacts refer to, the configuration and
the operator's key are not part of it. PostgreSQL has pg_dump for this.`,
		Example: "  nexus admin backup nexus-monday.db\n  nexus admin backup - | gzip > nexus.db.gz",
		Args:    oneArg("the file to write, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			file, err := a.fileArgument(args[0])
			if err != nil {
				return err
			}
			if store.IsPostgres(cfg.DB) {
				return useDump(cfg.DB, file)
			}
			if file == "-" {
				return a.backupToStdout(cmd.Context(), cfg)
			}
			return a.backup(cmd, store.BackupOptions{From: cfg.DB, To: file, Replace: force, Progress: a.copyProgress()})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "Replace the file if there is one.")
	return cmd
}

// fileArgument is a path as somebody typed it.
func (a *app) fileArgument(arg string) (string, error) {
	if strings.TrimSpace(arg) == "" {
		return "", usageErrorf("the name of the file is empty")
	}
	return expandTilde(arg, a.env)
}

func (a *app) backup(cmd *cobra.Command, o store.BackupOptions) error {
	report, err := store.Backup(cmd.Context(), o)
	if o.Progress != nil {
		fmt.Fprint(a.stderr, clearLine)
	}
	if err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, report)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, %d events, checked\n", report.File, size(report.Bytes), report.Events)
	return err
}

// backupToStdout makes the copy first, in the home directory, so that a reader
// who is slow holds nothing up and one gets either all of it or nothing.
func (a *app) backupToStdout(ctx context.Context, cfg *Config) error {
	if isTerminal(a.stdout) {
		return usageErrorf("a database is nothing for a terminal; name a file, or send standard output somewhere")
	}
	progress := a.copyProgress()
	copied, _, err := store.Snapshot(ctx, cfg.DB, cfg.Home, progress)
	if progress != nil {
		fmt.Fprint(a.stderr, clearLine)
	}
	if err != nil {
		return err
	}
	defer func() { _ = copied.Close() }()
	_, err = io.Copy(a.stdout, copied)
	return err
}

// backupOf is how a hub copies its database.
func backupOf(cfg *Config) func(ctx context.Context) (io.ReadCloser, int64, error) {
	return func(ctx context.Context) (io.ReadCloser, int64, error) {
		if store.IsPostgres(cfg.DB) {
			return nil, 0, useDump(cfg.DB, "nexus.dump")
		}
		copied, report, err := store.Snapshot(ctx, cfg.DB, cfg.Home, nil)
		return copied, report.Bytes, err
	}
}

// useDump says how a PostgreSQL store is backed up.
func useDump(address, file string) error {
	if file == "-" {
		file = "nexus.dump"
	}
	return nexus.Errorf(nexus.ValidationError, "The store is a PostgreSQL database, which has its own tool for this: %s", store.DumpCommand(address, file))
}

// copyProgress is nil where nobody watches.
func (a *app) copyProgress() func(done, total int64) {
	if a.quiet || !isTerminal(a.stderr) {
		return nil
	}
	shown := ""
	return func(done, total int64) {
		if line := size(done) + " of " + size(total) + " copied"; line != shown {
			fmt.Fprint(a.stderr, clearLine+line)
			shown = line
		}
	}
}

// size is a number of bytes as people say it.
func size(n int64) string {
	const step = 1024
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/step, 0
	for value >= step && unit < 3 {
		value, unit = value/step, unit+1
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KiB", "MiB", "GiB", "TiB"}[unit])
}

// canAsk tells whether somebody is there who could answer.
func (a *app) canAsk() bool { return isTerminal(a.stdin) }

func needsYes() error { return usageErrorf("this needs --yes where there is no terminal to ask on") }

// confirm asks a person, who must answer with one of the words. Where there is
// nobody to ask, it takes a flag.
func (a *app) confirm(question string, words ...string) error {
	if !a.canAsk() {
		return needsYes()
	}
	fmt.Fprint(a.stderr, question+" ")
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, w := range words {
		if strings.TrimSpace(answer) == w {
			return nil
		}
	}
	return nexus.Errorf(nexus.ConfigError, "not confirmed; nothing was changed")
}
