package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// An fts5 is a table as agent-bus has it.
type fts5 struct{ conn *sqlite.Conn }

func newFTS5(t testing.TB, texts []string) fts5 {
	t.Helper()
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	err = sqlitex.ExecuteTransient(conn, `CREATE VIRTUAL TABLE posts USING fts5(content_markdown, tokenize='unicode61')`, nil)
	for i, text := range texts {
		err = errors.Join(err, sqlitex.Execute(conn, `INSERT INTO posts (rowid, content_markdown) VALUES (?, ?)`, &sqlitex.ExecOptions{Args: []any{i + 1, text}}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return fts5{conn}
}

// find tells which texts fit, from 1 on, and whether the query is one.
func (f fts5) find(query string) (found []int, ok bool) {
	found = []int{}
	err := sqlitex.Execute(f.conn, `SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY rowid`, &sqlitex.ExecOptions{
		Args: []any{query}, ResultFunc: func(stmt *sqlite.Stmt) error {
			found = append(found, stmt.ColumnInt(0))
			return nil
		},
	})
	return found, err == nil
}

// fitting tells which texts an expression means.
func fitting(e Expression, texts []string) []int {
	found := []int{}
	for i, text := range texts {
		if e.fits(Words(text)) {
			found = append(found, i+1)
		}
	}
	return found
}

var ftsTexts = []string{
	"alpha beta gamma", "alpha delta", "beta epsilon", "zeta", "use force and not luck", "it's in:prod", "alpha near beta or gamma",
	"beta alpha x x x beta gamma beta", "gamma beta alpha", "alphabet betamax", "",
}

func TestParseFTS(t *testing.T) {
	tests := []struct {
		query string
		want  []int // of ftsTexts
		valid bool
	}{
		{"alpha AND beta", []int{1, 7, 8, 9}, true},
		{"delta OR epsilon", []int{2, 3}, true},
		{"alpha NOT beta", []int{2}, true},
		{"(alpha OR zeta) NOT beta", []int{2, 4}, true},
		{"alpha beta", []int{1, 7, 8, 9}, true},
		{"zeta OR alpha beta NOT near", []int{1, 4, 8, 9}, true},
		{"NEAR(alpha gamma, 1)", []int{1, 9}, true},
		{"^beta", []int{3, 8}, true},
		{`"alpha beta"`, []int{1}, true},
		{"alpha + beta", []int{1}, true},
		{"alph*", []int{1, 2, 7, 8, 9, 10}, true},
		{`"alphab" *`, []int{10}, true},
		{"alph* + beta*", []int{1, 10}, true},
		{"content_markdown:zeta", []int{4}, true},
		{`{"Content_Markdown"} : ^ zeta`, []int{4}, true},
		{"content_markdown : (zeta OR delta)", []int{2, 4}, true},
		{"-content_markdown : zeta", []int{}, true},
		{"alpha near or", []int{7}, true},
		{"alpha NEAR", []int{7}, true},
		{"force and not", []int{5}, true},
		{`"" alpha delta`, []int{2}, true},
		{`"" AND zeta`, []int{}, true},
		{`"" OR zeta`, []int{4}, true},
		{`zeta NOT ""`, []int{4}, true},
		{`"say ""zeta"""`, []int{}, true},

		{"--force", []int{5}, false},
		{"-alpha", []int{1, 2, 7, 8, 9}, false},
		{"in:prod", []int{6}, false},
		{"topic_id:zeta", []int{}, false},
		{"from:main", []int{}, false},
		{"AND", []int{5}, false},
		{"force AND", []int{5}, false},
		{`"zeta`, []int{4}, false},
		{"(", []int{}, false},
		{"*", []int{}, false},
		{"^", []int{}, false},
		{"alpha.beta", []int{1}, false},
		{"it's", []int{6}, false},
		{"NEAR(", []int{7}, false},
		{"(alpha OR near) beta", []int{7}, false},
		{"alpha (beta)", []int{1, 7, 8, 9}, false},
		{"NEAR(alpha beta, x)", []int{}, false},
		{`zeta "`, []int{4}, false},
		{"zeta\x00", []int{4}, false},
	}
	real := newFTS5(t, ftsTexts)
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			q := ParseFTS(tt.query)
			if diff := cmp.Diff(tt.want, fitting(*q.Where, ftsTexts)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(tt.query, "\x00") { // where SQLite stops reading
				return
			}
			found, valid := real.find(tt.query)
			if valid != tt.valid || valid && !slices.Equal(found, tt.want) {
				t.Errorf("FTS5 finds %v, valid %t", found, valid)
			}
		})
	}
}

func TestParseFTSTerms(t *testing.T) {
	tests := []struct {
		query, text string
		terms       []Term
	}{
		{"Red OR (blue NOT green)", "Red blue", []Term{term("red"), term("blue")}},
		{`NEAR("red car" bi* + cycle, 3)`, "red car bi cycle", []Term{term("red", "car"), {[]string{"bi"}, true}, term("cycle")}},
		{"red NOT (blue NOT green) OR red", "red red", []Term{term("red")}},
		{"it's a red-car red-car", "it's a red-car red-car", []Term{term("it", "s"), term("a"), term("red", "car")}},
		{`"" *`, `"" *`, nil},
		{"((", "((", nil},
	}
	for _, tt := range tests {
		q := ParseFTS(tt.query)
		if got := strings.Join(strings.Fields(q.Text), " "); got != tt.text {
			t.Errorf("%s: the text is %q", tt.query, got)
		}
		if diff := cmp.Diff(tt.terms, q.Terms); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.query, diff)
		}
	}
}

