package store

import (
	"fmt"
	"strings"

	"nexus/search"
)

// WordFrequencies tell in how many chunks each term is, counting no further than
// most.
func (t *Tx) WordFrequencies(terms []search.Term, most int) ([]int, error) {
	counts := make([]int, len(terms))
	for i, term := range terms {
		_, err := t.one(`SELECT count(*) FROM (SELECT 1 FROM search_words WHERE `+fmt.Sprintf(t.dialect().words.matches, 1)+` LIMIT $2) AS matching`,
			args(t.dialect().words.expression(term), most), &counts[i])
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// RankWords are the chunks that have any of the terms, best first.
func (t *Tx) RankWords(terms []search.WeighedTerm, average float64, f search.Filter, limit int) ([]search.Ranked, error) {
	words := t.dialect().words
	some := make([]string, len(terms))
	for i, term := range terms {
		some[i] = words.expression(term.Term)
	}
	a := args(strings.Join(some, words.or))
	score := words.score(&a, terms, average)
	where := t.conditions(f, &a)
	join := ""
	if len(where) > 0 {
		join = ` JOIN search_documents d ON d.document_no = search_words.` + words.key + ` >> 12`
	}
	where = append([]string{fmt.Sprintf(words.matches, 1)}, where...)
	a = append(a, limit)
	return list(t, `SELECT search_words.`+words.key+`, `+score+` AS score FROM search_words`+join+` WHERE `+strings.Join(where, " AND ")+
		` ORDER BY score DESC, 1 DESC LIMIT `+placeholderFor(len(a)), a, func(r row) (found search.Ranked, err error) {
		var grains int64
		err = r.scan(&found.ChunkNo, &grains)
		found.Score = float64(grains) / 1e12
		return found, err
	})
}

// conditions are what a filter asks of a document d.
func (t *Tx) conditions(f search.Filter, a *[]any) (all []string) {
	words := t.dialect().words
	add := func(v any) int {
		*a = append(*a, v)
		return len(*a)
	}
	oneOf := func(column string, values []string) string { return t.dialect().oneOf(column, add(elements(values))) }
	if len(f.Kinds) > 0 {
		all = append(all, oneOf("d.kind", f.Kinds))
	}
	if len(f.Senders) > 0 {
		all = append(all, oneOf("d.sender", f.Senders))
	}
	if len(f.Spaces)+len(f.Places) > 0 {
		all = append(all, "("+oneOf("d.workspace_id", f.Spaces)+" OR "+oneOf("d.place", f.Places)+")")
	}
	if f.Within != nil {
		all = append(all, oneOf("d.workspace_id", f.Within))
	}
	if f.After != "" {
		all = append(all, "d.created_at >= "+placeholderFor(add(f.After)))
	}
	if f.Before != "" {
		all = append(all, "d.created_at < "+placeholderFor(add(f.Before)))
	}
	having := func(expression string) string {
		return "SELECT " + words.key + " >> 12 AS document_no FROM search_words WHERE " + fmt.Sprintf(words.matches, add(expression))
	}
	for _, term := range f.Must {
		all = append(all, "d.document_no IN ("+having(words.expression(term))+")")
	}
	for _, term := range f.Not {
		all = append(all, "d.document_no NOT IN ("+having(words.expression(term))+")")
	}
	if f.Where != nil {
		all = append(all, "d.document_no IN ("+words.fitting(*f.Where, having)+")")
	}
	if f.Documents != nil {
		all = append(all, t.dialect().oneNumber("d.document_no", add(numberElements(f.Documents))))
	}
	return all
}

// NewestIndexed are the documents that a filter lets through, newest first.
func (t *Tx) NewestIndexed(f search.Filter, limit int) ([]int64, error) {
	var a []any
	where := append([]string{"d.document_no > 0"}, t.conditions(f, &a)...)
	a = append(a, limit)
	return list(t, `SELECT d.document_no FROM search_documents d WHERE `+strings.Join(where, " AND ")+
		` ORDER BY d.created_at DESC, d.document_no DESC LIMIT `+placeholderFor(len(a)), a, number)
}

// DocumentsWith are the documents that have a term, at most so many.
func (t *Tx) DocumentsWith(term search.Term, limit int) ([]int64, error) {
	words := t.dialect().words
	return list(t, `SELECT `+words.key+` >> 12 FROM search_words WHERE `+fmt.Sprintf(words.matches, 1)+` LIMIT $2`,
		args(words.expression(term), limit), number)
}

// IndexedHeads are documents by their numbers, in no order; those that are gone
// are left out.
func (t *Tx) IndexedHeads(numbers []int64) ([]search.Head, error) {
	return list(t, `
		SELECT document_no, kind, document_id, workspace_id, place, sender, title, created_at
		FROM search_documents WHERE `+t.dialect().oneNumber("document_no", 1), args(numberElements(numbers)),
		func(r row) (h search.Head, err error) {
			err = r.scan(&h.No, &h.Kind, &h.ID, &h.Workspace, &h.Place, &h.Sender, &h.Title, &h.CreatedAt)
			return h, err
		})
}

// PieceSpans are where chunks are in the text of their documents.
func (t *Tx) PieceSpans(chunks []int64) (map[int64]search.Span, error) {
	spans := map[int64]search.Span{}
	err := t.query(`SELECT chunk_no, start_at, end_at FROM search_chunks WHERE `+t.dialect().oneNumber("chunk_no", 1),
		args(numberElements(chunks)), func(r row) error {
			var no int64
			var s search.Span
			err := r.scan(&no, &s.Start, &s.End)
			spans[no] = s
			return err
		})
	return spans, err
}
