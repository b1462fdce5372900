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

// What a search takes and returns at most: bytes of a query, messages.
const (
	longestQuery = 8 << 10
	mostHits     = 1000
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
	if len(p.Query) > longestQuery {
		return "", 0, invalid("query", "query must be <= %d bytes", longestQuery)
	}
	if !slices.Contains([]string{Hybrid, FullText, Semantic}, mode) {
		return "", 0, invalid("mode", `mode must be "hybrid", "fts" or "semantic"`)
	}
	limit, err = positive("limit", p.Limit, 20)
	return mode, min(limit, mostHits), err
}

// A PostFinder finds messages of topics by their words and their meaning.
type PostFinder interface {
	FindPosts(ctx context.Context, q PostQuery) (PostsFound, error)
}

// A PostQuery is what to look for, and where: in one topic, or with none in all
// that the caller may see.
type PostQuery struct {
	Query, Mode, TopicID string
	Limit                int
}

// PostsFound are the best messages, best first.
type PostsFound struct {
	Posts    []FoundPost
	Warnings []Warning
}

// A FoundPost is a message that fits. Words and Meaning tell how well, higher is
// better; nil where that was not looked at.
type FoundPost struct {
	ID, Snippet    string
	Words, Meaning *float64
}

type searchRows interface {
	// FoundPosts are messages by their ids, as far as they are still there, with the
	// names of their topics and all they say.
	FoundPosts(ids []string) ([]Hit, error)
}

// SearchMessages finds messages by words, meaning or both.
func (s *Service) SearchMessages(ctx context.Context, p SearchParams) (SearchResult, error) {
	mode, limit, err := p.Check()
	if err != nil {
		return SearchResult{}, err
	}
	topicID, err := s.scope(ctx, p.TopicID)
	if err != nil {
		return SearchResult{}, err
	}
	q := PostQuery{Query: p.Query, Mode: mode, Limit: limit}
	if topicID != nil {
		q.TopicID = *topicID
	}
	found, err := s.finder.FindPosts(ctx, q)
	if err != nil {
		return SearchResult{}, err
	}
	r := SearchResult{Query: p.Query, Mode: mode, TopicID: topicID, IncludeContent: p.IncludeContent}
	r.Warnings = found.Warnings
	if p.Model != "" {
		r.Warnings = append(r.Warnings, Warning{Code: "MODEL_IGNORED", Message: "Meaning is compared with the model that the hub is set to, whatever is asked for."})
	}
	if p.Limit != nil && *p.Limit > limit {
		r.Warnings = append(r.Warnings, Warning{
			Code: "LIMIT_LOWERED", Message: fmt.Sprintf("limit was taken as %d, the most that is returned.", limit), Context: map[string]any{"limit": limit},
		})
	}
	r.Results, err = s.show(ctx, found.Posts, p.IncludeContent, mode)
	r.Count = len(r.Results)
	return r, err
}

// scope is the topic that a search names, nil for none.
func (s *Service) scope(ctx context.Context, topicID string) (*string, error) {
	if strings.TrimSpace(topicID) == "" {
		return nil, nil
	}
	t, err := nexus.View(ctx, s.store, func(tx Tx) (Topic, error) { return find(ctx, topicID, tx.Topic) })
	return &t.ID, err
}

// show turns what was found into hits, in its order.
func (s *Service) show(ctx context.Context, posts []FoundPost, content bool, mode string) ([]Hit, error) {
	ids := make([]string, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	stored, err := nexus.View(ctx, s.store, func(tx Tx) ([]Hit, error) { return tx.FoundPosts(ids) })
	hits := []Hit{}
	for _, p := range posts {
		i := slices.IndexFunc(stored, func(h Hit) bool { return h.MessageID == p.ID })
		if i < 0 {
			continue
		}
		h := stored[i]
		h.Snippet, h.SemanticScore = p.Snippet, p.Meaning
		if p.Words != nil { // lower is better, as full-text searches have it
			rank := -*p.Words
			if mode == FullText {
				h.Rank = &rank
			} else {
				h.FTSRank = &rank
			}
		}
		if !content {
			h.Content = nil
		}
		hits = append(hits, h)
	}
	return hits, err
}

// ToolText lists what was found.
func (r SearchResult) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Search: mode=%s results=%d", r.Mode, r.Count)
	for _, h := range r.Results {
		fmt.Fprintf(&b, "\n- %s [%d] %s (%s) id=%s: %s", inLine(h.TopicName), h.Seq, h.Sender, inLine(h.Type), h.MessageID, oneLine(h.Snippet))
	}
	b.WriteString(r.text())
	return b.String()
}
