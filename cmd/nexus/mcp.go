package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nexus"
	"nexus/client"
	"nexus/op"
	"nexus/serve"
)

func mcpCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp [--profile all|bus|topics|core]",
		Short: "Be an MCP server on standard input and output",
		Long: `Be an MCP server for the program that started this one.

Calls go to the running hub of the same home when there is one, and to the store
itself when not. With settings of its own, by flag or environment, or with another
database, it works on the store itself.

NEXUS_API_KEY binds the server to the agent whose key it is.`,
		Example: "  nexus mcp\n  nexus mcp --profile core",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.stdioServer(cmd.Context()) },
	}
	a.addProfile(cmd.Flags())
	return cmd
}

func (a *app) addProfile(fs *pflag.FlagSet) {
	fs.StringVar(&a.profile, "profile", op.ProfileAll, "Which tools to offer: all, bus, topics or core.")
}

func (a *app) stdioServer(ctx context.Context) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	if !slices.Contains(op.Profiles(), a.profile) {
		return nexus.Errorf(nexus.ConfigError, "bad value %q for flag --profile: need one of %s",
			shorten(a.profile), strings.Join(op.Profiles(), ", "))
	}
	return runStdio(ctx, cfg, a.profile)
}

// runStdio is the MCP server on standard input and output. It makes one call
// before it answers any, so that a store that cannot be opened or a key that is
// not good stops it here and not in the middle of somebody's work.
func runStdio(ctx context.Context, cfg *Config, profile string) (err error) {
	ops, err := knownOps(cfg)
	if err != nil {
		return err
	}
	relay := newRelay(cfg, client.RelayOptions{Conn: newID("stdio"), Profile: profile, APIKey: cfg.APIKey})
	defer func() { err = errors.Join(err, relay.Close()) }()
	if err := firstCall(ctx, relay); err != nil && !sayableByTopics(err, profile) {
		return err
	}
	if cfg.AutoPruneOnStart { // on the store itself: the calls may go to a hub
		tellNotPruned(os.Stderr, onStore(ctx, cfg, func(ctx context.Context, n *node) error { return pruneOnStart(ctx, cfg, n) }))
	}
	signal.Ignore(syscall.SIGPIPE) // a client that is gone ends us through a failed write, not in the middle of a call
	mcp := serve.NewMCP(ops, relayed(relay), relay, buildVersion().Version, slog.Default())
	return mcp.ServeStdio(ctx, os.Stdin, os.Stdout, profile)
}

// sayableByTopics tells whether an error is one that the tools of topics answer
// with themselves: those who replace another program by this one must be told by
// the tools what to do with its database.
func sayableByTopics(err error, profile string) bool {
	return nexus.CodeOf(err) == nexus.SchemaMismatch && (profile == op.ProfileTopics || profile == op.ProfileAll)
}

func firstCall(ctx context.Context, r *client.Relay) error {
	answer, err := r.Call(ctx, client.Op{Name: "nexus_info", AnyProfile: true}, nil)
	if err != nil || answer.Code == "" {
		return err
	}
	return answerError(answer)
}

// answerError is the error that an answer of the bus family reports.
func answerError(a client.CallAnswer) error {
	var said struct {
		Error struct {
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(a.Body, &said); err != nil {
		return err
	}
	return &nexus.Error{Code: a.Code, Msg: said.Error.Message, Details: said.Error.Details}
}
