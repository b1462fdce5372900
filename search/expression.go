package search

import (
	"slices"
	"strings"
)

// An Op is how the parts of an [Expression] come together.
type Op int

// What an expression asks for: its term, all of its parts, any of them (so of
// none nothing), or the first of two without the second.
const (
	One Op = iota
	All
	Any
	But
)

// An Expression tells which documents fit by the terms that they have.
type Expression struct {
	Op    Op
	Term  Term
	Parts []Expression

	// places are where the terms must stand besides, which a database does not
	// look at: see [Expression.rough] and [Expression.fits].
	places *places
}

// nothing is what no document fits.
var nothing = Expression{Op: Any}

func (e Expression) isNothing() bool { return e.Op == Any && len(e.Parts) == 0 }

// join is all or any of two expressions.
func join(op Op, a, b Expression) Expression {
	switch {
	case op == All && (a.isNothing() || b.isNothing()):
		return nothing
	case op == Any && a.isNothing():
		return b
	case op == Any && b.isNothing():
		return a
	case a.Op == op && a.places == nil: // a long list is no deep tree
		return Expression{Op: op, Parts: append(slices.Clip(a.Parts), b)}
	}
	return Expression{Op: op, Parts: []Expression{a, b}}
}

func without(a, b Expression) Expression {
	if a.isNothing() || b.isNothing() {
		return a
	}
	return Expression{Op: But, Parts: []Expression{a, b}}
}

// placed tells whether it matters where terms stand.
func (e Expression) placed() bool {
	return e.places != nil || slices.ContainsFunc(e.Parts, Expression.placed)
}

// rough is the expression without places. What fits the expression fits this.
func (e Expression) rough() Expression {
	if e.Op == But && e.Parts[1].placed() {
		return e.Parts[0].rough()
	}
	e.places, e.Parts = nil, slices.Clone(e.Parts)
	for i, part := range e.Parts {
		e.Parts[i] = part.rough()
	}
	return e
}

// needs tells whether whatever fits has at least one of the terms.
func (e Expression) needs(terms []Term) bool {
	oneOf := func(part Expression) bool { return part.needs(terms) }
	switch e.Op {
	case All:
		return slices.ContainsFunc(e.Parts, oneOf)
	case Any:
		return !slices.ContainsFunc(e.Parts, func(part Expression) bool { return !oneOf(part) })
	case But:
		return oneOf(e.Parts[0])
	}
	return slices.ContainsFunc(terms, e.Term.equal)
}

// fits tells whether a document with these words is meant.
func (e Expression) fits(words []string) bool {
	if e.places != nil {
		return e.places.fit(words)
	}
	fits := func(part Expression) bool { return part.fits(words) }
	switch e.Op {
	case All:
		return !slices.ContainsFunc(e.Parts, func(part Expression) bool { return !fits(part) })
	case Any:
		return slices.ContainsFunc(e.Parts, fits)
	case But:
		return fits(e.Parts[0]) && !fits(e.Parts[1])
	}
	var p phrase
	return len(p.add(e.Term.Words, e.Term.Prefix).starts(words)) > 0
}

// A phrase is words that stand in this order, or beginnings of words.
type phrase []phraseWord

type phraseWord struct {
	text   string
	prefix bool
}

// add puts words behind those of a phrase. Of what is then the last word it says
// whether it is only how one begins, also where there are no words to add.
func (p phrase) add(words []string, prefix bool) phrase {
	for _, w := range words {
		p = append(p, phraseWord{text: w})
	}
	if len(p) > 0 {
		p[len(p)-1].prefix = prefix
	}
	return p
}

// terms are what a document must have for the phrase to be in it. A term has a
// beginning of a word only at its end, so there may be several.
func (p phrase) terms() (all []Term) {
	var t Term
	for i, w := range p {
		t.Words = append(t.Words, w.text)
		if w.prefix || i == len(p)-1 {
			all = append(all, Term{t.Words, w.prefix})
			t.Words = nil
		}
	}
	return all
}

// starts are where among words the phrase begins.
func (p phrase) starts(words []string) (all []int) {
	for at := 0; at+len(p) <= len(words); at++ {
		if p.beginsAt(words[at:]) {
			all = append(all, at)
		}
	}
	return all
}

func (p phrase) beginsAt(words []string) bool {
	for i, w := range p {
		if words[i] != w.text && !(w.prefix && strings.HasPrefix(words[i], w.text)) {
			return false
		}
	}
	return true
}

// places say where phrases must stand: near each other and, if there is only one,
// perhaps at the beginning of the text.
type places struct {
	phrases []phrase
	apart   int // words there may be between the first and the last
	first   bool
}

func (p *places) fit(words []string) bool {
	starts := make([][]int, len(p.phrases))
	var last []int // where the last of them may begin
	for i, phrase := range p.phrases {
		starts[i] = phrase.starts(words)
		last = append(last, starts[i]...)
	}
	if p.first {
		return slices.Contains(last, 0)
	}
	return slices.ContainsFunc(last, func(end int) bool {
		for i, phrase := range p.phrases {
			// The first that is not too far before the last: it must not be behind it.
			at, _ := slices.BinarySearch(starts[i], end-p.apart-len(phrase))
			if at == len(starts[i]) || starts[i][at] > end {
				return false
			}
		}
		return true
	})
}
