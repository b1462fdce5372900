package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"nexus/op"
	"nexus/search"
)

// searchFlags are the flags of nexus search as they were given.
type searchFlags struct {
	mode, in, from, kind, after, before, limit *plainFlag

	content, status, reindex, dryRun bool
}

func searchCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find messages, hand-offs, artifacts and posts again",
		Long: `Find what was written, by its words and by what it means, best first.

A query is plain words. "Words in quotes" must stand as they are, -word must not be
there, word* is how one begins; from:AGENT, in:PLACE, type:KIND, before:DATE and
after:DATE (or after:7d) narrow it. Put -- before a query that begins with a dash.

--status tells how the index is doing, --reindex makes it anew.`,
		Example: "  nexus search migration fails on postgres\n  nexus search 'type:handoff \"release notes\" after:7d'\n" +
			"  nexus search --from ada --limit 5 -- deploy -staging",
		Args: cobra.ArbitraryArgs,
	}
	f := newSearchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.load()
		if err != nil {
			return err
		}
		return a.runSearch(cmd, cfg, f, args)
	}
	return cmd
}

func newSearchFlags(cmd *cobra.Command) *searchFlags {
	f := &searchFlags{
		mode:   ownFlag(cmd, "mode", "how", "By words and meaning (hybrid), by words (fts) or by meaning (semantic). (default hybrid)"),
		in:     ownFlag(cmd, "in", "place", "Only in this workspace (id, name or path), channel or topic. May be given again."),
		from:   ownFlag(cmd, "from", "agent", "Only what this agent wrote. May be given again."),
		kind:   ownFlag(cmd, "type", "kind", "Only message, handoff, artifact or topic_post. May be given again."),
		after:  ownFlag(cmd, "after", "date", "From this moment on: a date, a time, or 7d for so long ago."),
		before: ownFlag(cmd, "before", "date", "Before this moment."),
		limit:  ownFlag(cmd, "limit", "n", "How many to show, 1 to 1000. (default 20)"),
	}
	cmd.Flags().BoolVar(&f.content, "content", false, "Whole texts, not only the part that fits.")
	cmd.Flags().BoolVar(&f.status, "status", false, "Tell how the index is doing.")
	cmd.Flags().BoolVar(&f.reindex, "reindex", false, "Make the index anew, and wait for it.")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "With --reindex: only count what would be indexed.")
	return f
}

func (a *app) runSearch(cmd *cobra.Command, cfg *Config, f *searchFlags, args []string) error {
	switch {
	case f.dryRun && !f.reindex:
		return usageErrorf("--dry-run goes with --reindex")
	case (f.reindex || f.status) && len(args) > 0 || f.reindex && f.status:
		return usageErrorf("--status and --reindex stand alone")
	case f.reindex:
		return a.reindex(cmd, cfg, f.dryRun)
	case f.status:
		return a.searchStatus(cmd, cfg)
	case len(args) == 0 && !slices.ContainsFunc([]string{"in", "from", "type", "after", "before"}, cmd.Flags().Changed):
		return usageErrorf("say what to look for, such as: nexus search migration fails")
	}
	return a.search(cmd, cfg, f, strings.Join(args, " "))
}

func (f *searchFlags) arguments(query string) (json.RawMessage, error) {
	limit, err := f.limit.number(1)
	if err != nil {
		return nil, err
	}
	return op.Marshal(search.FindParams{
		Query: query, Mode: f.mode.text(), In: f.in.texts, From: f.from.texts, Types: f.kind.texts,
		After: f.after.text(), Before: f.before.text(), Limit: limit, Content: f.content,
	})
}

func (a *app) search(cmd *cobra.Command, cfg *Config, f *searchFlags, query string) error {
	arguments, err := f.arguments(query)
	if err != nil {
		return err
	}
	var found search.FindResult
	if err := callInto(cmd.Context(), cfg, "search", arguments, &found); err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, found)
	}
	for _, w := range found.Warnings {
		fmt.Fprintln(a.stderr, oneLine(w.Message))
	}
	return a.printHits(found)
}

