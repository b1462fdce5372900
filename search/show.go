package search

import (
	"context"
	"slices"

	"nexus"
)

// show turns the best documents into hits: those that are still there and that
// the caller may read, until there are enough.
func (f *finding) show(ctx context.Context, ranked []*found) ([]Hit, error) {
	return nexus.View(ctx, f.store, func(tx Tx) ([]Hit, error) {
		hits := []Hit{}
		for at := 0; at < len(ranked) && len(hits) < f.limit; {
			some := ranked[at:min(len(ranked), at+f.limit-len(hits)+8)]
			at += len(some)
			shown, err := f.hits(tx, some)
			if err != nil {
				return nil, err
			}
			hits = append(hits, shown...)
		}
		return hits[:min(len(hits), f.limit)], nil
	})
}

// hits are the hits among some documents, in their order.
func (f *finding) hits(tx Tx, some []*found) ([]Hit, error) {
	numbers := make([]int64, len(some))
	for i, d := range some {
		numbers[i] = d.no
	}
	heads, err := tx.IndexedHeads(numbers)
	if err != nil {
		return nil, err
	}
	texts, err := f.texts(tx, heads)
	if err != nil {
		return nil, err
	}
	pieces := []int64{}
	for _, d := range some {
		pieces = append(pieces, d.piece())
	}
	spans, err := tx.PieceSpans(pieces)
	if err != nil {
		return nil, err
	}
	words := newMatcher(f.query.Terms)
	var hits []Hit
	for _, d := range some {
		i := slices.IndexFunc(heads, func(h Head) bool { return h.No == d.no })
		if i < 0 {
			continue
		}
		document, ok := texts[[2]string{heads[i].Kind, heads[i].ID}]
		if ok {
			hits = append(hits, f.hit(d, document, spans[d.piece()], words))
		}
	}
	return hits, nil
}

// piece is the one that a document was found by: that with the words, if any.
func (d *found) piece() int64 {
	switch {
	case d.hasWords:
		return d.wordPiece
	case d.hasVector:
		return d.bestPiece
	}
	return ChunkNo(d.no, 0)
}

// texts reads the documents that the caller may read.
func (f *finding) texts(tx Tx, heads []Head) (map[[2]string]Document, error) {
	byKind := map[string][]string{}
	for _, h := range heads {
		byKind[h.Kind] = append(byKind[h.Kind], h.ID)
	}
	texts := map[[2]string]Document{}
	for _, kind := range kindsOf(byKind) {
		ids, err := f.mine(tx, kind, byKind[kind])
		if err != nil {
			return nil, err
		}
		documents, err := tx.SearchDocuments(kind, ids)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			if f.actor.MayEnter(d.Workspace) == nil {
				texts[[2]string{kind, d.ID}] = d
			}
		}
	}
	return texts, nil
}

// mine are those of the ids that are for the caller: an agent sees by its own key
// what the log shows it, whoever runs the hub sees everything.
func (f *finding) mine(tx Tx, kind string, ids []string) ([]string, error) {
	switch {
	case f.actor.MayReadLog() != nil:
		return tx.ReadableDocuments(kind, f.actor.AgentID, ids)
	case f.partial():
		return tx.VisibleDocuments(kind, f.actor.AgentID, ids, f.now())
	}
	return ids, nil
}

// partial tells whether some of what there is may not be for the caller.
func (f *finding) partial() bool {
	return f.actor.Kind == nexus.KindAgent && !slices.Contains(f.actor.Scopes.List(), nexus.ScopeAdmin)
}

func (f *finding) hit(d *found, doc Document, span Span, words matcher) Hit {
	end := min(span.End, len(doc.Text))
	h := Hit{
		Kind: doc.Kind, ID: doc.ID, Score: round(d.score), Title: doc.Title, Sender: doc.Sender, CreatedAt: doc.CreatedAt,
		Workspace: orNil(doc.Workspace), Place: orNil(doc.Place),
	}
	h.Snippet, h.Marks = words.snippet(doc.Text[min(span.Start, end):end])
	if h.Snippet == "" {
		h.Snippet, h.Marks = words.snippet(doc.Title)
	}
	if d.hasWords || f.mode == ModeWords {
		h.Words = pointer(round(d.words))
	}
	if d.hasVector && f.mode != ModeWords {
		h.Meaning = pointer(round(d.meaning))
	}
	if f.content {
		h.Content = &doc.Text
	}
	return h
}

// round keeps as much of a score as means something.
func round(x float64) float64 {
	const grain = 1e4
	if x < 0 {
		return -round(-x)
	}
	return float64(int64(x*grain+0.5)) / grain
}

func pointer[T any](v T) *T { return &v }

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
