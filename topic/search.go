package topic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nexus"
)

// The ways of searching.
const (
	Hybrid   = "hybrid"   // words and meaning
	FullText = "fts"      // words
	Semantic = "semantic" // meaning
)

// SearchParams are what to look for in messages.
type SearchParams struct {
	Query          string `json:"query" jsonschema:"what to look for"`
	TopicID        string `json:"topic_id,omitempty" jsonschema:"only in this topic"`
	Mode           string `json:"mode,omitempty" jsonschema:"by words (fts), by meaning (semantic) or by both"`
	Limit          *int   `json:"limit,omitempty" jsonschema:"how many to return"`
	Model          string `json:"model,omitempty" jsonschema:"which embedding model, for meaning"`
	IncludeContent bool   `json:"include_content,omitempty" jsonschema:"with the whole messages"`
}

// SearchResult is what was found, the best first.
type SearchResult struct {
	Query          string  `json:"query"`
	Mode           string  `json:"mode"`
	TopicID        *string `json:"topic_id"`
	IncludeContent bool    `json:"include_content"`
	Results        []Hit   `json:"results"`
	Count          int     `json:"count"`
	Warned
}

// A Hit is a message that was found. Rank is there for words alone, a semantic
// score for meaning alone, and both for the two together.
type Hit struct {
	TopicID       string   `json:"topic_id"`
	TopicName     string   `json:"topic_name"`
	MessageID     string   `json:"message_id"`
	Seq           int64    `json:"seq"`
	Sender        string   `json:"sender"`
	Type          string   `json:"message_type"`
	CreatedAt     float64  `json:"created_at"`
	Snippet       string   `json:"snippet"`
	Rank          *float64 `json:"rank,omitempty"`
	FTSRank       *float64 `json:"fts_rank,omitempty"`
	SemanticScore *float64 `json:"semantic_score,omitempty"`
	Content       *string  `json:"content_markdown,omitempty"`
}

// Check completes what is asked for with its defaults, or refuses it.
func (p SearchParams) Check() (mode string, limit int, err error) {
	mode = cmp.Or(p.Mode, Hybrid)
	if err := required("query", p.Query); err != nil {
		return "", 0, err
	}
	if !slices.Contains([]string{Hybrid, FullText, Semantic}, mode) {
		return "", 0, invalid("mode", `mode must be "hybrid", "fts" or "semantic"`)
	}
	limit, err = positive("limit", p.Limit, 20)
	return mode, min(limit, 1000), err
}

// Scope is where a search may look: the topic it names, if there is one, within
// the workspaces that the caller's key is limited to; nil for all.
func (s *Service) Scope(ctx context.Context, topicID string) (topic *string, workspaces []string, err error) {
	workspaces = nexus.ActorFrom(ctx).Scopes.Workspaces()
	if strings.TrimSpace(topicID) == "" {
		return nil, workspaces, nil
	}
	t, err := nexus.View(ctx, s.store, func(tx Tx) (Topic, error) { return find(ctx, topicID, tx.Topic) })
	return &t.ID, workspaces, err
}

// ToolText lists what was found.
func (r SearchResult) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Search: mode=%s results=%d", r.Mode, r.Count)
	for _, h := range r.Results {
		fmt.Fprintf(&b, "\n- %s [%d] %s (%s) id=%s: %s", h.TopicName, h.Seq, h.Sender, h.Type, h.MessageID, oneLine(h.Snippet))
	}
	b.WriteString(r.text())
	return b.String()
}
