package topic

import (
	"context"
	"strings"

	"nexus"
)

// Searching without an index: messages that have all the words, newest first.
// This file and store/topic_search.go go when package search is joined.

type searchRows interface {
	// PostsWith are the newest messages that have all the words, in whatever case.
	PostsWith(words []string, topicID string, workspaces []string, limit int) ([]Hit, error)
}

// SearchMessages finds messages by their words.
func (s *Service) SearchMessages(ctx context.Context, p SearchParams) (SearchResult, error) {
	mode, limit, err := p.Check()
	if err != nil {
		return SearchResult{}, err
	}
	topicID, workspaces, err := s.Scope(ctx, p.TopicID)
	if err != nil {
		return SearchResult{}, err
	}
	r := SearchResult{Query: p.Query, Mode: mode, TopicID: topicID, IncludeContent: p.IncludeContent}
	if mode != FullText {
		r.Warnings = []Warning{{Code: "NO_EMBEDDINGS", Message: "Searched by words: there are no embeddings to search by meaning."}}
	}
	within := ""
	if topicID != nil {
		within = *topicID
	}
	words := strings.Fields(strings.ToLower(p.Query))
	r.Results, err = nexus.ViewLong(ctx, s.store, func(tx Tx) ([]Hit, error) { return tx.PostsWith(words, within, workspaces, limit) })
	r.Count = len(r.Results)
	for i := range r.Results {
		h, none := &r.Results[i], 0.0
		h.Snippet = snippet(*h.Content, words[0])
		switch mode {
		case FullText:
			h.Rank = &none
		case Semantic:
			h.SemanticScore = &none
		default:
			h.FTSRank, h.SemanticScore = &none, &none
		}
		if !p.IncludeContent {
			h.Content = nil
		}
	}
	return r, err
}

// snippet is what stands around a word.
func snippet(text, word string) string {
	const around = 120
	at := max(0, strings.Index(strings.ToLower(text), word))
	runes := []rune(text)
	begin := max(0, len([]rune(text[:min(at, len(text))]))-around)
	return string(runes[begin:min(len(runes), begin+2*around)])
}
