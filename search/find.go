package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"nexus"
)

// How to search: by words, by meaning, or both.
const (
	ModeWords   = "fts"
	ModeMeaning = "semantic"
	ModeBoth    = "hybrid"
)

const usualHits, mostHits = 20, 1000

// FindParams say what to look for.
type FindParams struct {
	Query   string          `json:"q" jsonschema:"words, \"a phrase\", -word, word*, from:AGENT, in:PLACE, type:KIND, before:DATE, after:DATE or after:7d"`
	Mode    string          `json:"mode,omitempty" jsonschema:"hybrid (default), fts for words only, or semantic for meaning only"`
	Types   nexus.OneOrMore `json:"types,omitempty" jsonschema:"only these: message, handoff, artifact, topic_post, memory, thread"`
	From    nexus.OneOrMore `json:"from,omitempty" jsonschema:"only what these agents wrote"`
	In      nexus.OneOrMore `json:"in,omitempty" jsonschema:"only in these places: workspace (id, name or path), channel or topic (id or name)"`
	After   string          `json:"after,omitempty" jsonschema:"from this moment on: 2026-01-31, a time of RFC 3339, or 7d for so long ago"`
	Before  string          `json:"before,omitempty" jsonschema:"before this moment"`
	All     bool            `json:"all_words,omitempty" jsonschema:"only what has every word, not just some"`
	Limit   *int            `json:"limit,omitempty" jsonschema:"how many to show, 1 to 1000; default 20"`
	Content bool            `json:"include_content,omitempty" jsonschema:"whole texts, not only the part that fits"`
}

// A Hit is something that was found. The scores are there as far as they were
// asked for: words is the share of the best that the words could score, semantic
// a cosine.
type Hit struct {
	Kind      string   `json:"type"`
	ID        string   `json:"id"`
	Score     float64  `json:"score"`
	Words     *float64 `json:"fts_score,omitempty"`
	Meaning   *float64 `json:"semantic_score,omitempty"`
	Title     string   `json:"title"`
	Sender    string   `json:"from"`
	Workspace *string  `json:"workspace_id"`
	Place     *string  `json:"place_id"`
	CreatedAt string   `json:"created_at"`
	Snippet   string   `json:"snippet"`
	Marks     [][2]int `json:"marks" jsonschema:"where in the snippet the words are that were looked for, as pairs of characters from and to"`
	Content   *string  `json:"content,omitempty"`
}

// Marked is the snippet with [MarkStart] and [MarkEnd] around the words.
func (h Hit) Marked() string { return marked(h.Snippet, h.Marks) }

// A Warning tells why there may be more to find.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// FindResult are the best hits, best first; without words to rank by the newest.
type FindResult struct {
	Query string `json:"q"`
	Mode  string `json:"mode"`
	Items []Hit  `json:"items"`
	nexus.OnePage
	Warnings []Warning `json:"warnings"`
}

// Find finds what was written before it was asked, as far as the caller may read
// it. What is typed is never an error.
func (s *Service) Find(ctx context.Context, p FindParams) (FindResult, error) {
	return s.find(ctx, p, ParseQuery)
}

// FindFTS is [Service.Find] with the query in the language of FTS5. Whoever looks
// for a meaning alone means the text as it is.
func (s *Service) FindFTS(ctx context.Context, p FindParams) (FindResult, error) {
	return s.find(ctx, p, func(text string, _ time.Time) Query {
		q := ParseFTS(text)
		if p.Mode == ModeMeaning {
			q.Text = text
		}
		return q
	})
}

func (s *Service) find(ctx context.Context, p FindParams, parse parser) (FindResult, error) {
	f, err := s.newFinding(ctx, p, parse)
	if err != nil {
		return FindResult{}, err
	}
	behind, err := s.catchUp(ctx)
	if err != nil {
		return FindResult{}, err
	}
	f.warnings = append(f.warnings, behind...)
	ranked, err := f.rank(ctx)
	if err != nil {
		return FindResult{}, err
	}
	result := FindResult{Query: p.Query, Mode: f.mode}
	result.Items, err = f.show(ctx, ranked)
	result.Warnings = append([]Warning{}, f.warnings...)
	s.counts.warnings.Add(int64(len(f.warnings)))
	return result, err
}

// A parser takes apart what was typed at a moment.
type parser func(text string, now time.Time) Query

// A finding is one search under way.
type finding struct {
	*Service
	actor    nexus.Actor
	query    Query
	filter   Filter
	mode     string
	limit    int
	content  bool
	warnings []Warning
}

func (f *finding) warn(code, format string, args ...any) {
	f.warnings = append(f.warnings, Warning{code, nexus.Errorf("", format, args...).Msg})
}

// newFinding reads what is asked for.
func (s *Service) newFinding(ctx context.Context, p FindParams, parse parser) (*finding, error) {
	f := &finding{Service: s, actor: nexus.ActorFrom(ctx), limit: usualHits, content: p.Content}
	if p.Limit != nil {
		f.limit = *p.Limit
	}
	if f.limit < 1 || f.limit > mostHits {
		return nil, nexus.Invalid("limit", "limit must be from 1 to %d.", mostHits)
	}
	mode, ok := map[string]string{
		"": ModeBoth, ModeBoth: ModeBoth, "both": ModeBoth, ModeWords: ModeWords, "words": ModeWords, ModeMeaning: ModeMeaning,
	}[strings.ToLower(strings.TrimSpace(p.Mode))]
	if !ok {
		return nil, nexus.Invalid("mode", "There is no mode %q: use hybrid, fts or semantic.", p.Mode)
	}
	f.mode = mode
	if err := f.read(p, parse); err != nil {
		return nil, err
	}
	if len(f.query.In) == 0 {
		return f, nil
	}
	return f, s.store.View(ctx, func(tx Tx) (err error) {
		f.filter.Spaces, f.filter.Places, err = tx.SearchPlaces(f.query.In)
		return err
	})
}