// What is hostile is words, and few of them; no stack and no patience ends first.
func TestParseFTSBounds(t *testing.T) {
	const size = 64 << 10
	for _, part := range []string{"(", ")", "{", `"`, `"" `, "^", "a+", "a*+", "a AND ", "a OR (", "NOT ", "NEAR(", "NEAR(a ", "-{", "a:", "a ", "-", "content_markdown:(", "é"} {
		text := strings.Repeat(part, size/len(part))
		for _, query := range []string{text, text + "a", text + strings.Repeat(")", size)} {
			q := ParseFTS(query)
			if n := len(q.Terms); n > mostStrings {
				t.Errorf("%q many times has %d terms", part, n)
			}
		}
	}
	nested := func(n int) Query {
		return ParseFTS(strings.Repeat("(", n) + "a OR b" + strings.Repeat(")", n))
	}
	if q := nested(mostNested); q.Where.Op != Any {
		t.Errorf("brackets within each other are words: %v", q.Where)
	}
	if q := nested(mostNested + 1); q.Where.Op != All {
		t.Errorf("too many brackets within each other are an expression: %v", q.Where)
	}
	var words []string
	for i := range mostStrings + 1 {
		words = append(words, fmt.Sprint("word", i))
	}
	if q := ParseFTS(strings.Join(words[1:], " OR ")); q.Where.Op != Any || len(q.Where.Parts) != mostStrings || q.Warnings != nil {
		t.Errorf("as many as there may be: %v, %v", q.Where, q.Warnings)
	}
	if q := ParseFTS(strings.Join(words, " ")); q.Where.Op != All || len(q.Where.Parts) != mostStrings || len(q.Warnings) != 1 {
		t.Errorf("one too many: %v, %v", q.Where, q.Warnings)
	}
}

// Queries of which most are valid are made of these; those at the end spoil some.
const ftsPieces = `a b c d e a b ab* "a b" "b c d" ( ) ( ) AND OR NOT AND OR NOT + + ^ * , 0 1 3 NEAR( NEAR( NEAR content_markdown: {content_markdown}: -content_markdown: "" _ ` +
	`A and é { } - : " words: .`

