package search

import (
	"cmp"
	"math"
	"slices"
)

// A WeighedTerm is a term and how much it tells: the rarer, the more.
type WeighedTerm struct {
	Term
	Weight float64
}

const (
	// k1 is how much it counts that a word is there more than once. b, how much the
	// length of a text counts, is 0.75; both databases know that.
	k1 = 1.2
	// Words that are nearly everywhere tell nothing and cost much: one that is in
	// more than this share of the chunks is left out while there are rarer ones.
	commonShare = 0.05
	commonLeast = 1000
	// fewRanked is how many chunks are looked at more closely by each measure, at
	// least, and mostRanked where many of them may be passed over.
	fewRanked, mostRanked = 250, 1000
)

// weigh finds out how much the terms of a query tell. Common ones are not left out
// where something may be found that has no other. The mass is the most that a text
// could score: also terms that are nowhere count, so that a chance hit of one word
// of five is no perfect one.
func weigh(tx Tx, q Query, st State) (weighed []WeighedTerm, mass float64, err error) {
	most := max(commonLeast, int(float64(st.Chunks)*commonShare))
	counts, err := tx.WordFrequencies(q.Terms, most+1)
	if err != nil {
		return nil, 0, err
	}
	leaveOut := slices.ContainsFunc(counts, func(n int) bool { return n > 0 && n <= most })
	if leaveOut && q.Where != nil {
		leaveOut = q.Where.needs(slices.DeleteFunc(slices.Clone(q.Terms), func(t Term) bool {
			return counts[slices.IndexFunc(q.Terms, t.equal)] > most
		}))
	}
	for i, t := range q.Terms {
		if leaveOut && counts[i] > most {
			continue
		}
		weight := idf(counts[i], int(st.Chunks))
		mass += (k1 + 1) * weight
		if counts[i] > 0 {
			weighed = append(weighed, WeighedTerm{t, weight})
		}
	}
	return weighed, mass, nil
}

// idf is what a term tells that is in so many of all chunks, as FTS5 has it: a
// term that is in half of them or more tells next to nothing.
func idf(n, all int) float64 {
	all = max(all, n)
	return max(1e-6, math.Log((float64(all)-float64(n)+0.5)/(float64(n)+0.5)))
}

// A found document, and its best piece by each measure.
type found struct {
	no        int64
	words     float64 // of the most it could score
	meaning   float64 // a cosine
	hasWords  bool
	hasVector bool
	wordPiece int64
	bestPiece int64 // by meaning
	score     float64
}

// A collection gathers documents from lists of chunks.
type collection map[int64]*found

func (c collection) of(chunk int64) *found {
	no := DocumentOf(chunk)
	if c[no] == nil {
		c[no] = &found{no: no}
	}
	return c[no]
}

func (c collection) addWords(chunks []Ranked, mass float64) {
	for _, r := range chunks {
		f := c.of(r.ChunkNo)
		if share := min(1, r.Score/mass); !f.hasWords || share > f.words {
			f.words, f.wordPiece, f.hasWords = share, r.ChunkNo, true
		}
	}
}

func (c collection) addMeaning(chunks []Ranked) {
	for _, r := range chunks {
		f := c.of(r.ChunkNo)
		if !f.hasVector || r.Score > f.meaning {
			f.meaning, f.bestPiece, f.hasVector = r.Score, r.ChunkNo, true
		}
	}
}

// sorted are the documents, best first. Both measures count the same where both
// were asked for.
func (c collection) sorted(mode string) []*found {
	all := make([]*found, 0, len(c))
	for _, f := range c {
		switch mode {
		case ModeWords:
			f.score = f.words
		case ModeMeaning:
			f.score = f.meaning
		default:
			f.score = 0.5*f.words + 0.5*f.meaning
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.no, a.no))
	})
	return all
}