// read takes the query apart; what is given beside it takes the place of the same
// in it.
func (f *finding) read(p FindParams, parse parser) error {
	const most = 8 << 10
	if len(p.Query) > most {
		return nexus.Invalid("q", "q has %d bytes; a query may have %d.", len(p.Query), most)
	}
	now := f.now()
	q := parse(p.Query, now)
	for _, w := range q.Warnings {
		f.warn("QUERY", "%s", w)
	}
	if len(p.From) > 0 {
		q.From = p.From
	}
	if len(p.In) > 0 {
		q.In = p.In
	}
	if len(p.Types) > 0 {
		q.Kinds = nil
	}
	for _, kind := range p.Types {
		kind = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(kind)), "-", "_")
		if !slices.Contains(Kinds(), kind) {
			return nexus.Invalid("types", "There is nothing of type %q: types are %s.", kind, strings.Join(Kinds(), ", "))
		}
		q.Kinds = append(q.Kinds, kind)
	}
	for _, bound := range []struct {
		field, value string
		to           *string
	}{{"after", p.After, &q.After}, {"before", p.Before, &q.Before}} {
		if strings.TrimSpace(bound.value) == "" {
			continue
		}
		at, ok := parseMoment(strings.TrimSpace(bound.value), now)
		if !ok {
			return nexus.Invalid(bound.field, "%s must be a date such as 2026-01-31, a time of RFC 3339, or 7d for so long ago.", bound.field)
		}
		*bound.to = nexus.Stamp(at)
	}
	f.query = q
	f.filter = Filter{Kinds: q.Kinds, Senders: q.From, Within: f.actor.Scopes.Workspaces(), After: q.After, Before: q.Before, Must: q.Must, Not: q.Not}
	if p.All {
		f.filter.Must = append(slices.Clone(q.Must), q.Terms...)
	}
	if q.Empty() && !q.narrows() {
		return nexus.Invalid("q", "q is empty: say what to look for.")
	}
	return nil
}

// rank finds documents and puts them into their order.
func (f *finding) rank(ctx context.Context) ([]*found, error) {
	if f.query.Empty() {
		numbers, err := nexus.ViewLong(ctx, f.store, func(tx Tx) ([]int64, error) { return tx.NewestIndexed(f.filter, mostRanked) })
		ranked := make([]*found, len(numbers))
		for i, no := range numbers {
			ranked[i] = &found{no: no}
		}
		return ranked, err
	}
	vector, err := f.vector(ctx)
	if err != nil {
		return nil, err
	}
	byWords := make(chan wordsAnswer, 1)
	if f.mode == ModeMeaning {
		byWords <- wordsAnswer{}
	} else { // at the same time as the vectors
		go func() { byWords <- f.byWords(ctx) }()
	}
	all := collection{}
	err = f.byMeaning(ctx, vector, all)
	w := <-byWords
	if w.err != nil || err != nil {
		return nil, firstError(w.err, err)
	}
	if w.cut {
		f.warn("QUERY", "More than %d messages have the words; only in the newest of them it was looked where the words stand.", mostPlaced)
	}
	all.addWords(w.chunks, w.mass)
	if vector != nil && f.mode == ModeBoth {
		all.addMeaning(f.vectors.meanings(vector, all.withoutVector()))
	}
	return all.sorted(f.mode), nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c collection) withoutVector() (numbers []int64) {
	for no, f := range c {
		if !f.hasVector {
			numbers = append(numbers, no)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// depth is how many chunks are looked at more closely. Those who may not read
// everything need more, for some of it is not for them.
func (f *finding) depth() int {
	if f.partial() {
		return mostRanked
	}
	return max(fewRanked, 5*f.limit)
}

// A wordsAnswer is what was found by words.
type wordsAnswer struct {
	chunks []Ranked
	mass   float64
	cut    bool // not all was looked at
	err    error
}

func (f *finding) byWords(ctx context.Context) (w wordsAnswer) {
	w.err = viewLong(ctx, f.store, func(tx Tx) error {
		st, err := tx.SearchState()
		if err != nil || st.Chunks == 0 {
			return err
		}
		terms, mass, err := weigh(tx, f.query, st)
		if err != nil || len(terms) == 0 {
			return err
		}
		filter, cut, err := f.place(tx)
		if err != nil {
			return err
		}
		w.mass, w.cut = mass, cut
		w.chunks, err = tx.RankWords(terms, float64(st.Words)/float64(st.Chunks), filter, f.depth())
		return err
	})
	return w
}

func viewLong(ctx context.Context, store nexus.Store[Tx], fn func(tx Tx) error) error {
	_, err := nexus.ViewLong(ctx, store, func(tx Tx) (struct{}, error) { return struct{}{}, fn(tx) })
	return err
}
