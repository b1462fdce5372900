package topic

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"nexus"
)

// ExportParams ask for a topic as a document.
type ExportParams struct {
	TopicID  string `json:"topic_id" jsonschema:"the topic"`
	Format   string `json:"format,omitempty" jsonschema:"markdown or json; default markdown"`
	Metadata bool   `json:"include_metadata,omitempty" jsonschema:"with time, type and metadata of every message"`
	AfterSeq int64  `json:"after_seq,omitempty" jsonschema:"only messages after this one"`
}

// An Export is a topic as a document.
type Export struct {
	TopicID   string `json:"topic_id"`
	TopicName string `json:"topic_name"`
	Format    string `json:"format"`
	Count     int    `json:"message_count"`
	LastSeq   int64  `json:"last_seq"` // of the last message in it
	// Truncated tells that there are more messages: ask again after last_seq.
	Truncated bool    `json:"truncated"`
	Messages  *[]Post `json:"messages,omitempty"` // as JSON
	Document  string  `json:"document,omitempty"` // as Markdown
}

// mostExported is how many messages one export has.
const mostExported = 10_000

// Export writes a topic as Markdown or JSON.
func (s *Service) Export(ctx context.Context, p ExportParams) (Export, error) {
	format := cmp.Or(p.Format, "markdown")
	if format != "markdown" && format != "json" {
		return Export{}, invalid("format", `format must be "markdown" or "json"`)
	}
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (Export, error) {
		t, err := find(ctx, p.TopicID, tx.Topic)
		if err != nil {
			return Export{}, err
		}
		posts, err := tx.PostsAfter(t.ID, p.AfterSeq, "", mostExported+1)
		if err != nil {
			return Export{}, err
		}
		e := Export{TopicID: t.ID, TopicName: t.Name, Format: format, Truncated: len(posts) > mostExported, LastSeq: p.AfterSeq}
		posts = posts[:min(len(posts), mostExported)]
		if e.Count = len(posts); e.Count > 0 {
			e.LastSeq = posts[e.Count-1].Seq
		}
		if format == "json" {
			e.Messages = &posts
			return e, nil
		}
		e.Document, err = markdown(tx, t, posts, p.Metadata)
		return e, err
	})
}

// markdown is a topic for people to read.
func markdown(tx Tx, t Topic, posts []Post, metadata bool) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n- topic_id: %s\n- status: %s\n- messages: %d\n", oneLine(t.Name), t.ID, t.Status, len(posts))
	known := map[string]Post{}
	for _, p := range posts {
		known[p.ID] = p
		fmt.Fprintf(&b, "\n### [%d] %s\n\n", p.Seq, oneLine(p.Sender))
		if p.ReplyTo != nil {
			parent, found := known[*p.ReplyTo]
			if !found {
				var err error
				if parent, found, err = tx.Post(t.ID, *p.ReplyTo); err != nil {
					return "", err
				}
			}
			if found {
				fmt.Fprintf(&b, "*reply to %s (#%d)*\n\n", oneLine(parent.Sender), parent.Seq)
			}
		}
		if metadata {
			fmt.Fprintf(&b, "- time: %s\n- type: %s\n- message_id: %s\n", Moment(p.CreatedAt).Format(time.RFC3339), oneLine(p.Type), p.ID)
			if len(p.Metadata) > 0 {
				fmt.Fprintf(&b, "- metadata: `%s`\n", oneLine(string(p.Metadata)))
			}
			b.WriteString("\n")
		}
		b.WriteString(strings.TrimRight(p.Content, "\n") + "\n")
	}
	return b.String(), nil
}

// oneLine keeps what others wrote from breaking a line of ours.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
