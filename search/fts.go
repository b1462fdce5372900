package search

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is parsed of a query in the language of FTS5 at most: brackets within each
// other, and strings. It would take a database long to look for more.
const (
	mostNested  = 100
	mostStrings = 64
)

// ftsColumn is the only column that a query can name.
const ftsColumn = "content_markdown"

// ParseFTS reads a query as FTS5 does: AND, OR, NOT, NEAR(), brackets, phrases,
// beginnings of words and of texts. What FTS5 would call a syntax error is taken
// as words, divided by blanks, all of which must be there.
func ParseFTS(text string) Query {
	text = strings.ToValidUTF8(text, " ")
	p := &ftsParser{rest: text}
	p.next()
	where := p.either()
	q := Query{Text: strings.Join(p.said, " "), Terms: p.terms, Where: &where}
	if p.token.kind != tokenEnd || p.failed {
		q = quoted(text)
	}
	if p.tooMuch || len(q.Terms) > mostStrings {
		q.Terms = q.Terms[:min(len(q.Terms), mostStrings)]
		q.warn("A query may have %d words or phrases. This one has more, so it was taken as words, and the first of them were looked for.", mostStrings)
	}
	if q.Text = strings.TrimSpace(q.Text); q.Text == "" { // marks alone: a query all the same
		q.Text = strings.TrimSpace(text)
	}
	return q
}

// quoted takes a text that is no expression.
func quoted(text string) Query {
	q := Query{Text: text, Where: &Expression{Op: All}}
	for _, field := range strings.Fields(text) {
		t := Term{Words: Words(field)}
		if len(t.Words) == 0 || slices.ContainsFunc(q.Terms, t.equal) {
			continue
		}
		q.Terms = append(q.Terms, t)
		if len(q.Terms) > mostStrings {
			return q
		}
		q.Where.Parts = append(q.Where.Parts, Expression{Term: t})
	}
	if len(q.Terms) == 0 {
		q.Where = &Expression{Op: Any}
	}
	return q
}

// An ftsParser goes through a query once. What binds least is parsed first: OR,
// then AND, NOT, and what stands side by side.
type ftsParser struct {
	rest    string
	token   ftsToken
	failed  bool
	tooMuch bool // strings
	nested  int  // brackets that are open
	strings int
	under   int // NOTs whose right side this is
	// What is said, and the terms in it, under no NOT.
	said  []string
	terms []Term
}

func (p *ftsParser) fail() {
	p.failed, p.rest = true, ""
	p.token = ftsToken{kind: tokenEnd}
}

// take goes beyond a token of a kind, if it is the next.
func (p *ftsParser) take(kind byte) bool {
	if p.token.kind != kind {
		return false
	}
	p.next()
	return true
}

func (p *ftsParser) want(kind byte) {
	if !p.take(kind) {
		p.fail()
	}
}

func (p *ftsParser) either() Expression {
	e := p.both()
	for p.take(tokenOr) {
		e = join(Any, e, p.both())
	}
	return e
}

func (p *ftsParser) both() Expression {
	e := p.but()
	for p.take(tokenAnd) {
		e = join(All, e, p.but())
	}
	return e
}

func (p *ftsParser) but() Expression {
	e := p.group()
	for p.take(tokenNot) {
		p.under++
		e = without(e, p.group())
		p.under--
	}
	return e
}

// group is an expression in brackets, or leaves side by side, all of which are
// wanted. Brackets do not stand beside anything.
func (p *ftsParser) group() Expression {
	somewhere := p.columns()
	if p.token.kind == '(' {
		e := p.brackets()
		if !somewhere {
			return nothing
		}
		return e
	}
	var all []Expression
	for {
		if e, blank := p.leaf(); blank {
			// Without words it asks for nothing, as long as there is another one.
		} else if somewhere {
			all = append(all, e)
		} else {
			all = append(all, nothing)
		}
		if !slices.Contains([]byte{tokenString, '^', '{', '-'}, p.token.kind) {
			break
		}
		somewhere = p.columns()
	}
	if len(all) == 0 {
		return nothing
	}
	e := all[0]
	for _, other := range all[1:] {
		e = join(All, e, other)
	}
	return e
}

func (p *ftsParser) brackets() Expression {
	p.want('(')
	if p.nested++; p.nested > mostNested {
		p.fail()
	}
	e := Expression{}
	if !p.failed {
		e = p.either()
	}
	p.want(')')
	p.nested--
	return e
}

// columns takes the columns that are named before what is looked for in them, and
// tells whether there are any: all but the only one are none.
func (p *ftsParser) columns() (any bool) {
	others := p.take('-')
	switch {
	case p.take('{'):
		for more := true; more; more = p.token.kind == tokenString {
			p.column()
		}
		p.want('}')
	case p.token.kind == tokenString && strings.HasPrefix(strings.TrimLeft(p.rest, ftsBlanks), ":"):
		p.column()
	case others:
		p.fail()
		return false
	default:
		return true
	}
	p.want(':')
	return !others
}

