package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"nexus/store"
	"nexus/topic"
)

func topicExportCommand(a *app) *cobra.Command {
	var format, output string
	var metadata bool
	var after int
	cmd := &cobra.Command{
		Use:     "export TOPIC [-f markdown|json] [-o FILE] [--include-metadata] [--after-seq N]",
		Short:   "Write a topic out as Markdown or JSON",
		Example: "  nexus topic export plans > plans.md\n  nexus topic export plans -f json -o plans.json",
		Args:    exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			path, err := expandTilde(output, a.env)
			if err != nil {
				return err
			}
			e, err := withOperator(cmd.Context(), cfg, func(call caller) (topic.Export, error) {
				return topicCall[topic.Export](call, args[0], "topic_export",
					map[string]any{"format": format, "include_metadata": metadata, "after_seq": after})
			})
			if err != nil {
				return err
			}
			if e.Truncated {
				fmt.Fprintf(a.stderr, "These are the first %d messages; go on with --after-seq %d.\n", e.Count, e.LastSeq)
			}
			if path == "" {
				return writeExport(a.stdout, e)
			}
			return replaceFile(path, func(w io.Writer) error { return writeExport(w, e) })
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "markdown", "markdown or json.")
	cmd.Flags().StringVarP(&output, "output", "o", "", "Write to a `FILE`, which is replaced when all is written.")
	cmd.Flags().BoolVar(&metadata, "include-metadata", false, "With time, type and metadata of every message.")
	cmd.Flags().IntVar(&after, "after-seq", 0, "Only messages after this one.")
	return cmd
}

func writeExport(w io.Writer, e topic.Export) error {
	if e.Format == "markdown" {
		_, err := io.WriteString(w, e.Document)
		return err
	}
	return printJSON(w, map[string]any{
		"topic_id": e.TopicID, "topic_name": e.TopicName, "message_count": e.Count, "messages": e.Messages,
	})
}

func topicRenameCommand(a *app) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "rename TOPIC NAME [--no-rewrite-messages]",
		Short: "Give a topic another name, in its messages too",
		Args:  exactly("a topic and a name", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onTopics(a, cmd, func(call caller) (topic.Renamed, error) {
				return topicCall[topic.Renamed](call, args[0], "topic_rename", map[string]any{"name": args[1], "rewrite_messages": !keep})
			}, func(r topic.Renamed) error {
				_, err := fmt.Fprintf(a.stdout, "%s is now %s; %d messages were changed.\n", oneLine(r.OldName), oneLine(r.Name), r.Rewritten)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "no-rewrite-messages", false, "Leave the old name in its messages.")
	return cmd
}

func topicDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete TOPIC [--yes]",
		Short: "Delete a topic with everything in it",
		Args:  exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onTopics(a, cmd, func(call caller) (d topic.Deleted, err error) {
				if !yes {
					look, err := topicCall[topic.Look](call, args[0], "topic_look", map[string]any{})
					if err != nil {
						return d, err
					}
					t := look.Topic
					if err := a.confirm(fmt.Sprintf("This deletes %s with its %d messages. Type yes to go on:", oneLine(t.Name), t.Count), "yes", "y"); err != nil {
						return d, err
					}
				}
				return topicCall[topic.Deleted](call, args[0], "topic_delete", map[string]any{})
			}, func(d topic.Deleted) error {
				_, err := fmt.Fprintf(a.stdout, "Deleted %s with %d messages.\n", d.TopicID, d.Count)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Do not ask.")
	return cmd
}

func topicPresenceCommand(a *app) *cobra.Command {
	var window, limit int
	cmd := &cobra.Command{
		Use:   "presence TOPIC [--window 300] [--limit 200]",
		Short: "Show who was in a topic lately",
		Args:  exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onTopics(a, cmd, func(call caller) (topic.Presence, error) {
				return topicCall[topic.Presence](call, args[0], "topic_presence", map[string]any{"window_seconds": window, "limit": limit})
			}, printText[topic.Presence](a))
		},
	}
	cmd.Flags().IntVar(&window, "window", 300, "How many seconds ago counts as present.")
	cmd.Flags().IntVar(&limit, "limit", 200, "How many to show.")
	return cmd
}

func topicCloseCommand(a *app) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "close TOPIC [--reason TEXT]",
		Short: "Close a topic: it stays readable, and nobody writes to it",
		Args:  exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onTopics(a, cmd, func(call caller) (topic.CloseResult, error) {
				return topicCall[topic.CloseResult](call, args[0], "topic_close", map[string]any{"reason": reason})
			}, printText[topic.CloseResult](a))
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "Why, for those who read it later.")
	return cmd
}

func topicWipeCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "wipe [--yes]",
		Short: "Delete all topics",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onTopics(a, cmd, func(call caller) (w topic.Wiped, err error) {
				if !yes {
					if err := a.confirm("This deletes all topics with everything in them. Type yes to go on:", "yes", "y"); err != nil {
						return w, err
					}
				}
				return w, call("topic_wipe", map[string]any{}, &w)
			}, func(w topic.Wiped) error {
				_, err := fmt.Fprintf(a.stdout, "Deleted %d topics with %d messages.\n", w.Topics, w.Messages)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Do not ask.")
	return cmd
}

func importCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Take over what another program has kept",
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "agent-bus PATH",
		Short: "Take over the topics of agent-bus",
		Long: `Take over topics, messages, cursors and reserved names from a database of agent-bus,
with their ids and numbers; whoever has a reclaim token goes on with it. The file is
only read. Doing it again adds what is new and changes nothing else.`,
		Example: "  nexus import agent-bus ~/.agent_bus/agent_bus.sqlite",
		Args:    exactly("the path of a database", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			path, err := expandTilde(args[0], a.env)
			if err != nil {
				return err
			}
			return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error { return a.importAgentBus(ctx, cmd, n, path) })
		},
	})
	return cmd
}

func (a *app) importAgentBus(ctx context.Context, cmd *cobra.Command, n *node, path string) (err error) {
	from, err := store.OpenAgentBus(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	done, err := n.topic.Import(ctx, from)
	if err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, done)
	}
	_, err = fmt.Fprintf(a.stdout, "Added %d topics, %d messages, %d cursors and %d reserved names; %d messages were skipped.\n",
		done.Topics, done.Messages, done.Cursors, done.Reservations, done.Skipped)
	return err
}
