package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetSize is about how many bytes of a text a result shows.
const snippetSize = 240

// The marks that [Hit.Marked] puts around words that were looked for.
const (
	MarkStart = '\uE000'
	MarkEnd   = '\uE001'
)

// A matcher finds the words of a query in a text.
type matcher struct {
	words    map[string]bool
	prefixes []string
}

func newMatcher(terms []Term) matcher {
	m := matcher{words: map[string]bool{}}
	for _, t := range terms {
		for i, w := range t.Words {
			if t.Prefix && i == len(t.Words)-1 {
				m.prefixes = append(m.prefixes, w)
			} else {
				m.words[w] = true
			}
		}
	}
	return m
}

func (m matcher) fits(word string) bool {
	return m.words[word] || slices.ContainsFunc(m.prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
}

// A match is a word that was looked for, where it stands.
type match struct {
	Span
	word string
}

func (m matcher) find(text string) (all []match) {
	eachWord(text, func(word string, start, end int) {
		if m.fits(word) {
			all = append(all, match{Span{start, end}, word})
		}
	})
	return all
}

// snippet is the part of a text that has most of the words, on one line, and
// where they are in it, in characters.
func (m matcher) snippet(text string) (shown string, marks [][2]int) {
	matches := m.find(text)
	s := window(text, matches)
	var b strings.Builder
	size := 0
	marks = [][2]int{}
	blank := true
	put := func(part string) {
		for _, r := range part {
			if unicode.IsSpace(r) || unicode.IsControl(r) {
				r = ' '
			}
			if r != ' ' || !blank {
				b.WriteRune(r)
				size++
			}
			blank = r == ' '
		}
	}
	if s.Start > 0 {
		put("… ")
	}
	at := s.Start
	for _, f := range matches {
		if f.Start < at || f.End > s.End {
			continue
		}
		put(text[at:f.Start])
		from := size
		put(text[f.Start:f.End])
		marks = append(marks, [2]int{from, size})
		at = f.End
	}
	put(text[at:s.End])
	if s.End < len(text) {
		put(" …")
	}
	return strings.TrimRight(b.String(), " "), marks
}

// window is the stretch of the text with the most different words in it, and a
// little before them.
func window(text string, matches []match) Span {
	if len(text) <= snippetSize {
		return Span{0, len(text)}
	}
	best, most := 0, 0
	for i, first := range matches {
		seen := map[string]bool{}
		for _, f := range matches[i:] {
			if f.End-first.Start > snippetSize*3/4 {
				break
			}
			seen[f.word] = true
		}
		if len(seen) > most {
			best, most = first.Start, len(seen)
		}
	}
	start := max(0, min(best-snippetSize/5, len(text)-snippetSize))
	if start > 0 {
		start = wordStart(text, start, max(start, best))
	}
	end := min(len(text), start+snippetSize)
	if end < len(text) {
		if i := strings.LastIndexAny(text[start:end], " \n\t"); i > snippetSize/2 {
			end = start + i
		}
		for end > start && !utf8.RuneStart(text[end]) {
			end--
		}
	}
	return Span{start, end}
}

// marked puts the marks into the snippet.
func marked(shown string, marks [][2]int) string {
	var b strings.Builder
	n := 0
	for _, r := range shown {
		for _, m := range marks {
			if m[0] == n {
				b.WriteRune(MarkStart)
			}
			if m[1] == n {
				b.WriteRune(MarkEnd)
			}
		}
		b.WriteRune(r)
		n++
	}
	for _, m := range marks {
		if m[1] == n {
			b.WriteRune(MarkEnd)
		}
	}
	return b.String()
}
