package search

import (
	"context"
	"runtime"
	"slices"
)

// vector is that of the query, nil where none can be had or is wanted. It is
// made with the model whose vectors there are.
func (f *finding) vector(ctx context.Context) ([]float32, error) {
	if f.mode == ModeWords || f.query.Text == "" {
		return nil, nil
	}
	st, m, err := f.serving(ctx)
	if err != nil {
		return nil, err
	}
	e := f.usable(st, m)
	if e == nil {
		return nil, nil
	}
	asking, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	vectors, err := f.embed(asking, e, []string{f.query.Text})
	if err != nil {
		f.withoutMeaning("The embedding service does not answer, so it was searched by words only.")
		return nil, nil
	}
	return vectors[0], f.vectors.refresh(ctx, f.store, st, *m)
}

// serving is the model that queries are held against, nil for none.
func (f *finding) serving(ctx context.Context) (st State, m *Model, err error) {
	err = f.store.View(ctx, func(tx Tx) error {
		models, err := tx.SearchModels()
		if err != nil {
			return err
		}
		m = nil
		if i := slices.IndexFunc(models, func(m Model) bool { return m.Serves }); i >= 0 {
			m = &models[i]
		}
		st, err = tx.SearchState()
		return err
	})
	return st, m, err
}

// usable is the embedder of the serving model, nil where a search must do without;
// then it says why.
func (f *finding) usable(st State, m *Model) Embedder {
	if m == nil || m.Dims == 0 {
		if st.Chunks > 0 {
			f.withoutMeaning("Nothing has a vector yet, so it was searched by words only.")
		}
		return nil
	}
	e := f.embedder(m.Name)
	resting := !f.resting().IsZero()
	switch wanted := f.wanted().Name(); {
	case e == nil:
		f.withoutMeaning("The vectors are of the embedder %s, which is no longer set up; until others are made it is searched by words only.", m.Name)
	case resting && e.Name() == wanted:
		f.withoutMeaning("The embedding service does not answer, so it was searched by words only.")
		return nil
	case resting:
		f.warn("EMBEDDER_UNREACHABLE", "The embedding service does not answer; vectors of %s serve meanwhile.", m.Name)
	case m.Reached < st.LastChunk:
		f.warn("VECTORS_BEHIND", "Not everything has a vector yet; what has none was found by its words only.")
	}
	return e
}

// withoutMeaning searches by words instead.
func (f *finding) withoutMeaning(format string, args ...any) {
	f.mode = ModeWords
	f.warn("WORDS_ONLY", format, args...)
}

// byMeaning adds the documents that are nearest to the query's vector.
func (f *finding) byMeaning(ctx context.Context, vector []float32, all collection) error {
	if vector == nil {
		return nil
	}
	var only, not map[int64]bool
	if len(f.filter.Must)+len(f.filter.Not) > 0 {
		err := f.store.View(ctx, func(tx Tx) (err error) {
			only, not, err = documentSets(tx, f.filter)
			return err
		})
		if err != nil {
			return err
		}
	}
	processors := runtime.GOMAXPROCS(0)
	if f.mode == ModeBoth { // one is busy with words
		processors = max(1, processors-1)
	}
	all.addMeaning(f.vectors.nearest(vector, f.filter, only, not, f.depth(), processors))
	return nil
}

// mostSet is how many documents may have a phrase that is wanted or not.
const mostSet = 500_000

// documentSets are the documents that have all that is wanted, nil where nothing
// is, and those that have something that is not.
func documentSets(tx Tx, f Filter) (only, not map[int64]bool, err error) {
	for _, t := range f.Must {
		have, err := documentSet(tx, t)
		if err != nil {
			return nil, nil, err
		}
		for no := range only {
			if !have[no] {
				delete(only, no)
			}
		}
		if only == nil {
			only = have
		}
	}
	not = map[int64]bool{}
	for _, t := range f.Not {
		have, err := documentSet(tx, t)
		if err != nil {
			return nil, nil, err
		}
		for no := range have {
			not[no] = true
		}
	}
	return only, not, nil
}

func documentSet(tx Tx, t Term) (map[int64]bool, error) {
	numbers, err := tx.DocumentsWith(t, mostSet)
	set := make(map[int64]bool, len(numbers))
	for _, no := range numbers {
		set[no] = true
	}
	return set, err
}
