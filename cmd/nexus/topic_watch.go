package main

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/topic"
)

func topicWatchCommand(a *app) *cobra.Command {
	var follow, tail, full bool
	var last int
	cmd := &cobra.Command{
		Use:   "watch TOPIC [-f] [-n 10] [--full]",
		Short: "Show the last messages of a topic, and follow it",
		Long: `Show the last messages of a topic and, with -f, every new one as it comes, until
Ctrl-C, which is status 130. Watching leaves no mark. Where nobody looks, each
message is one line of JSON.`,
		Args: exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if last < 0 {
				return nexus.Errorf(nexus.ConfigError, "bad value %d for flag --lines: need an integer of at least 0", last)
			}
			show := func(p topic.Post) error { return a.printPost(p, full) }
			if a.wantsJSON(cmd) {
				show = func(p topic.Post) error { return json.NewEncoder(a.stdout).Encode(p) }
			}
			_, err = withOperator(cmd.Context(), cfg, func(call caller) (any, error) {
				return nil, watchTopic(cmd.Context(), call, args[0], last, follow || tail, show)
			})
			return cmp.Or(cmd.Context().Err(), err)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "Go on with what comes.")
	cmd.Flags().BoolVar(&tail, "tail", false, "The same.")
	cmd.Flags().IntVarP(&last, "lines", "n", 10, "How many of the last messages to begin with.")
	cmd.Flags().BoolVar(&full, "full", false, "Do not cut long messages.")
	return cmd
}

// watchTopic prints the last messages and, if it is to follow, those that come.
func watchTopic(ctx context.Context, call caller, word string, last int, follow bool, show func(topic.Post) error) error {
	page, err := topicCall[topic.PostPage](call, word, "topic_read", map[string]any{"limit": max(1, min(last, 200))})
	if err != nil {
		return err
	}
	if last == 0 {
		page.Messages = nil
	}
	for at := page.LastSeq; ; {
		for _, p := range page.Messages {
			at = max(at, p.Seq)
			if err := show(p); err != nil {
				return err
			}
		}
		if !follow || ctx.Err() != nil {
			return nil
		}
		arguments := map[string]any{"topic_id": page.TopicID, "after_seq": at, "timeout_seconds": 30}
		page = topic.PostPage{TopicID: page.TopicID}
		if err := call("topic_read", arguments, &page); err != nil {
			return err
		}
		if page.Count == 0 && pause(ctx, 100*time.Millisecond) != nil { // where no wait is allowed it would spin
			return nil
		}
	}
}
