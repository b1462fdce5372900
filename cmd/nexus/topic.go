package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/topic"
)

func topicCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topic",
		Short: "Topics: dialogs between agents, and you among them",
		Long: `Topics are named streams in which agents talk as peers. You read them without
joining and write as the operator.

A topic is named by its id, or by its name: then the newest open one is meant.`,
	}
	cmd.AddCommand(topicListCommand(a), topicCreateCommand(a), topicJoinCommand(a), topicSyncCommand(a), topicWatchCommand(a),
		topicExportCommand(a), topicRenameCommand(a), topicDeleteCommand(a), topicPresenceCommand(a), topicCloseCommand(a), topicWipeCommand(a))
	return cmd
}

// onTopics makes calls as the operator and prints the last answer: as JSON, or
// the way show does for people.
func onTopics[T any](a *app, cmd *cobra.Command, do func(call caller) (T, error), show func(T) error) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	answer, err := withOperator(cmd.Context(), cfg, do)
	if cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	if err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, answer)
	}
	return show(answer)
}

// topicCall calls an operation on the topic that a word names.
func topicCall[T any](call caller, word, name string, arguments map[string]any) (answer T, err error) {
	arguments["topic_id"] = word
	err = call(name, arguments, &answer)
	if nexus.CodeOf(err) != nexus.TopicNotFound {
		return answer, err
	}
	var found topic.Brief
	if call("topic_resolve", map[string]any{"name": word, "allow_closed": true}, &found) != nil {
		return answer, err
	}
	arguments["topic_id"] = found.ID
	return answer, call(name, arguments, &answer)
}

func topicListCommand(a *app) *cobra.Command {
	var status, sort, query string
	var limit int
	cmd := &cobra.Command{
		Use:   "list [--status open|closed|all] [--limit 200]",
		Short: "List topics, those written to last first",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onTopics(a, cmd, func(call caller) (page topic.Page, err error) {
				err = call("topic_browse", map[string]any{"status": status, "sort": sort, "q": query, "limit": limit}, &page)
				return page, err
			}, a.printTopics)
		},
	}
	cmd.Flags().StringVar(&status, "status", "all", "Which ones: open, closed or all.")
	cmd.Flags().StringVar(&sort, "sort", topic.ByUpdate, "In which order: last_updated_desc, created_desc or created_asc.")
	cmd.Flags().StringVar(&query, "q", "", "Only those with this in their name.")
	cmd.Flags().IntVar(&limit, "limit", 200, "How many, up to 1000.")
	return cmd
}

func (a *app) printTopics(page topic.Page) error {
	if len(page.Items) == 0 {
		_, err := fmt.Fprintln(a.stdout, "There are no topics. nexus topic create NAME makes one.")
		return err
	}
	rows := [][]string{{}}
	for _, title := range []string{"TOPIC", "STATUS", "MESSAGES", "LAST", "NAME"} {
		rows[0] = append(rows[0], a.heading(a.stdout, title))
	}
	for _, t := range page.Items {
		rows = append(rows, []string{t.ID, t.Status, strconv.Itoa(t.Count), clock(t.UpdatedAt), oneLine(t.Name)})
	}
	return printTable(a.stdout, rows)
}

// clock is a moment of a topic as people read it.
func clock(seconds float64) string { return topic.Moment(seconds).Local().Format(time.DateTime) }

func topicCreateCommand(a *app) *cobra.Command {
	var mode, metadata string
	cmd := &cobra.Command{
		Use:     "create [NAME] [--mode reuse|new] [--project-root DIR]",
		Short:   "Make a topic, or find the open one of that name",
		Example: "  nexus topic create plans\n  nexus topic create plans --mode new --metadata '{\"sprint\":7}'",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments := map[string]any{"mode": mode}
			if len(args) == 1 {
				arguments["name"] = args[0]
			}
			if metadata != "" {
				arguments["metadata"] = metadata
			}
			if g, given := a.flags["project_root"]; given {
				arguments["project_root"] = g.text
			}
			return onTopics(a, cmd, func(call caller) (b topic.Brief, err error) {
				return b, call("topic_create", arguments, &b)
			}, printText[topic.Brief](a))
		},
	}
	cmd.Flags().StringVar(&mode, "mode", "reuse", "reuse an open topic of that name, or always make a new one.")
	cmd.Flags().StringVar(&metadata, "metadata", "", "A JSON `OBJECT` to keep with it.")
	showSettings(cmd, "project_root")
	return cmd
}

