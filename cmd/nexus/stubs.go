package main

import (
	"context"

	"github.com/spf13/cobra"
)

func serveCommand(app *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the hub",
		RunE: func(*cobra.Command, []string) error { _, err := app.load(); return err },
	}
	showSettings(cmd, "host", "port", "project_root")
	return cmd
}

func mcpCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "Be an MCP server on standard input and output",
		RunE: func(*cobra.Command, []string) error { _, err := app.load(); return err },
	}
}

func callCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use: "call NAME [key=value …]", Short: "Call an operation", Args: cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error { _, err := app.load(); return err },
	}
}

func runStdio(context.Context, *Config, string) error { return nil }