// ftsExpression makes a random expression, which is a query.
func ftsExpression(r *rand.Rand, depth int) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	word := func() string {
		return pick("a", "b", "c", "d", "e", "ab*", "a*", `"a b"`, `"b c d"`, `"b c" *`, "a + b", "a* + b", "d+e*", `""`, "_")
	}
	if depth == 0 || r.IntN(4) == 0 {
		leaf := pick("", "", "", "", "^", "content_markdown : ", "{ content_markdown } : ^", "- content_markdown:")
		switch r.IntN(4) {
		case 0:
			if strings.HasSuffix(leaf, "^") {
				leaf = ""
			}
			leaf += "NEAR (" + word() + " " + word() + pick("", " "+word()) + pick("", ",0", ", 1", ",3") + ")"
		case 1:
			leaf += word() + " " + word()
		default:
			leaf += word()
		}
		return leaf
	}
	left, right := ftsExpression(r, depth-1), ftsExpression(r, depth-1)
	if r.IntN(2) == 0 {
		left = "(" + left + ")"
	}
	if r.IntN(2) == 0 {
		right = pick("", "", "content_markdown:") + "(" + right + ")"
	}
	return left + pick(" AND ", " OR ", " NOT ") + right
}

// Whatever FTS5 takes as a query means the same here, and nothing else does.
func TestFTSLikeSQLite(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var texts []string
	for range 60 {
		var words []string
		for range r.IntN(9) {
			words = append(words, []string{"a", "b", "c", "d", "e", "ab", "abc"}[r.IntN(7)])
		}
		texts = append(texts, strings.Join(words, " "))
	}
	real := newFTS5(t, texts)
	pieces := strings.Fields(ftsPieces)
	valid := 0
	for i := range 8000 {
		query := ftsExpression(r, r.IntN(4))
		if i%2 == 0 {
			var b strings.Builder
			for range 1 + r.IntN(8) {
				b.WriteString(pieces[r.IntN(len(pieces))] + strings.Repeat(" ", r.IntN(2)))
			}
			query = b.String()
		}
		p := &ftsParser{rest: query}
		p.next()
		where := p.either()
		ours := p.token.kind == tokenEnd && !p.failed
		found, ok := real.find(query)
		if ours != ok {
			t.Fatalf("%s: valid here %t, in FTS5 %t", query, ours, ok)
		}
		if !ok {
			continue
		}
		if got := fitting(where, texts); !slices.Equal(got, found) {
			t.Fatalf("%s: finds %v here, in FTS5 %v", query, got, found)
		}
		if len(found) > 0 {
			valid++
		}
		for _, no := range found {
			if !where.rough().fits(Words(texts[no-1])) {
				t.Fatalf("%s: what is rough does not find %q", query, texts[no-1])
			}
		}
	}
	if valid < 2000 {
		t.Errorf("only %d queries found something", valid)
	}
}

func FuzzParseFTS(f *testing.F) {
	for _, s := range append(strings.Fields(ftsPieces), "(a OR b) NOT NEAR(c d*, 3)", `{content_markdown}: ^"a b" + c*`, strings.Repeat("(", 200), "\xff\x00", `a"`) {
		f.Add(s)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f.Add(ftsExpression(r, 3))
	}
	texts := slices.Concat(ftsTexts, []string{"a b c d e", "e d c b a", "ab abc é"})
	real := newFTS5(f, texts)
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseFTS(text)
		if len(q.Terms) > mostStrings {
			t.Fatalf("%q has %d terms", text, len(q.Terms))
		}
		for _, term := range q.Terms {
			for _, w := range term.Words {
				if w == "" || strings.ContainsAny(w, " \"'\\:*&|!()<>-\x00") || !utf8.ValidString(w) {
					t.Fatalf("%q has the word %q", text, w)
				}
			}
		}
		got := fitting(*q.Where, texts)
		for _, no := range got {
			if !q.Where.rough().fits(Words(texts[no-1])) {
				t.Fatalf("%q: what is rough does not find %q", text, texts[no-1])
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r == 0 || r >= utf8.RuneSelf }) || q.Warnings != nil || strings.Count(text, "(") > 20 {
			return // other words than those of SQLite, or too much for one of the two
		}
		if found, ok := real.find(text); ok && strings.TrimSpace(text) != "" && !slices.Equal(got, found) {
			t.Fatalf("%q finds %v here, in FTS5 %v", text, got, found)
		}
	})
}