func (p *ftsParser) column() {
	if len(p.token.text) != len(ftsColumn) || !strings.EqualFold(p.token.text, ftsColumn) {
		p.fail()
	}
	p.want(tokenString)
}

// leaf is a phrase, one at the beginning of a text, or several near each other.
func (p *ftsParser) leaf() (e Expression, blank bool) {
	var at places
	name := p.token
	switch {
	case p.take('^'):
		at.first = true
		at.phrases = []phrase{p.phrase()}
	case p.token.kind == tokenString && strings.HasPrefix(strings.TrimLeft(p.rest, ftsBlanks), "("):
		if p.next(); name.quoted || name.text != "NEAR" {
			p.fail()
		}
		at.phrases, at.apart = p.near()
	default:
		at.phrases = []phrase{p.phrase()}
	}
	at.phrases = slices.DeleteFunc(at.phrases, func(words phrase) bool { return len(words) == 0 })
	if len(at.phrases) == 0 {
		return nothing, true
	}
	e = Expression{Op: All}
	for _, words := range at.phrases {
		for _, t := range words.terms() {
			e.Parts = append(e.Parts, Expression{Term: t})
			p.found(t)
		}
	}
	if len(e.Parts) == 1 && !at.first {
		return e.Parts[0], false
	}
	e.places = &at
	return e, false
}

func (p *ftsParser) found(t Term) {
	if p.under == 0 && !slices.ContainsFunc(p.terms, t.equal) {
		p.terms = append(p.terms, t)
	}
}

// near is what stands behind NEAR: phrases, and how far apart they may be.
func (p *ftsParser) near() (phrases []phrase, apart int) {
	const usual = 10
	p.want('(')
	for more := true; more; more = p.token.kind == tokenString {
		phrases = append(phrases, p.phrase())
	}
	apart = usual
	if p.take(',') {
		apart = p.distance()
	}
	p.want(')')
	return phrases, apart
}

func (p *ftsParser) distance() (n int) {
	if p.token.kind != tokenString || p.token.quoted {
		p.fail()
	}
	for _, digit := range p.token.text {
		if digit < '0' || digit > '9' {
			p.fail()
			return 0
		}
		n = min(n*10+int(digit-'0'), math.MaxInt32)
	}
	p.want(tokenString)
	return n
}

// phrase is strings with a plus between them, each perhaps the beginning of one.
func (p *ftsParser) phrase() (words phrase) {
	for more := true; more; more = p.take('+') {
		if p.strings++; p.strings > mostStrings {
			p.tooMuch = true
			p.fail()
		}
		said := p.token.text
		p.want(tokenString)
		words = words.add(Words(said), p.take('*'))
		if p.under == 0 {
			p.said = append(p.said, said)
		}
	}
	return words
}

// An ftsToken is a mark, which is its own kind, or one of these.
type ftsToken struct {
	kind   byte
	text   string
	quoted bool
}

const (
	tokenEnd    = 0
	tokenString = 'a'
	tokenAnd    = '&'
	tokenOr     = '|'
	tokenNot    = '!'
)

const ftsBlanks = " \t\n\r"

// next reads the next token.
func (p *ftsParser) next() {
	s := strings.TrimLeft(p.rest, ftsBlanks)
	switch {
	case s == "":
		p.token, p.rest = ftsToken{kind: tokenEnd}, ""
	case strings.IndexByte("(){}:,+*-^", s[0]) >= 0:
		p.token, p.rest = ftsToken{kind: s[0]}, s[1:]
	case s[0] == '"':
		p.quotation(s)
	default:
		p.bareword(s)
	}
}

// quotation reads a string in which a quote is written twice.
func (p *ftsParser) quotation(s string) {
	for end := 1; ; end += 2 {
		n := strings.IndexByte(s[end:], '"')
		if n < 0 {
			p.fail()
			return
		}
		if end += n; !strings.HasPrefix(s[end+1:], `"`) {
			p.token = ftsToken{kind: tokenString, text: strings.ReplaceAll(s[1:end], `""`, `"`), quoted: true}
			p.rest = s[end+1:]
			return
		}
	}
}

func (p *ftsParser) bareword(s string) {
	end := 0
	for end < len(s) && isBare(s[end]) {
		end++
	}
	if end == 0 {
		p.fail()
		return
	}
	p.token, p.rest = ftsToken{kind: tokenString, text: s[:end]}, s[end:]
	switch s[:end] {
	case "AND":
		p.token.kind = tokenAnd
	case "OR":
		p.token.kind = tokenOr
	case "NOT":
		p.token.kind = tokenNot
	}
}

// isBare tells whether a byte needs no quotes. FTS5 has the mark that stands for
// what cannot be shown among these.
func isBare(c byte) bool {
	const substitute = 0x1a
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == substitute || c >= utf8.RuneSelf
}
