package store

import (
	"fmt"
	"strconv"
	"strings"

	"nexus/search"
)

// A wordIndex is one database's index of words. Both get the same words, and
// both rank by the same formula: bm25 with k1 1.2 and b 0.75.
type wordIndex struct {
	key     string // the column that holds the number of a chunk
	matches string // whether a row has what argument %d asks for
	or      string // stands between terms of which one is enough
	// expression writes what is asked for in the database's own language.
	expression func(search.Term) string
	// put adds the words of a chunk, and drop takes out those between two numbers.
	put  func(t *Tx, chunkNo int64, words []string) error
	drop string
	// score is how well a row fits, times scoreGrain, of one that matches any of
	// the terms. It may add arguments.
	score func(a *[]any, terms []search.WeighedTerm, average float64) string
}

// scoreGrain makes integers of scores: fine enough for those of words that are
// nearly everywhere, which FTS5 gives a weight of a millionth.
const scoreGrain = "1000000000000.0"

var sqliteWords = wordIndex{
	key:     "rowid",
	matches: "search_words MATCH $%d",
	or:      " OR ",
	expression: func(term search.Term) string {
		if term.Prefix {
			return `"` + strings.Join(term.Words, " ") + `"*`
		}
		return `"` + strings.Join(term.Words, " ") + `"`
	},
	put: func(t *Tx, chunkNo int64, words []string) error {
		return t.send(`INSERT INTO search_words (rowid, words) VALUES ($1, $2)`, chunkNo, strings.Join(words, " "))
	},
	drop: `DELETE FROM search_words WHERE rowid >= $1 AND rowid < $2`,
	score: func(*[]any, []search.WeighedTerm, float64) string {
		return "CAST(-bm25(search_words) * " + scoreGrain + " AS INTEGER)"
	},
}

var postgresWords = wordIndex{
	key:        "chunk_no",
	matches:    "search_words.words @@ $%d::tsquery",
	or:         " | ",
	expression: postgresExpression,
	put: func(t *Tx, chunkNo int64, words []string) error {
		return t.send(`INSERT INTO search_words (chunk_no, size, words) VALUES ($1, $2, $3::text::tsvector)`,
			chunkNo, len(words), lexemes(words))
	},
	drop:  `DELETE FROM search_words WHERE chunk_no >= $1 AND chunk_no < $2`,
	score: postgresScore,
}

func postgresExpression(term search.Term) string {
	expression := "'" + strings.Join(term.Words, "' <-> '") + "'"
	if term.Prefix {
		expression += ":*"
	}
	return "(" + expression + ")"
}

// fitting selects the documents that an expression means; having selects those
// that have something in one piece. These are sets, not conditions one beside the
// other, of which PostgreSQL would make a join each: with eight common words that
// takes seconds.
func (w *wordIndex) fitting(e search.Expression, having func(expression string) string) string {
	var terms, sets []string
	for _, part := range e.Parts {
		if e.Op == search.Any && part.Op == search.One {
			terms = append(terms, w.expression(part.Term))
		} else {
			sets = append(sets, "SELECT document_no FROM ("+w.fitting(part, having)+") AS part")
		}
	}
	if len(terms) > 0 { // one look at the index for all of them
		sets = append(sets, having(strings.Join(terms, w.or)))
	}
	switch {
	case e.Op == search.One:
		return having(w.expression(e.Term))
	case len(sets) == 0:
		return "SELECT 0 AS document_no WHERE 1 = 0"
	}
	return strings.Join(sets, map[search.Op]string{search.All: " INTERSECT ", search.Any: " UNION ", search.But: " EXCEPT "}[e.Op])
}

// lexemes writes words as PostgreSQL reads them: each with where it stands.
func lexemes(words []string) string {
	places := map[string][]string{}
	for i, w := range words {
		places[w] = append(places[w], strconv.Itoa(i+1))
	}
	var b strings.Builder
	for _, w := range words {
		if at := places[w]; at != nil {
			fmt.Fprintf(&b, "'%s':%s ", w, strings.Join(at, ","))
			delete(places, w)
		}
	}
	return b.String()
}

// postgresScore is bm25. How often a word is there ts_rank tells in its own way:
// with all weights 1 it is 1 + 1/4 + 1/9 … for each time, and that over π²/6.
func postgresScore(a *[]any, terms []search.WeighedTerm, average float64) string {
	add := func(v any) string {
		*a = append(*a, v)
		return "$" + strconv.Itoa(len(*a))
	}
	length := "1.2 * (0.25 + 0.75 * search_words.size / " + add(max(average, 1)) + "::float8)"
	sums := make([]string, len(terms))
	for i, t := range terms {
		expression := add(postgresExpression(t.Term)) + "::tsquery"
		times := "(CASE WHEN search_words.words @@ " + expression + " THEN 1 ELSE 0 END)"
		if len(t.Words) == 1 && !t.Prefix {
			times = "width_bucket(ts_rank('{1,1,1,1}', search_words.words, " + expression + ")::float8, '{" + timesBounds + "}'::float8[])"
		}
		sums[i] = fmt.Sprintf("%s::float8 * 2.2 * (1 - %s / (%s + %s))", add(t.Weight), length, times, length) // so that it is counted once
	}
	return "((" + strings.Join(sums, " + ") + ") * " + scoreGrain + ")::bigint"
}

// timesBounds are what ts_rank says at least for a word that is there once,
// twice, and so on; beyond that it makes no difference.
var timesBounds = func() string {
	const most = 40
	var bounds []string
	sum := 0.0
	for n := 1.0; n <= most; n++ {
		sum += 1 / (n * n)
		bounds = append(bounds, strconv.FormatFloat((sum-0.5/(n*n))/1.64493406685, 'f', 9, 64))
	}
	return strings.Join(bounds, ",")
}()
