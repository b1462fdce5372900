package search

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"nexus"
)

// A Term is a word, the beginning of one, or words that stand in this order.
type Term struct {
	Words  []string
	Prefix bool // the last word is only how one begins
}

// A Query is what somebody typed, taken apart. There is no text that is not a
// query; what makes no sense as a filter is searched for as words.
type Query struct {
	Text  string // for those who go by meaning
	Terms []Term // the more of these, the better
	Must  []Term // all of these
	Not   []Term // none of these
	// Where tells which documents the words find, if it is not all that have one of
	// them. It says nothing about what is found by meaning.
	Where *Expression

	From, In, Kinds []string // one of each, where there are any
	After, Before   string   // from a moment on, and before another
	Warnings        []string
}

// Empty tells whether there is nothing to rank by.
func (q Query) Empty() bool { return len(q.Terms) == 0 && strings.TrimSpace(q.Text) == "" }

// narrows tells whether there is something that keeps documents out.
func (q Query) narrows() bool {
	return len(q.From)+len(q.In)+len(q.Kinds)+len(q.Not) > 0 || q.After != "" || q.Before != ""
}

// mostTerms is how many words of a query count.
const mostTerms = 32

// ParseQuery reads words, "quoted phrases", -word, word*, from:, in:, type:,
// before: and after:.
func ParseQuery(text string, now time.Time) Query {
	var q Query
	for _, p := range parts(strings.ToValidUTF8(text, " ")) {
		if p.name == "" || p.not || !q.filter(p, now) {
			q.word(p)
		}
	}
	if len(q.Terms) > mostTerms {
		q.Terms = q.Terms[:mostTerms]
		q.warn("Only the first %d words of the query were looked for.", mostTerms)
	}
	q.Text = strings.TrimSpace(q.Text)
	if q.Empty() && !q.narrows() { // marks alone, such as "": a query all the same
		q.Text = strings.TrimSpace(text)
	}
	return q
}

func (q *Query) warn(format string, args ...any) {
	q.Warnings = append(q.Warnings, nexus.Errorf("", format, args...).Msg)
}

// word adds a part that is to be searched for.
func (q *Query) word(p part) {
	value := p.value
	if p.name != "" {
		value = p.name + ":" + p.value
	}
	plain, prefix := strings.CutSuffix(value, "*")
	t := Term{Words: Words(value), Prefix: prefix && !p.quoted && plain != "" && inWord(lastRune(plain))}
	if p.not {
		if len(t.Words) > 0 {
			q.Not = append(q.Not, t)
		}
		return
	}
	q.Text += " " + value
	if len(t.Words) == 0 {
		return
	}
	if !slices.ContainsFunc(q.Terms, t.equal) {
		q.Terms = append(q.Terms, t)
	}
	if p.quoted {
		q.Must = append(q.Must, t)
	}
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

func (t Term) equal(other Term) bool {
	return t.Prefix == other.Prefix && slices.Equal(t.Words, other.Words)
}

// filter takes a part that narrows the search, if it is one.
func (q *Query) filter(p part, now time.Time) bool {
	value := strings.TrimSpace(p.value)
	switch {
	case value == "":
		return false
	case p.name == "from":
		q.From = append(q.From, value)
	case p.name == "in":
		q.In = append(q.In, value)
	case p.name == "type":
		kind := strings.ReplaceAll(strings.ToLower(value), "-", "_")
		if !slices.Contains(Kinds(), kind) {
			q.warn("There is nothing of type %q, so it was looked for as words: types are %s.", value, strings.Join(Kinds(), ", "))
			return false
		}
		q.Kinds = append(q.Kinds, kind)
	case p.name == "before" || p.name == "after":
		at, ok := parseMoment(value, now)
		if !ok {
			q.warn("%q is no date, so it was looked for as words: write 2026-01-31, a time of RFC 3339, or 7d and 12h for so long ago.", value)
			return false
		}
		if p.name == "before" {
			q.Before = nexus.Stamp(at)
		} else {
			q.After = nexus.Stamp(at)
		}
	default:
		return false
	}
	return true
}

// parseMoment reads a day, a time of that day, a full time, or how long ago.
func parseMoment(s string, now time.Time) (time.Time, bool) {
	s = strings.ToUpper(s)
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 && t.Year() < 9999 {
			return t, true
		}
	}
	units := map[byte]time.Duration{'H': time.Hour, 'D': 24 * time.Hour, 'W': 7 * 24 * time.Hour, 'M': time.Minute}
	if s == "" || units[s[len(s)-1]] == 0 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 100_000 {
		return time.Time{}, false
	}
	return now.Add(-time.Duration(n) * units[s[len(s)-1]]), true
}

// A part of a query is a word, or what stands between quotes, with what was
// written before it.
type part struct {
	not    bool
	name   string // of name:value
	value  string
	quoted bool
}

// parts divides a query. A quote that is not closed is no quote.
func parts(s string) []part {
	var all []part
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return all
		}
		var p part
		if len(s) > 1 && s[0] == '-' && s[1] != ' ' {
			p.not, s = true, s[1:]
		}
		if name, rest, ok := strings.Cut(s, ":"); ok && isName(name) {
			p.name, s = strings.ToLower(name), rest
		}
		p.value, p.quoted, s = value(s)
		all = append(all, p)
	}
}

func isName(s string) bool {
	return slices.Contains([]string{"from", "in", "type", "before", "after"}, strings.ToLower(s))
}

// value takes one value from the front of s and returns what is left.
func value(s string) (v string, quoted bool, rest string) {
	if strings.HasPrefix(s, `"`) {
		if v, rest, ok := strings.Cut(s[1:], `"`); ok {
			return v, true, rest
		}
	}
	end := strings.IndexAny(s, " \t\r\n")
	if end < 0 {
		end = len(s)
	}
	return s[:end], false, s[end:]
}