// callInto calls an operation and reads its answer.
func callInto(ctx context.Context, cfg *Config, name string, arguments json.RawMessage, into any) error {
	ops, err := knownOps(cfg)
	if err != nil {
		return err
	}
	data, err := callData(ctx, cfg, ops.Lookup(name), arguments)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func (a *app) printHits(found search.FindResult) error {
	if len(found.Items) == 0 {
		_, err := fmt.Fprintln(a.stdout, "Nothing found.")
		return err
	}
	var b strings.Builder
	for _, h := range found.Items {
		title := h.Title
		if title == "" {
			title = h.ID
		}
		from := ""
		if h.Sender != "" {
			from = " from " + oneLine(h.Sender)
		}
		fmt.Fprintf(&b, "%s\n  %s %s%s, %s", a.heading(a.stdout, oneLine(title)), h.Kind, h.ID, from, h.CreatedAt[:min(16, len(h.CreatedAt))])
		if h.Score != 0 {
			fmt.Fprintf(&b, ", %.2f", h.Score)
		}
		text := a.highlight(h)
		if h.Content != nil {
			text = strings.ReplaceAll(harmless(*h.Content), "\n", "\n  ")
		}
		fmt.Fprintf(&b, "\n  %s\n\n", text)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// highlight is the part of the text that fits, with its words made to stand out.
func (a *app) highlight(h search.Hit) string {
	on, off := "", ""
	if a.colour(a.stdout) {
		on, off = "\x1b[1;33m", "\x1b[0m"
	}
	return strings.NewReplacer(string(search.MarkStart), on, string(search.MarkEnd), off).Replace(oneLine(h.Marked()))
}

// harmless leaves out what a text of somebody else could do to a terminal.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

func (a *app) searchStatus(cmd *cobra.Command, cfg *Config) error {
	var s search.Status
	if err := callInto(cmd.Context(), cfg, "search_status", json.RawMessage(`{}`), &s); err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, s)
	}
	state := "up to date"
	switch {
	case s.Rebuild != nil:
		state = fmt.Sprintf("being made anew, %d of %d", s.Rebuild.Done, s.Rebuild.Total)
	case !s.UpToDate:
		state = fmt.Sprintf("behind: event %d of %d", s.Position, s.LastEvent)
	}
	rows := [][]string{
		{"index", state},
		{"documents", fmt.Sprintf("%d in %d pieces", s.Documents, s.Chunks)},
		{"embedder", s.Embedder},
	}
	for _, m := range s.Models {
		what := fmt.Sprintf("%s, %.0f %%", m.Name, 100*m.Complete)
		if m.Serves {
			what += ", in use"
		}
		rows = append(rows, []string{"vectors", what})
	}
	if s.Trouble != "" {
		rows = append(rows, []string{"trouble", oneLine(s.Trouble)})
	}
	return printTable(a.stdout, rows)
}

// reindex asks for a new index and works on it, beside a hub that may do so, too.
func (a *app) reindex(cmd *cobra.Command, cfg *Config, dryRun bool) error {
	return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error {
		result, err := n.search.Reindex(ctx, search.ReindexParams{DryRun: dryRun})
		if err != nil {
			return err
		}
		if !dryRun {
			if err := n.search.Finish(ctx, a.reindexProgress()); err != nil {
				return err
			}
			if a.reindexProgress() != nil {
				fmt.Fprint(a.stderr, clearLine)
			}
			status, err := n.search.Status(ctx, search.None{})
			if err != nil {
				return err
			}
			result.Documents = status.Documents
		}
		if a.wantsJSON(cmd) {
			return printJSON(a.stdout, result)
		}
		what := "Indexed %d documents.\n"
		if dryRun {
			what = "There are about %d documents to index.\n"
		}
		_, err = fmt.Fprintf(a.stdout, what, result.Documents)
		return err
	})
}

// reindexProgress is nil where nobody watches.
func (a *app) reindexProgress() func(search.Status) {
	if a.quiet || !isTerminal(a.stderr) {
		return nil
	}
	return func(s search.Status) {
		if s.Rebuild != nil {
			fmt.Fprintf(a.stderr, clearLine+"%d of %d indexed", s.Rebuild.Done, s.Rebuild.Total)
			return
		}
		for _, m := range s.Models {
			if m.Name == s.Embedder {
				fmt.Fprintf(a.stderr, clearLine+"vectors: %.0f %%", 100*m.Complete)
			}
		}
	}
}