// printText prints an answer as the text that a model would get.
func printText[T interface{ ToolText() string }](a *app) func(T) error {
	return func(answer T) error {
		_, err := fmt.Fprintln(a.stdout, answer.ToolText())
		return err
	}
}

func topicJoinCommand(a *app) *cobra.Command {
	var token string
	cmd := &cobra.Command{
		Use:   "join TOPIC AGENT_NAME [--reclaim-token TOKEN]",
		Short: "Reserve a name in a topic; the token that proves it is printed",
		Args:  exactly("a topic and a name", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onTopics(a, cmd, func(call caller) (topic.JoinResult, error) {
				arguments := map[string]any{"agent_name": args[1]}
				if cmd.Flags().Changed("reclaim-token") {
					arguments["reclaim_token"] = token
				}
				return topicCall[topic.JoinResult](call, args[0], "topic_join", arguments)
			}, printText[topic.JoinResult](a))
		},
	}
	cmd.Flags().StringVar(&token, "reclaim-token", "", "The token of a name that you have already.")
	return cmd
}

// exactly wants so many arguments, which the message calls what.
func exactly(what string, n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageErrorf("%q needs %s", cmd.CommandPath(), what)
		}
		return noArgs(cmd, args[n:])
	}
}

func topicSyncCommand(a *app) *cobra.Command {
	var name, token, kind, reply string
	var messages []string
	var wait, most int
	var self bool
	cmd := &cobra.Command{
		Use:   "sync TOPIC [-m TEXT…] [--agent-name NAME --reclaim-token TOKEN]",
		Short: "Send to a topic and receive from it, as yourself or under a joined name",
		Long: `Send what is given with -m and receive what others wrote since the last sync under
the same name. Without --agent-name you are the operator, who needs no token.`,
		Example: "  nexus topic sync plans -m 'Please stop at the tests.'\n  nexus topic sync plans --wait-seconds 60",
		Args:    exactly("a topic", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments := map[string]any{"agent_name": name, "reclaim_token": token, "wait_seconds": wait, "include_self": self}
			if cmd.Flags().Changed("max-items") {
				arguments["max_items"] = most
			}
			outbox := []map[string]any{}
			for _, text := range messages {
				m := map[string]any{"content_markdown": text, "message_type": kind}
				if reply != "" {
					m["reply_to"] = reply
				}
				outbox = append(outbox, m)
			}
			arguments["outbox"] = outbox
			return onTopics(a, cmd, func(call caller) (topic.SyncResult, error) {
				return topicCall[topic.SyncResult](call, args[0], "sync", arguments)
			}, a.printSync)
		},
	}
	cmd.Flags().StringArrayVarP(&messages, "message", "m", nil, "A `TEXT` to send. May be given again.")
	cmd.Flags().StringVar(&kind, "message-type", "message", "What the messages are, such as question or answer.")
	cmd.Flags().StringVar(&reply, "reply-to", "", "The message that they answer.")
	cmd.Flags().StringVar(&name, "agent-name", nexus.OperatorID, "The name to speak under.")
	cmd.Flags().StringVar(&token, "reclaim-token", "", "What nexus topic join printed for that name.")
	cmd.Flags().IntVar(&wait, "wait-seconds", 0, "How long to wait for the first message.")
	cmd.Flags().IntVar(&most, "max-items", 20, "How many to receive at most.")
	cmd.Flags().BoolVar(&self, "include-self", false, "Also receive what was sent under this name.")
	return cmd
}

func (a *app) printSync(r topic.SyncResult) error {
	fmt.Fprintf(a.stderr, "%d sent, %d received\n", len(r.Sent), r.Count)
	for _, p := range r.Received {
		if err := a.printPost(p, true); err != nil {
			return err
		}
	}
	if r.HasMore {
		fmt.Fprintln(a.stderr, "There is more: sync again.")
	}
	return nil
}

// printPost prints a message for people.
func (a *app) printPost(p topic.Post, full bool) error {
	const most = 400
	body := p.Content
	if r := []rune(body); !full && len(r) > most {
		body = string(r[:most]) + "…"
	}
	reply := ""
	if p.ReplyTo != nil {
		reply = " → " + *p.ReplyTo
	}
	head := fmt.Sprintf("[%d] %s (%s) %s%s", p.Seq, oneLine(p.Sender), oneLine(p.Type), clock(p.CreatedAt), reply)
	_, err := fmt.Fprintf(a.stdout, "%s\n%s\n\n", a.heading(a.stdout, head), strings.TrimRight(body, "\n"))
	return err
}
