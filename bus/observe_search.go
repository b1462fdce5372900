package bus

import (
	"context"
	"strings"

	"nexus"
)

// A MessageText is a message as one sees it who searches.
type MessageText struct {
	ID, FromAgentID, Subject, Body, CreatedAt string
}

// SearchParams say what to look for.
type SearchParams struct {
	Query     string `json:"q" jsonschema:"the words to find, as they stand in subject or body"`
	K         *int   `json:"k,omitempty" jsonschema:"how many to show, 1 to 50; default 10"`
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one"`
}

// A SearchHit is a message that has the words. One that has them in its subject
// scores higher.
type SearchHit struct {
	ID          string  `json:"message_id"`
	Score       float64 `json:"score"`
	FromAgentID string  `json:"from_agent_id"`
	Subject     string  `json:"subject"`
	CreatedAt   string  `json:"created_at"`
}

// SearchResult are the newest hits. Truncated tells that older messages were not
// looked at.
type SearchResult struct {
	Items []SearchHit `json:"items"`
	nexus.OnePage
	LookedAt  int  `json:"looked_at"`
	Truncated bool `json:"truncated"`
}

const (
	usualHits, mostHits = 10, 50
	// A search looks at so many messages and so much text, some at a time.
	searchMessages = 20_000
	searchBytes    = 64 << 20
	searchBatch    = 500
)

// SearchMessages finds the newest messages that have the words in subject or
// body, in whatever case. The words are compared here and not by the database,
// so that they mean the same on every one and nothing in them is special.
func (s *Service) SearchMessages(ctx context.Context, p SearchParams) (SearchResult, error) {
	if err := required("q", p.Query); err != nil {
		return SearchResult{}, err
	}
	if err := brief("q", p.Query); err != nil {
		return SearchResult{}, err
	}
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return SearchResult{}, err
	}
	k := usualHits
	if p.K != nil {
		k = max(1, min(*p.K, mostHits))
	}
	words := strings.ToLower(strings.TrimSpace(p.Query))
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (SearchResult, error) {
		result := SearchResult{Items: []SearchHit{}}
		from, size := beyond, 0
		for ctx.Err() == nil {
			batch, err := tx.MessageTexts(workspace, from, searchBatch)
			if err != nil {
				return result, err
			}
			for _, m := range batch {
				from, size = m.ID, size+len(m.Subject)+len(m.Body)
				result.LookedAt++
				if score := m.score(words); score > 0 {
					result.Items = append(result.Items, SearchHit{m.ID, score, m.FromAgentID, m.Subject, m.CreatedAt})
				}
				if len(result.Items) == k {
					return result, nil
				}
			}
			if len(batch) < searchBatch {
				return result, nil
			}
			if result.LookedAt >= searchMessages || size >= searchBytes {
				result.Truncated = true
				return result, nil
			}
		}
		return result, context.Cause(ctx)
	})
}

func (m MessageText) score(words string) float64 {
	switch {
	case strings.Contains(strings.ToLower(m.Subject), words):
		return 1
	case strings.Contains(strings.ToLower(m.Body), words):
		return 0.5
	}
	return 0
}
